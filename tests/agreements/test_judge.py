"""The whole verdict: its checks, their sum, and no pass in doubt."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreements.facts import Check, Company, Conclusion, Entry, Facts, PullRequest, Signature
from agreements.json.facts_reader import read
from agreements.judge import coauthors_matter, judge, merged_matters, next_change, reverts_matter, small_matters
from agreements.rulebook.rules import AcceptedVersions, RepositoryRule, Rules
from agreements.rulebook.rules_reader import parse

SIGNED = [{"agreement": "icla", "version": "2.0", "account": {"id": 11}, "signed_at": "2026-01-01T00:00:00Z"}]


def require(word, **more):
    return {"repositories": [{"match": ["*"], "require": word}], **more}


@pytest.mark.parametrize(("word", "message", "signatures", "expected"), [
    ("dco", None, [], ("success", {"DCO": "success"})), ("dco", "Add", [], ("failure", {"DCO": "failure"})),
    ("cla", "Add", SIGNED, ("success", {"CLA": "success"})), ("cla", None, [], ("failure", {"CLA": "failure"})),
    ("both", None, SIGNED, ("success", {"CLA": "success", "DCO": "success"})), ("both", None, [], ("failure", {"CLA": "failure", "DCO": "success"})),
    ("both", "Add", SIGNED, ("failure", {"CLA": "success", "DCO": "failure"})),
    ("either", None, [], ("success", {"CLA": "neutral", "DCO": "success"})), ("either", "Add", SIGNED, ("success", {"CLA": "success", "DCO": "neutral"})),
    ("either", None, SIGNED, ("success", {"CLA": "success", "DCO": "success"})), ("either", "Add", [], ("failure", {"CLA": "failure", "DCO": "failure"})),
    ("none", "Add", [], ("neutral", {})),
])  # fmt: skip
def test_the_rule_names_the_checks_and_either_takes_the_better(commit, verdict, word, message, signatures, expected):
    work = commit() if message is None else commit(message=message)
    found = verdict(work, rulebook=require(word), signatures=signatures)
    assert (found.conclusion.value, {check.name: check.conclusion.value for check in found.checks}) == expected
    assert all(not check.problems for check in found.checks if check.conclusion.passes)


@pytest.mark.parametrize(("changes", "code"), [
    ({"commit_count": None}, "facts/incomplete"), ({"commit_count": 2}, "facts/incomplete"), ({"commit_count": 0}, "facts/incomplete"),
    ({"commits": []}, "facts/incomplete"), ({"commits": [], "commit_count": 0}, "facts/empty"), ({"commits": [], "commit_count": None}, "facts/incomplete"),
])  # fmt: skip
@pytest.mark.parametrize("word", ["cla", "dco", "both", "either"])
@pytest.mark.parametrize("matching", ["evidence", "exact"])
def test_missing_commits_never_pass(verdict, changes, code, word, matching):
    found = verdict(rulebook=require(word, dco={"matching": matching}), signatures=SIGNED, **changes)
    assert found.conclusion == Conclusion.ACTION_REQUIRED
    assert {problem.code for check in found.checks for problem in check.problems} == {code}
    assert {check.name: check.commits for check in found.checks} in (
        {"CLA": None},
        {"DCO": ()},
        {"CLA": None, "DCO": ()},
    )


@pytest.mark.parametrize(("changes", "reported", "why"), [
    ({"commit_count": None}, None, "their number is not known"), ({"commit_count": 2}, 2, "their number differs from what GitHub reports"),
    ({"pull_request": {"number": 7, "opener": None, "head_sha": "c" * 40}}, 1, "the head commit is not among them"),
])  # fmt: skip
def test_a_doubt_names_the_numbers_of_commits_and_their_meaning(verdict, changes, reported, why):
    (problem,) = verdict(**changes).checks[0].problems
    assert (problem.code, problem.values) == ("facts/incomplete", {"have": 1, "reported": reported, "why": why})


@pytest.mark.parametrize(("word", "message", "expected"), [
    ("cla", None, ("action_required", {"CLA": "action_required"})), ("dco", None, ("success", {"DCO": "success"})),
    ("both", None, ("action_required", {"CLA": "action_required", "DCO": "success"})), ("both", "Add", ("failure", {"CLA": "action_required", "DCO": "failure"})),
    ("either", None, ("success", {"CLA": "neutral", "DCO": "success"})), ("either", "Add", ("action_required", {"CLA": "action_required", "DCO": "failure"})),
])  # fmt: skip
def test_another_cla_check_stands_in_where_accounts_are_unknown(commit, case, word, message, expected):
    unknown = Check(name="CLA", conclusion=Conclusion.ACTION_REQUIRED)
    work = commit() if message is None else commit(message=message)
    found = judge(read(case(work, rulebook=require(word)), parse), lambda _facts: unknown)
    assert (found.conclusion.value, {check.name: check.conclusion.value for check in found.checks}) == expected


def test_repeated_commits_are_counted_once(commit, verdict):
    """A page that was read twice does not complete the list."""
    assert not verdict(commit(), commit(), commit_count=2).conclusion.passes
    found = verdict(commit(), commit(), commit_count=1, rulebook=require("dco")).checks[0]
    assert found.conclusion.passes
    assert [(status.sha, status.status) for status in found.commits] == [("a" * 40, "pass")]


def test_commits_of_one_sha_that_differ_are_all_judged(commit, verdict):
    """A SHA has one content: of two that are given none is known to be the right one."""
    assert not verdict(commit(message="Add"), commit(), commit_count=1, rulebook=require("dco")).conclusion.passes


def test_commits_without_the_head_never_pass(case, verdict):
    assert not verdict(pull_request={**case()["pull_request"], "head_sha": "c" * 40}).conclusion.passes


@pytest.mark.parametrize(("created", "early"), [
    ("2026-10-31T23:59:59Z", True), ("2026-11-01T00:00:00Z", False), ("2026-11-01T00:00:00+08:00", True), (None, False),
])  # fmt: skip
def test_a_pull_request_opened_before_the_rules_is_not_judged_and_says_so(commit, case, verdict, created, early):
    book = require("both", since="2026-11-01", changelog={"require": True})
    request = {**case()["pull_request"], "created_at": created}
    found = verdict(commit(message="Add"), rulebook=book, pull_request=request, commit_count=None if early else 1)
    assert [check.name for check in found.checks] == ["CLA", "DCO", "Changelog"]
    assert (found.conclusion == Conclusion.NEUTRAL) is early
    since = ("rules/before-since", {"since": "2026-11-01T00:00:00Z"})
    notes = [(note.code, note.values) for check in found.checks for note in check.notes if note.code == since[0]]
    assert notes == ([since] * 3 if early else [])
    assert not early or {check.conclusion for check in found.checks} == {Conclusion.NEUTRAL}


@pytest.mark.parametrize(("files", "labels", "passes"), [
    (["CHANGELOG.md"], [], True), (["src/a.py"], [], False), ([], [], False), ([], ["no-changelog"], True), (["docs/CHANGELOG.md"], [], False),
    (["changelog.md"], [], False), (["CHANGELOG.md/x"], [], False), ([], ["No-Changelog"], True), ([], ["no-changelog-yet"], False),
])  # fmt: skip
@pytest.mark.parametrize("word", ["dco", "either"])
def test_a_changelog_needs_its_file_or_its_label(case, verdict, files, labels, passes, word):
    request = {**case()["pull_request"], "files": files, "labels": labels}
    found = verdict(rulebook=require(word, changelog={"require": True}), pull_request=request)
    assert found.conclusion.passes is passes
    assert found.checks[-1].name == "Changelog"
    missing = [("changelog/missing", {"path": "CHANGELOG.md"})]
    assert [(problem.code, problem.values) for problem in found.checks[-1].problems] == ([] if passes else missing)


@pytest.mark.parametrize(("files", "labels", "expected"), [
    (["CHANGELOG.md"], [], "success"), (["a.py"], ["no-changelog"], "success"), (["a.py"], [], "action_required"), ([], [], "action_required"),
])  # fmt: skip
@pytest.mark.parametrize("complete", [False, None])
def test_a_changelog_that_may_be_among_unlisted_files_never_passes(case, verdict, files, labels, expected, complete):
    request = {**case()["pull_request"], "files": files, "labels": labels, "files_complete": complete}
    found = verdict(rulebook=require("dco", changelog={"require": True}), pull_request=request).checks[-1]
    assert (found.name, found.conclusion.value) == ("Changelog", expected)
    doubt = [("facts/incomplete", {"of": "files"})]
    assert [(problem.code, problem.values) for problem in found.problems] == ([] if expected == "success" else doubt)


def test_a_missing_changelog_outweighs_a_doubt(case, verdict):
    found = verdict(rulebook=require("either", changelog={"require": True}), commit_count=None)
    assert [check.conclusion.value for check in found.checks] == ["action_required", "action_required", "failure"]
    assert found.conclusion == Conclusion.FAILURE


ACCOUNTS = st.sampled_from(
    [
        None,
        {},
        {"id": 11, "login": "ada"},
        {"id": 12, "login": "bo"},
        {"id": 66, "login": "eve"},
        {"id": 99, "login": "helper[bot]", "type": "Bot"},
    ]
)
EMAILS = st.sampled_from(["ada@huawei.com", "a@x.huawei.com", "11+ada@users.noreply.github.com", "99+helper[bot]@users.noreply.github.com",
                          "noreply@github.com", "bot@agent.example", "eve@x.org", "", "@@", "a@huawei.com.evil.org"])  # fmt: skip
IDENTITIES = st.none() | st.fixed_dictionaries(
    {"name": st.sampled_from(["Ada", "ada", "Eve", "helper[bot]", ""]), "email": EMAILS}
)
MESSAGES = st.sampled_from(["", "Signed-off-by: Ada <ada@huawei.com>", "Co-authored-by: Ada <ada@huawei.com>", "Signed-off-by: Eve <eve@x.org>",
                            f"I, Eve <eve@x.org>, hereby add my Signed-off-by to this commit: {'1' * 40}", "Merge"])  # fmt: skip
COMMITS = st.fixed_dictionaries({
    "message": st.lists(MESSAGES, max_size=3).map("\n".join), "parents": st.lists(st.just("0"), max_size=3), "verified": st.sampled_from([None, True, False]),
    "author": IDENTITIES, "committer": IDENTITIES, "author_account": ACCOUNTS, "committer_account": ACCOUNTS,
    "coauthors": st.none() | st.lists(st.fixed_dictionaries({"name": st.just("X"), "email": EMAILS, "account": ACCOUNTS}), max_size=2),
})  # fmt: skip
BOOK = {
    "repositories": [{"match": ["*"], "require": "cla"}],
    "people": {"exempt": [{"id": 99}], "members": "exempt", "agents": {"emails": ["bot@agent.example"]}, "override": "maintainers"},
    "dco": {"members": "exempt", "remediation": {"individual": True, "third_party": True}},
}  # fmt: skip


def hostile(commits, opener, senders):
    shaped = [{**commit, "sha": str(place + 1) * 40} for place, commit in enumerate(commits)]
    return {
        "rulebook": BOOK,
        "repository": {"full_name": "o/r"},
        "pull_request": {"number": 1, "opener": opener, "head_sha": shaped[-1]["sha"], "labels": [], "base": "main"},
        "commit_count": len(shaped),
        "commits": shaped,
        "senders": senders,
        "members": [12],
        "signatures": [*SIGNED, {**SIGNED[0], "account": {"id": 66}, "version": "1.0"}],
        "companies": [
            {
                "name": "H",
                "agreement": "ccla",
                "version": "2.0",
                "signed_at": "2026-01-01T00:00:00Z",
                "covers": [{"domain": "huawei.com"}, {"email": ""}, {}],
            }
        ],
        "emails": {"11": ["ada@huawei.com"]},
        "overrides": [
            {
                "kind": "cla",
                "account": {"id": 66},
                "head_sha": shaped[-1]["sha"],
                "by": {"id": 66, "login": "eve"},
                "reason": "me",
            }
        ],
        "now": "2026-11-21T00:00:00Z",
    }


EVE = {"id": 66, "login": "eve", "type": "User"}
CLEAN = st.lists(COMMITS, min_size=1, max_size=3)


def not_linked(commits):
    """GitHub would link none of the company's addresses to Eve's account."""
    pairs = [(commit["author_account"], commit["author"]) for commit in commits]
    pairs += [(two["account"], two) for commit in commits for two in commit["coauthors"] or []]
    return not any(
        account == {"id": 66, "login": "eve"} and who and "huawei.com" in who["email"] for account, who in pairs
    )


@settings(max_examples=300, deadline=None)
@given(CLEAN.filter(not_linked), st.booleans())
def test_an_uncovered_actor_never_passes_under_any_git_metadata(commits, opened):
    ada = {"id": 11, "login": "ada", "type": "User"}
    facts = hostile(commits, EVE if opened else ada, [] if opened else [{**EVE, "may_write": False}])
    found = judge(read(facts))
    assert found.conclusion == Conclusion.FAILURE
    assert 66 in [problem.account.id for problem in found.checks[0].problems if problem.account is not None]


def unsigned(commits):
    return not any("igned-off" in commit["message"] or len(commit["parents"]) > 1 for commit in commits)


@settings(max_examples=200, deadline=None)
@given(CLEAN.filter(unsigned))
def test_a_commit_without_a_sign_off_never_passes_under_evidence(commits):
    facts = hostile(commits, EVE, [])
    facts["rulebook"] = {**BOOK, "repositories": []}
    facts["members"] = []
    found = judge(read(facts))
    assert [commit.status for commit in found.checks[0].commits] == ["fail"] * len(commits)


@settings(max_examples=150, deadline=None)
@given(CLEAN, st.sampled_from(["cla", "dco", "both", "either"]), st.sampled_from(["exact", "evidence"]))
def test_every_readable_pull_request_has_a_verdict_without_open_addresses(commits, word, matching):
    facts = hostile(commits, EVE, [])
    facts["rulebook"] = {**BOOK, "repositories": [{"match": ["*"], "require": word}], "dco": {"matching": matching}}
    found = judge(read(facts))
    assert all(len(check.commits) == len(commits) for check in found.checks if check.commits is not None)
    assert "ada@huawei.com" not in str(
        [(problem.values) for check in found.checks for problem in (*check.problems, *check.notes)]
    )


def test_ten_thousand_commits_are_judged_in_about_a_second(commit, case):
    import time

    many = [{**commit(), "sha": f"{number:040}"} for number in range(10_000)]
    facts = read(
        {
            **case(),
            "commits": many,
            "commit_count": len(many),
            "pull_request": {**case()["pull_request"], "head_sha": many[-1]["sha"]},
            "rulebook": require("both"),
        }
    )
    began = time.process_time()
    judge(facts)
    assert time.process_time() - began < 5


NOW = datetime(2026, 11, 21, tzinfo=UTC)
BEFORE, NEXT, LATER = (
    datetime(2026, 11, 20, tzinfo=UTC),
    datetime(2026, 11, 22, tzinfo=UTC),
    datetime(2027, 1, 1, tzinfo=UTC),
)
CLA = (RepositoryRule(("*",), "cla"),)
FACTS = Facts(
    rules=Rules(repositories=CLA),
    repository="cann/ops",
    pull_request=PullRequest(number=1, opener=None, head_sha="a" * 40),
    commit_count=0,
    commits=(),
    now=NOW,
)
FIRM = Company(name="Huawei", agreement="ccla", version="2.0", signed_at=BEFORE)
OWN = Signature(agreement="icla", version="2.0", account_id=11, signed_at=BEFORE)


@pytest.mark.parametrize(
    ("changes", "proofs_until", "expected"),
    [
        ({}, None, None),
        ({}, NEXT, NEXT),
        ({}, BEFORE, None),
        ({}, NOW, None),
        ({"rules": Rules(repositories=CLA, accept={"icla": (AcceptedVersions(">=2.0"), AcceptedVersions("1.x", LATER), AcceptedVersions("0.9", NEXT))})}, None, NEXT),
        ({"rules": Rules(repositories=CLA, accept={"icla": (AcceptedVersions("1.x", BEFORE),), "ccla": (AcceptedVersions("1.x", LATER),)})}, None, LATER),
        ({"rules": Rules(), "companies": (replace(FIRM, ended_at=NEXT),)}, LATER, LATER),
        ({"signatures": (OWN,)}, None, None),
        ({"signatures": (replace(OWN, withdrawn_at=NEXT),)}, LATER, NEXT),
        ({"companies": (replace(FIRM, ended_at=NEXT),)}, None, NEXT),
        ({"companies": (replace(FIRM, signed_at=NEXT),)}, None, NEXT),
        ({"companies": (replace(FIRM, covers=(Entry(account_id=11, since=BEFORE, until=NEXT),)),)}, None, NEXT),
        ({"companies": (replace(FIRM, covers=(Entry(account_id=11, since=LATER),)),)}, None, LATER),
        ({"companies": (replace(FIRM, excludes=(Entry(account_id=11, since=NEXT),)),)}, None, NEXT),
    ],
)  # fmt: skip
def test_the_next_moment_is_the_first_begin_or_end_after_now(changes, proofs_until, expected):
    assert next_change(replace(FACTS, **changes), proofs_until) == expected


FAILING, MERGE = (
    {"message": "Add", "sha": "b" * 40},
    {"message": "Merge", "sha": "c" * 40, "parents": ["a" * 40, "b" * 40]},
)


@pytest.mark.parametrize(("commits", "changes", "expected"), [
    ([{}, FAILING], {}, "b"), ([{}, FAILING, MERGE], {}, "bc"), ([{}, MERGE], {}, ""), ([{}], {}, ""),
    ([{}, {**FAILING, "merged": False}], {}, ""), ([{}, {**FAILING, "merged": True}], {}, ""),
    ([{}, FAILING], {"commit_count": 3}, ""), ([{}, FAILING], {"rulebook": {"dco": {"merged": "exempt", "matching": "exact"}}}, ""),
    ([{}, FAILING], {"rulebook": {}}, ""), ([{}, FAILING], {"rulebook": require("cla", dco={"merged": "exempt"})}, ""),
    ([{}, FAILING], {"rulebook": require("either", dco={"merged": "exempt"}), "signatures": SIGNED}, ""),
    ([{}, FAILING], {"rulebook": require("both", dco={"merged": "exempt"})}, "b"),
])  # fmt: skip
def test_it_matters_what_protected_branches_hold_only_where_a_commit_fails(commit, case, commits, changes, expected):
    facts = read(case(*(commit(**data) for data in commits), **{"rulebook": {"dco": {"merged": "exempt"}}, **changes}))
    assert merged_matters(facts) == {letter * 40 for letter in expected}


@pytest.mark.parametrize(("people", "records", "expected"), [
    ({}, [], ""), ({"check": ["opener", "authors", "coauthors"]}, [], "CLA"), ({"agents": {"policy": "block"}}, [], "CLA DCO"),
    ({"agents": {"policy": "ignore"}}, [], ""), ({}, [{"kind": "dco", "account": None, "head_sha": "a" * 40, "by": {"id": 1}, "reason": "x"}], "DCO"),
])  # fmt: skip
def test_coauthors_matter_where_a_rule_or_a_record_is_about_them(case, people, records, expected):
    facts = read(case(rulebook={"people": {"check": ["opener", "authors"], **people}}, overrides=records))
    assert coauthors_matter(facts.rules, facts.overrides) == set(expected.split())


@pytest.mark.parametrize(("small", "request_", "signatures", "asked"), [
    ({"lines": 15}, {}, [], (11,)), ({"lines": 15}, {"changed_files": 15}, [], (11,)), ({"lines": 15}, {"changed_files": 16}, [], ()),
    ({"lines": 15}, {"changes": []}, [], ()), ({"lines": 15}, {}, SIGNED, ()), (None, {}, [], ()),
])  # fmt: skip
def test_lines_are_counted_only_for_people_who_may_pass_by_a_small_change(case, small, request_, signatures, asked):
    limits = {"small": {"paths": ["*.md"], "total": 40, **small}} if small else {}
    rulebook = {"repositories": [{"match": ["*"], "require": "both", **limits}]}
    facts = case(rulebook=rulebook, signatures=signatures, pull_request={**case()["pull_request"], **request_})
    assert tuple(matter.id for matter in small_matters(read(facts))) == asked


@pytest.mark.parametrize(("change", "rulebook", "asked"), [
    ({}, {}, True), ({"reverts": False}, {}, False), ({"reverts": True}, {}, False), ({"merged": True}, {"merged": "exempt"}, False),
    ({"parents": ["0" * 40, "1" * 40]}, {}, False), ({"message": "Revert x"}, {}, False), ({}, {"reverts": "required"}, False),
    ({}, {"matching": "exact"}, False), ({"message": f"This reverts commit {'d' * 40}.\n\nSigned-off-by: Ada <ada@huawei.com>"}, {}, False),
])  # fmt: skip
def test_a_revert_is_looked_at_only_where_it_would_fail_and_names_a_commit(commit, case, change, rulebook, asked):
    revert = commit(**{"message": f"Revert x\n\nThis reverts commit {'d' * 40}.", "parents": ["0" * 40], **change})
    facts = read(case(revert, rulebook={"dco": {"reverts": "exempt", **rulebook}}))
    assert reverts_matter(facts) == ({revert["sha"]: "d" * 40} if asked else {})
