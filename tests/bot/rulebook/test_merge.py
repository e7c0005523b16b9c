"""A repository's rulebook tightens its organisation's and can never loosen it."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations, product
from operator import attrgetter

import pytest

from agreements.facts import Account, Commit, Facts, Identity, PullRequest
from agreements.judge import judge
from agreements.rulebook.rules import DcoRules, ExemptAccount, RepositoryRule
from agreements.rulebook.rules_reader import parse
from bot.github.ports import RuleFile, RuleFiles
from bot.rulebook import effective
from bot.rulebook.merge import merge, merge_policies

REPOSITORY = "cann/ops-math"


def merged(ours, theirs):
    """Merge two rulebooks given as data."""
    return merge(parse(ours), parse(theirs), theirs, REPOSITORY)


def require(value):
    """A rulebook that requires this everywhere."""
    return {"repositories": [{"match": ["*"], "require": value}]}


REQUIRED = {
    # (organisation, repository) → in force; None: looser
    ("none", "dco"): "dco",
    ("none", "either"): "either",
    ("either", "cla"): "cla",
    ("either", "dco"): "dco",
    ("cla", "dco"): "both",
    ("dco", "cla"): "both",
    ("cla", "both"): "both",
    ("dco", "dco"): "dco",
    ("cla", "none"): None,
    ("cla", "either"): None,
    ("dco", "either"): None,
    ("dco", "none"): None,
    ("either", "none"): None,
    ("both", "cla"): None,
    ("both", "dco"): None,
    ("both", "either"): None,
}


@pytest.mark.parametrize(("ours", "theirs"), REQUIRED)
def test_demands_of_both_files_hold_and_a_smaller_one_is_an_error(ours, theirs):
    rules, looser = merged(require(ours), require(theirs))
    expected = REQUIRED[ours, theirs]
    assert rules.repositories[0].require == (expected or ours)
    assert [path for path, _ in looser] == ([] if expected else [("repositories", 0, "require")])


def test_the_demand_is_that_of_this_repository():
    ours = {"repositories": [{"match": ["tools"], "require": "both"}, {"match": ["ops-*"], "require": "cla"}]}
    rules, looser = merged(ours, {"repositories": [{"match": ["ops-math"], "require": "cla"}]})
    assert (rules.repositories[0].match, rules.repositories[0].require, looser) == (("*",), "cla", ())


def test_a_rule_for_another_repository_is_a_mistake():
    rules, looser = merged(require("cla"), {"repositories": [{"match": ["other"], "require": "both"}]})
    assert rules.repositories[0].require == "cla"
    assert looser == ((("repositories",), "no pattern here matches this repository"),)


def test_an_empty_repository_file_changes_nothing():
    ours = {
        **require("both"),
        "since": "2025-01-01",
        "people": {"members": "exempt", "exempt": [{"id": 1}], "domains": "enrolled", "agents": {"policy": "block"}},
        "dco": {"members": "exempt", "remediation": {"individual": True}},
        "labels": {"signed": "ok", "required": "no"},
        "comment": {"language": "zh"},
        "changelog": {"require": True},
    }
    assert merged(ours, {"version": 1}) == (parse(ours), ())


TIGHTER = [
    ({}, {"people": {"domains": "enrolled"}}, "people.domains", "enrolled"),
    ({"people": {"members": "exempt"}}, {"people": {"members": "required"}}, "people.members", "required"),
    ({"dco": {"members": "exempt"}}, {"dco": {"members": "required"}}, "dco.members", "required"),
    ({}, {"people": {"agents": {"policy": "block"}}}, "people.agents.policy", "block"),
    ({}, {"dco": {"override": "nobody"}}, "dco.override", "nobody"),
    ({"dco": {"names": "free"}}, {"dco": {"names": "required"}}, "dco.names", "required"),
    ({"dco": {"merged": "exempt"}}, {"dco": {"merged": "required"}}, "dco.merged", "required"),
    ({"dco": {"portal": True}}, {"dco": {"portal": False}}, "dco.portal", False),
    ({"dco": {"reverts": "exempt"}}, {"dco": {"reverts": "required"}}, "dco.reverts", "required"),
    ({"dco": {"remediation": {"individual": True}}}, {"dco": {"remediation": {"individual": False}}}, "dco.individual_remediation", False),
    ({"people": {"exempt": [{"id": 1}, {"id": 2}]}}, {"people": {"exempt": [{"id": 2}]}}, "people.exempt", (ExemptAccount(2),)),
    ({"people": {"agents": {"emails": ["A@x.org"]}}}, {"people": {"agents": {"emails": []}}}, "people.agents.emails", ()),
    ({"since": "2025-01-01"}, {"since": "2024-01-01"}, "since", datetime(2024, 1, 1, tzinfo=UTC)),
    ({"since": "2025-01-01"}, {"since": None}, "since", None),
    ({}, {"since": None}, "since", None),
    ({"people": {"check": ["authors"]}}, {"people": {"check": ["opener"]}}, "people.check", ("opener", "authors")),
    ({"people": {"check": ["opener", "authors"]}}, {"people": {"check": ["coauthors", "authors"]}}, "people.check", ("opener", "authors", "coauthors")),
    ({"people": {"override": "maintainers"}}, {"people": {"override": "admins"}}, "people.override", "admins"),
    ({"people": {"override": "admins"}}, {"people": {"override": "nobody"}}, "people.override", "nobody"),
    ({"dco": {"remediation": {"individual": True, "third_party": True}}}, {"dco": {"remediation": {"third_party": False}}}, "dco", DcoRules(individual_remediation=True)),
    ({"people": {"exempt": [{"id": 1}]}}, {"people": {"exempt": []}}, "people.exempt", ()),
    ({"people": {"agents": {"accounts": [{"id": 1, "login": "a"}, {"id": 2}]}}}, {"people": {"agents": {"accounts": [{"id": 1, "login": "b"}]}}}, "people.agents.accounts", (ExemptAccount(1, "b"),)),
    (require("cla"), {"repositories": []}, "repositories", (RepositoryRule(("*",), "cla"),)),
    ({"repositories": [{"match": ["*"], "mode": "shadow"}]}, require("dco"), "repositories", (RepositoryRule(("*",), "dco", "shadow"),)),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "key", "expected"), TIGHTER, ids=str)
def test_a_stricter_value_comes_into_force(ours, theirs, key, expected):
    rules, looser = merged(ours, theirs)
    assert (attrgetter(key)(rules), looser) == (expected, ())


LOOSER = [
    ({"people": {"domains": "enrolled"}}, {"people": {"domains": "linked"}}, ("people", "domains")),
    ({}, {"people": {"members": "exempt"}}, ("people", "members")),
    ({}, {"dco": {"members": "exempt"}}, ("dco", "members")),
    ({}, {"dco": {"names": "free"}}, ("dco", "names")),
    ({}, {"dco": {"merged": "exempt"}}, ("dco", "merged")),
    ({}, {"dco": {"portal": True}}, ("dco", "portal")),
    ({}, {"dco": {"reverts": "exempt"}}, ("dco", "reverts")),
    (
        {"people": {"agents": {"policy": "block"}}},
        {"people": {"agents": {"policy": "ignore"}}},
        ("people", "agents", "policy"),
    ),
    ({"dco": {"override": "nobody"}}, {"dco": {"override": "maintainers"}}, ("dco", "override")),
    ({}, {"people": {"override": "admins"}}, ("people", "override")),
    ({}, {"dco": {"remediation": {"individual": True}}}, ("dco", "remediation", "individual")),
    ({}, {"dco": {"remediation": {"third_party": True}}}, ("dco", "remediation", "third_party")),
    ({"people": {"exempt": [{"id": 1}]}}, {"people": {"exempt": [{"id": 1}, {"id": 2}]}}, ("people", "exempt", 1)),
    ({}, {"people": {"agents": {"accounts": [{"id": 9}]}}}, ("people", "agents", "accounts", 0)),
    ({}, {"people": {"agents": {"emails": ["a@x.org"]}}}, ("people", "agents", "emails", 0)),
    ({}, {"since": "2025-01-01"}, ("since",)),
    ({"since": "2024-01-01"}, {"since": "2025-01-01"}, ("since",)),
    ({}, {"people": {"check": ["opener"]}}, ("people", "check")),
    ({}, {"agreements": {"individual": {"text": "icla"}}}, ("agreements",)),
    ({"agreements": {"corporate": {"employees": "sign-too"}}}, {"agreements": {}}, ("agreements",)),
    ({}, {"agreements": {"accept": {"icla": [{"versions": "1.x"}]}}}, ("agreements",)),
    ({"people": {"override": "admins"}}, {"people": {"override": "maintainers"}}, ("people", "override")),
    ({"people": {"exempt": [{"id": 1}]}}, {"people": {"exempt": [{"login": "a"}]}}, ("people", "exempt", 0)),
    ({"people": {"exempt": [{"login": "a"}]}}, {"people": {"exempt": [{"login": "a"}]}}, ("people", "exempt", 0)),
    (
        {"people": {"agents": {"policy": "block", "accounts": [{"id": 1}]}}},
        {"people": {"agents": {"accounts": [{"id": 2}]}}},
        ("people", "agents", "accounts", 0),
    ),
    ({}, {"repositories": [{"match": ["elsewhere"], "require": "none"}]}, ("repositories",)),
    ({}, {"repositories": [{"match": ["*"], "mode": "enforce"}]}, ("repositories", 0, "mode")),
    ({}, {"repositories": [{"match": ["*"], "small": {"lines": 1, "paths": ["*"]}}]}, ("repositories", 0, "small")),
    ({"dco": {"matching": "exact"}}, {"dco": {"matching": "evidence"}}, ("dco", "matching")),
    ({}, {"dco": {"matching": "exact"}}, ("dco", "matching")),
    ({}, {"organization": "Others"}, ("organization",)),
    ({}, {"repositories": [{"match": ["*"], "require": "dco", "mode": "shadow"}]}, ("repositories", 0, "mode")),
]


def test_small_changes_stay_as_the_organisation_has_them_and_are_no_repositorys_own_to_set():
    small = {"lines": 15, "paths": ["*.md"]}
    above = {"repositories": [{"match": ["*"], "require": "cla", "small": small}]}
    rules, looser = merged(above, require("both"))
    assert (rules.repositories[0].small, looser) == (parse(above).repositories[0].small, ())
    alone = json.dumps({"version": 1, **above})
    files = RuleFiles(RuleFile("rules.yml", None), RuleFile("own.yml", alone), RuleFile("dco.yml", None))
    (error,) = effective.read(files, None, REPOSITORY).values["errors"]
    assert error == "own.yml, line 1: repositories.0.small: only the organisation's rulebook may set this"


@pytest.mark.parametrize(("ours", "theirs", "path"), LOOSER, ids=str)
def test_a_looser_value_is_shown_with_file_line_and_key(ours, theirs, path):
    (key,) = theirs
    text = f"version: 1\n# theirs\n{key}: {json.dumps(theirs[key])}\n"
    above = json.dumps({"version": 1, **ours})
    files = RuleFiles(RuleFile("rules.yml", above), RuleFile("own.yml", text), RuleFile("dco.yml", None))
    found = effective.read(files, None, REPOSITORY)
    (error,) = found.values["errors"]
    assert error.startswith(f"own.yml, line 3: {'.'.join(map(str, path))}: ")


@pytest.mark.parametrize(("ours", "theirs", "path"), LOOSER, ids=str)
def test_a_looser_value_or_one_of_the_organisation_alone_is_an_error(ours, theirs, path):
    rules, looser = merged(ours, theirs)
    assert [at for at, _ in looser] == [path]
    kept = parse(ours)
    assert (rules.since, rules.dco, rules.individual) == (kept.since, kept.dco, kept.individual)
    assert set(rules.people.check) >= set(kept.people.check)
    assert {entry.id for entry in rules.people.exempt} <= {entry.id for entry in kept.people.exempt}
    assert rules.repositories[0].mode == "enforce"


def agents_say(**agents):
    """A rulebook that says this of agents."""
    return {"people": {"agents": agents}}


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (
            {"people": {"domains": "enrolled"}},
            {"people": {"domains": "linked"}},
            "linked is looser than the organisation's enrolled",
        ),
        (require("both"), require("cla"), "cla is looser than the organisation's both"),
        (
            {},
            {"people": {"check": ["opener"]}},
            "opener is looser than the organisation's opener, senders, authors, coauthors",
        ),
        ({"since": "2024-01-01"}, {"since": "2025-01-01"}, "is later than the organisation's"),
        ({}, {"since": "2025-01-01"}, "leaves out pull requests that the organisation's judges"),
        ({}, {"dco": {"remediation": {"individual": True}}}, "true is looser than the organisation's false"),
        (
            agents_say(policy="block"),
            agents_say(policy="block", known=False),
            "false is looser than the organisation's true",
        ),
    ],
    ids=str,
)
def test_a_looser_value_is_told_beside_the_stricter_one(ours, theirs, said):
    _, looser = merged(ours, theirs)
    assert [text for _, text in looser] == [f"{said}; a repository may only be stricter"]


def agents(policy, *ids):
    """A rulebook with these agents."""
    return {"people": {"agents": {"policy": policy, "accounts": [{"id": number} for number in ids]}}}


@pytest.mark.parametrize(("ours", "theirs", "in_force"), [
    ("ignore", "ignore", "ignore"), ("ignore", "responsible", "responsible"), ("ignore", "block", "block"),
    ("responsible", "ignore", None), ("responsible", "responsible", "responsible"), ("responsible", "block", "block"),
    ("block", "ignore", None), ("block", "responsible", None), ("block", "block", "block"),
])  # fmt: skip
def test_the_stricter_policy_for_agents_counts(ours, theirs, in_force):
    rules, looser = merged(agents_say(policy=ours), agents_say(policy=theirs))
    assert rules.people.agents.policy == (in_force or ours)
    assert [path for path, _ in looser] == ([] if in_force else [("people", "agents", "policy")])


@pytest.mark.parametrize(("ours", "theirs", "in_force", "refused"), [
    ([{"id": 1}, {"id": 2, "login": "a"}], [{"id": 2, "login": "b"}], (ExemptAccount(2, "b"),), []), ([{"id": 1}], [], (), []),
    ([{"id": 1}], None, (ExemptAccount(1),), []), ([], [{"id": 1}], (), [0]), (None, [{"id": 1}], (), [0]),
    ([{"id": 1}], [{"id": 1}, {"id": 2}], (ExemptAccount(1),), [1]), ([{"login": "a"}], [{"login": "a"}], (), [0]),
])  # fmt: skip
def test_only_machines_on_both_lists_need_no_sign_off(ours, theirs, in_force, refused):
    ours, theirs = ({} if accounts is None else {"dco": {"exempt": accounts}} for accounts in (ours, theirs))
    rules, looser = merged(ours, theirs)
    assert (rules.dco.exempt, [path for path, _ in looser]) == (in_force, [("dco", "exempt", at) for at in refused])


@pytest.mark.parametrize(
    ("ours", "theirs", "let_off", "listed"),
    [
        (agents("ignore", 1, 2), agents("ignore", 2), {2}, {1, 2}),
        (agents("ignore", 1, 2), agents("ignore"), set(), {1, 2}),
        (agents("ignore", 1, 2), agents("ignore", 2, 1), {1, 2}, {1, 2}),
        (agents("ignore", 1, 2), agents("block", 2), {1, 2}, {1, 2}),
        (agents("block", 1, 2), agents("block"), {1, 2}, {1, 2}),
        (agents("ignore", 1, 2), {}, {1, 2}, {1, 2}),
        (agents("ignore", 1, 2), agents("responsible", 2), {2}, {1, 2}),
        (agents("responsible", 1, 2), agents("responsible"), set(), {1, 2}),
        (agents("responsible", 1, 2), agents("block", 2), {1, 2}, {1, 2}),
    ],
)
def test_an_agent_of_the_organisation_left_out_below_stays_an_agent(ours, theirs, let_off, listed):
    rules, looser = merged(ours, theirs)
    found = rules.people.agents
    assert looser == ()
    assert {entry.id for entry in found.accounts} == let_off
    assert {entry.id for entry in (found.listed or found).accounts} == listed


@pytest.mark.parametrize(
    ("ours", "theirs", "in_force", "refused"),
    [
        (agents_say(), agents_say(known=False), False, False),
        (agents_say(), agents_say(known=True), True, False),
        (agents_say(), agents_say(), True, False),
        (agents_say(policy="ignore", known=False), agents_say(), False, False),
        (agents_say(policy="ignore", known=False), agents_say(known=True), False, True),
        (agents_say(policy="ignore", known=False), agents_say(policy="block", known=True), True, False),
        (agents_say(policy="ignore", known=False), agents_say(policy="block"), False, False),
        (agents_say(policy="ignore", known=True), agents_say(policy="block", known=False), True, False),
        (agents_say(policy="responsible", known=False), agents_say(known=True), False, True),
        (agents_say(policy="responsible"), agents_say(known=False), False, False),
        (agents_say(known=False), agents_say(policy="responsible", known=True), False, True),
        (agents_say(policy="responsible", known=False), agents_say(policy="block", known=True), True, False),
        (agents_say(policy="block", known=True), agents_say(known=False), True, True),
        (agents_say(policy="block"), agents_say(policy="block", known=False), True, True),
        (agents_say(policy="block", known=False), agents_say(known=True), True, False),
        (agents_say(policy="block", known=False), agents_say(known=False), False, False),
    ],
)
def test_ignoring_fewer_agents_and_blocking_more_is_stricter(ours, theirs, in_force, refused):
    rules, looser = merged(ours, theirs)
    assert rules.people.agents.known is in_force
    assert [path for path, _ in looser] == ([("people", "agents", "known")] if refused else [])


def test_a_repository_cannot_make_an_agent_certify():
    agent = Identity("Claude", "noreply@agent.example")
    rules, _ = merged({"people": {"agents": {"emails": [agent.email]}}}, {"people": {"agents": {"emails": []}}})
    message = f"Fix\n\nSigned-off-by: {agent.name} <{agent.email}>"
    facts = Facts(
        rules=rules,
        repository=REPOSITORY,
        pull_request=PullRequest(number=1, opener=Account(7, "ada"), head_sha="a"),
        commit_count=1,
        commits=(Commit(sha="a", message=message, author=agent, committer=agent),),
        now=datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert [problem.code for problem in judge(facts).checks[0].problems] == ["dco/agent-signoff"]


def test_labels_comment_and_changelog_are_the_repositorys_own():
    ours = {"labels": {"signed": "a", "required": "b"}, "comment": {"language": "zh"}, "changelog": {"path": "NEWS"}}
    rules, looser = merged(
        ours, {"labels": {"signed": "c"}, "comment": {"language": "en"}, "changelog": {"require": True}}
    )
    assert looser == ()
    assert (rules.labels.signed, rules.labels.required, rules.comment_language) == ("c", "b", "en")
    assert (rules.changelog.require, rules.changelog.path) == (True, "NEWS")
    rules, _ = merged(ours, {"changelog": {"path": "own", "skip-label": "quiet"}})
    assert (rules.changelog.require, rules.changelog.path, rules.changelog.skip_label) == (False, "own", "quiet")


def test_labels_of_both_files_must_differ():
    _, looser = merged({"labels": {"required": "x"}}, {"labels": {"signed": "X"}})
    assert looser == ((("labels",), "both labels would be the same"),)


def test_the_merged_demand_accepts_nothing_that_the_organisation_refuses():
    accepts = {"none": {0, 1, 2, 3}, "either": {1, 2, 3}, "cla": {1, 3}, "dco": {2, 3}, "both": {3}}
    for ours, theirs in product(accepts, repeat=2):
        rules, _ = merged(require(ours), require(theirs))
        assert accepts[rules.repositories[0].require] <= accepts[ours]


DELIVERED = ["internal", "hosted", "binary", "source"]


@pytest.mark.parametrize(("ours", "theirs"), list(product(DELIVERED, DELIVERED)))
def test_the_wider_delivery_counts_and_a_narrower_one_is_looser(ours, theirs):
    written = {"delivery": theirs}
    (above, _), (below, _) = (effective.policy_of({"licenses": {"delivery": delivery}}) for delivery in (ours, theirs))
    policy, looser = merge_policies(above, below, written)
    assert policy.delivery == max(ours, theirs, key=DELIVERED.index)
    assert bool(looser) is (DELIVERED.index(theirs) < DELIVERED.index(ours))


VERDICTS = ["obligations", "conditional", "review", "unknown-license", "incompatible"]
SUBSETS = [list(some) for size in range(len(VERDICTS) + 1) for some in combinations(VERDICTS, size)]


@pytest.mark.parametrize("ours", [None, [], ["incompatible"], ["review", "incompatible"], VERDICTS], ids=str)
def test_a_repository_may_only_add_verdicts_that_fail(ours):
    above, _ = effective.policy_of({"licenses": {} if ours is None else {"fail_on": ours}})
    for theirs in SUBSETS:
        below, _ = effective.policy_of({"licenses": {"fail_on": theirs}})
        policy, looser = merge_policies(above, below, {"fail_on": theirs})
        assert set(policy.fail_on) == {*above.fail_on, *theirs}
        dropped = [verdict for verdict in above.fail_on if verdict not in theirs]
        assert [path for path, _ in looser] == ([("licenses", "fail_on")] if dropped else [])
        assert all(verdict in said for verdict in dropped for _, said in looser)
    assert merge_policies(above, effective.policy_of({})[0], None) == (above, ())


def test_an_empty_list_of_failing_verdicts_is_shown_with_its_line():
    files = RuleFiles(
        RuleFile("o.yml", "version: 1\n"),
        RuleFile("r.yml", "version: 1\nlicenses:\n  fail_on: []"),
        RuleFile("d", None),
    )
    (error,) = effective.read(files, None, REPOSITORY).values["errors"]
    assert error.startswith(
        "r.yml, line 3: licenses.fail_on: leaves out incompatible, unknown-license, which the organisation's rulebook has"
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "issue", "looser"),
    [
        (True, False, True, [("licenses", "issue")]),
        (False, True, True, []),
        (False, False, False, []),
        (True, None, True, []),
        (False, None, False, []),
    ],
)
def test_a_repository_may_ask_for_the_issue_and_never_refuse_it(ours, theirs, issue, looser):
    written = {} if theirs is None else {"issue": theirs}
    (above, _), (below, _) = (effective.policy_of({"licenses": licenses}) for licenses in ({"issue": ours}, written))
    policy, said = merge_policies(above, below, written)
    assert (policy.issue, [path for path, _ in said]) == (issue, looser)


@pytest.mark.parametrize(("ours", "theirs", "notices"), [(True, False, False), (False, True, True), (True, None, True)])
def test_pull_requests_for_a_notice_are_the_repositorys_own_choice(ours, theirs, notices):
    written = {} if theirs is None else {"notices": theirs}
    (above, _), (below, _) = (effective.policy_of({"licenses": licenses}) for licenses in ({"notices": ours}, written))
    assert merge_policies(above, below, written) == (replace(above, notices=notices), ())


@pytest.mark.parametrize(
    ("above", "below", "stated"), [({}, {}, False), ({}, {"licenses": {}}, True), ({"licenses": {}}, {}, True)]
)
def test_licences_are_audited_when_one_of_two_files_asks_for_it(above, below, stated):
    (ours, _), (theirs, _) = effective.policy_of(above), effective.policy_of(below)
    assert merge_policies(ours, theirs, below.get("licenses"))[0].stated is stated


ALLOW = ["MIT", {"license": "LGPL-2.1-only", "usage": ["dynamic-link", "runtime-import"]}, {"purl": "pkg:pypi/own"}]


@pytest.mark.parametrize(
    ("theirs", "refused"),
    [
        ([], []), (["MIT"], []), ([{"license": "MIT", "usage": ["bundled"]}], []), ([{"license": "MIT", "purl": "pkg:npm/x"}], []),
        ([{"purl": "pkg:pypi/Own@1"}, {"purl": "pkg:pypi/own", "license": "GPL-3.0-only"}], []),
        ([{"license": "LGPL-2.1-only", "usage": ["dynamic-link"]}], []), (["LGPL-2.1-only"], [0]), (["MIT", "Zlib"], [1]),
        ([{"license": "LGPL-2.1-only", "usage": ["dynamic-link", "static-link"]}], [0]), ([{"purl": "pkg:pypi/other"}], [0]),
    ],
)  # fmt: skip
def test_a_repository_allows_only_licences_on_the_organisations_list(theirs, refused):
    (above, _), (below, _) = (effective.policy_of({"licenses": {"allow": entries}}) for entries in (ALLOW, theirs))
    policy, looser = merge_policies(above, below, {"allow": theirs})
    assert [path for path, _ in looser] == [("licenses", "allow", index) for index in refused]
    assert policy.lists == (*above.lists, *below.lists)
    free, _ = effective.policy_of({"licenses": {}})
    assert merge_policies(free, below, {"allow": theirs}) == (replace(free, lists=below.lists), ())


def test_denied_licences_of_both_files_add_up():
    lists = {"deny": ["GPL-3.0-only"], "exceptions": [{"license": "MIT", "reason": "read"}]}
    (above, _), (below, _) = (effective.policy_of({"licenses": licenses}) for licenses in (lists, {"deny": ["MIT"]}))
    policy, looser = merge_policies(above, below, {"deny": ["MIT"]})
    assert (policy.lists, looser) == ((*above.lists, *below.lists), ())
    assert merge_policies(above, above, None)[0].lists[1].exceptions == ()


@pytest.mark.parametrize(
    ("ours", "theirs", "wanted"),
    [(None, "MIT", "MIT"), ("MIT", None, "MIT"), ("MIT", "ISC", "MIT"), (None, None, None)],
)
def test_a_repository_may_ask_for_headers_where_the_organisation_does_not(ours, theirs, wanted):
    written = [{} if spdx is None else {"headers": {"spdx": spdx}} for spdx in (ours, theirs)]
    above, below = (effective.policy_of({"licenses": licenses})[0] for licenses in written)
    policy, looser = merge_policies(above, below, written[1])
    assert (policy.headers and policy.headers.spdx) == wanted
    assert [path for path, _ in looser] == ([("licenses", "headers")] if ours and theirs else [])


@pytest.mark.parametrize("key", ["waivers", "repositories", "dependencies", "exceptions"])
def test_a_key_of_the_organisation_alone_is_refused_even_when_empty(key):
    (above, _), (below, _) = effective.policy_of({"licenses": {}}), effective.policy_of({"licenses": {}})
    policy, looser = merge_policies(above, below, {key: {} if key == "repositories" else []})
    assert policy == above
    assert looser == ((("licenses", key), "only the organisation's rulebook may set this"),)


def test_the_licence_parts_of_two_files_are_merged_with_the_rules():
    files = RuleFiles(
        RuleFile("o.yml", "version: 1\nlicenses: {delivery: hosted}"),
        RuleFile("r.yml", "version: 1\nlicenses: {delivery: binary}"),
        RuleFile("d", None),
    )
    assert effective.read(files, None, REPOSITORY).policy.delivery == "binary"
    loose = RuleFiles(files.organization, RuleFile("r.yml", "version: 1\nlicenses:\n  waivers: []"), files.dco)
    assert effective.read(loose, None, REPOSITORY).values["errors"] == (
        "r.yml, line 3: licenses.waivers: only the organisation's rulebook may set this",
    )
