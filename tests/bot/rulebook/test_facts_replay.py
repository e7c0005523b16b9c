"""The same facts under other rules: what changes and for whom, and nothing is guessed where GitHub was not asked."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agreements.facts import (
    Account,
    Coauthor,
    Commit,
    Facts,
    FileDiff,
    Identity,
    Override,
    PullRequest,
    Sender,
    Signature,
)
from agreements.github_server import GITHUB_COM, github_server
from bot.github.ports import RuleFile, RuleFiles
from bot.rulebook import effective
from bot.rulebook.facts_replay import ProposedRules, known_facts, known_rules, replay
from bot.rulebook.recorded_facts import CannotReplay, asked, pack, unpack

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ADA, BO = Account(11, "ada"), Account(12, "bo")
SIGNED = (Signature(agreement="icla", version="2.0", account_id=11, signed_at=datetime(2026, 1, 1, tzinfo=UTC)),)
HEAD = "a" * 40


def rules(require="cla", more=""):
    """A rulebook."""
    return f'version: 1\nrepositories: [{{match: ["*"], require: {require}}}]\n{more}'


def commit(**changes):
    """Ada's, signed off."""
    ada = Identity("Ada", "ada@huawei.com")
    given = {
        "sha": HEAD, "message": "Fix\n\nSigned-off-by: Ada <ada@huawei.com>\n", "parents": ("0",), "verified": True,
        "author": ada, "committer": ada, "author_account": ADA, "committer_account": ADA,
    }  # fmt: skip
    return Commit(**{**given, **changes})


def judged(organization, *, own=None, dco=None, commits=None, opener=ADA, name="ops", **changes):
    """A record of a pull request as it was judged under these files."""
    files = RuleFiles(RuleFile("o.yml", organization), RuleFile("r.yml", own), RuleFile("d.yml", dco))
    commits = commits or (commit(),)
    about = {
        key: changes.pop(key) for key in ("labels", "files", "created_at", "changes", "changed_files") if key in changes
    }
    facts = Facts(
        rules=effective.read(files, None, f"cann/{name}").rules,
        repository=f"cann/{name}",
        pull_request=PullRequest(number=7, opener=opener, head_sha=commits[-1].sha, **about),
        commit_count=len(commits),
        commits=commits,
        **{"now": NOW, "signatures": SIGNED, **changes},
    )
    return unpack(pack(facts, files), GITHUB_COM)


def above(text):
    """The organisation's file changed to that."""
    return ProposedRules(RuleFile("new.yml", text))


def short(outcome):
    """The outcome in few words: ends, new and gone codes."""
    new, gone = (
        [f"{finding.check} {finding.problem.code}" for finding in some] for some in (outcome.new, outcome.gone)
    )
    return outcome.before, outcome.after, new, gone


def test_the_same_rules_in_other_words_change_nothing():
    outcome = replay(judged(rules("both")), above(rules("both", "labels: {signed: fine}\n")))
    assert short(outcome) == ("success", "success", [], [])
    assert not outcome.changes


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("dco", "both", ("success", "failure", ["CLA cla/unsigned"], [])),
        ("both", "dco", ("failure", "success", [], ["CLA cla/unsigned"])),
        ("cla", "none", ("failure", "neutral", [], ["CLA cla/unsigned"])),
        ("cla", "either", ("failure", "success", [], ["CLA cla/unsigned"])),
    ],
)
def test_only_people_whose_result_changes_are_named(before, after, expected):
    recorded = judged(rules(before), commits=(commit(coauthors=(Coauthor("Bo", "bo@x.org", BO),)),))
    outcome = replay(recorded, above(rules(after)))
    assert short(outcome) == expected
    assert {problem.problem.account for problem in (*outcome.new, *outcome.gone)} == {BO}
    assert outcome.changes


def test_the_same_result_for_other_reasons_names_the_new_problem():
    recorded = judged(rules(), commits=(commit(coauthors=(Coauthor("Bo", "bo@x.org", BO),)),))
    outcome = replay(
        recorded, above(rules("both", "people: {check: [opener, authors]}\nagreements: {accept: {icla: []}}\n"))
    )
    assert short(outcome) == ("failure", "failure", ["CLA cla/outdated"], ["CLA cla/unsigned"])
    assert outcome.changes


def test_one_of_two_equal_findings_may_disappear():
    strangers = (Coauthor("X", "x@x.org"), Coauthor("Y", "y@y.org"))
    recorded = judged(rules(), commits=(commit(coauthors=strangers),))
    outcome = replay(recorded, above(rules(more="people: {agents: {emails: [y@y.org]}}\n")))
    assert short(outcome) == ("failure", "failure", [], ["CLA cla/unlinked-email"])


def test_a_replay_uses_the_stored_moment():
    grace = 'agreements: {accept: {icla: [{versions: ">=3.0"}, {versions: "2.0", until: 2026-12-01}]}}\n'
    assert short(replay(judged(rules()), above(rules(more=grace)))) == ("success", "success", [], [])
    late = judged(rules(), now=datetime(2026, 12, 1, tzinfo=UTC))
    assert short(replay(late, above(rules(more=grace)))) == ("success", "failure", ["CLA cla/outdated"], [])


def test_the_repositorys_own_file_is_merged_with_the_changed_file():
    own = "version: 1\npeople: {override: admins}\n"
    recorded = judged(rules(more="people: {override: maintainers}\n"), own=own)
    same = replay(recorded, above(rules(more="people: {override: admins}\n")))
    looser = replay(recorded, above(rules(more="people: {override: nobody}\n")))
    assert not same.changes
    assert short(looser) == ("success", "action_required", ["Rulebook rulebook/invalid"], [])
    assert "r.yml, line 2" in looser.new[0].problem.values["errors"][0]


def test_a_change_of_the_repositorys_own_file_is_replayed():
    recorded = judged(rules("dco"), signatures=())
    own = RuleFile("own.yml", rules("cla"))
    assert short(replay(recorded, ProposedRules(own=own))) == ("success", "failure", ["CLA cla/unsigned"], [])
    both = ProposedRules(RuleFile("new.yml", rules("none")), own)
    assert replay(recorded, both).after == "failure"


def test_a_dco_file_gives_way_to_a_rulebook():
    recorded = judged(None, dco="require: {members: true}\n", signatures=())
    assert short(replay(recorded, above(rules("cla")))) == ("success", "failure", ["CLA cla/unsigned"], [])


def test_a_given_rulebook_replaces_a_rulebook_that_was_out_of_reach():
    recorded = judged(rules())
    recorded = replace(recorded, files=replace(recorded.files, organization=None))
    assert short(replay(recorded, above(rules()))) == (
        "action_required", "success", [], ["Rulebook rulebook/unreachable"],
    )  # fmt: skip


CHANGELOG = "changelog: {require: true}\n"
EXEMPT = "people: {members: exempt}\n"


@pytest.mark.parametrize(
    ("more", "changes", "known"),
    [
        (CHANGELOG, {}, None),
        (CHANGELOG, {"labels": ("No-Changelog",)}, "success"),
        (CHANGELOG + "since: 2026-11-02\n", {"created_at": datetime(2026, 11, 1, tzinfo=UTC)}, "neutral"),
        (EXEMPT, {}, "success"),
        (EXEMPT, {"signatures": ()}, None),
        (EXEMPT, {"opener": Account(5, "x[bot]", "Bot")}, "failure"),
        (EXEMPT, {"senders": (Sender(BO),)}, None),
        (EXEMPT, {"commits": (commit(author_account=None, author=Identity("B", "12+bo@users.noreply.github.com")),)}, None),
        (EXEMPT, {"commits": (commit(author_account=None, author=Identity("B", "bo@x.org")),), "emails": {12: ("bo@x.org",)}}, None),
        (EXEMPT + CHANGELOG, {"signatures": ()}, None),
    ],
)  # fmt: skip
def test_files_and_members_that_were_not_asked_are_not_guessed(more, changes, known):
    recorded = judged(rules(), **changes)
    assert recorded.asked == frozenset()
    if known is None:
        with pytest.raises(CannotReplay, match=r"^cannot be known from the stored facts: "):
            replay(recorded, above(rules(more=more)))
    else:
        assert replay(recorded, above(rules(more=more))).after == known


SMALL = 'version: 1\nrepositories: [{match: ["*"], require: both, small: {lines: 9, paths: ["[a].md"]}}]\n'


def test_whether_a_change_is_small_is_not_guessed_from_facts_that_do_not_say():
    recorded = judged(rules("both"), signatures=())
    with pytest.raises(CannotReplay, match=r"^cannot be known from the stored facts: which lines it changes$"):
        replay(recorded, above(SMALL))
    assert replay(judged(rules("both")), above(SMALL)).after == "success"
    assert replay(judged(rules("both"), signatures=(), changed_files=10), above(SMALL)).after == "failure"


def test_a_small_change_stays_one_by_its_recorded_lines():
    changes = (FileDiff(path="a.md", additions=3, text=True),)
    assert short(replay(judged(SMALL, signatures=(), changes=changes, small_lines={11: 0}), above(rules()))) == (
        "success", "failure", ["CLA cla/unsigned"], [],
    )  # fmt: skip
    assert replay(judged(SMALL, signatures=(), changes=changes, small_lines={11: 98}), above(SMALL)).after == "failure"


def test_lines_that_people_have_elsewhere_are_not_guessed_where_they_were_not_counted():
    changes, less = (FileDiff(path="a.md", additions=3, text=True),), SMALL.replace("lines: 9", "lines: 2")
    recorded = judged(less, signatures=(), changes=changes)
    with pytest.raises(CannotReplay, match=r": how many lines its people have in other small changes$"):
        replay(recorded, above(SMALL))
    quiet = SMALL.replace("require: both", "require: both, mode: shadow")
    with pytest.raises(CannotReplay):  # Also in quiet mode: what shadow shows is what enforcing would do.
        replay(recorded, above(quiet))
    assert replay(judged(quiet, signatures=(), changes=changes), above(quiet)).after == "success"  # None are counted.
    # GitHub names one more person whom nothing covers under the other rules.
    two = judged(
        SMALL,
        signatures=SIGNED,
        changes=changes,
        commits=(commit(coauthors=(Coauthor("Bo", "b@x", BO),)),),
        small_lines={12: 0},
    )
    with pytest.raises(CannotReplay):
        replay(two, above(SMALL + 'agreements: {individual: {text: icla, version: "3.0"}}\n'))
    assert replay(two, above(SMALL.replace("lines: 9", "lines: 8"))).after == "success"


def test_a_certain_failure_is_told_beside_an_unknown_problem():
    recorded = judged(rules(), commits=(commit(coauthors=(Coauthor("Bo", "bo@x.org", BO),)),))
    outcome = replay(recorded, above(rules("both", CHANGELOG)))
    assert short(outcome) == ("failure", "failure", [], [])
    assert outcome.unknown == "which files it touches"
    assert not outcome.changes


def test_a_possible_member_is_unknown_and_a_bot_is_not():
    """A bot cannot be a member of an organisation."""
    robot = Account(5, "x[bot]", "Bot")
    recorded = judged(rules("dco"), signatures=(), opener=robot)
    outcome = replay(recorded, above(rules(more=EXEMPT)))
    assert short(outcome) == ("success", "failure", ["CLA cla/bot-not-listed"], [])
    assert outcome.unknown == "who is a member of the organisation"


def test_a_change_of_mode_is_named_and_changes_no_verdict():
    shadow = rules().replace("require", "mode: shadow, require")
    assert replay(judged(rules()), above(shadow)).mode == ("enforce", "shadow")
    assert replay(judged(rules()), above(shadow)).changes
    assert replay(judged(shadow), above(shadow)).mode is None
    assert replay(judged(rules(more="people: {override: maintainers}\n"), own="version: 1\npeople: {override: admins}\n"),
                  above(shadow)).mode is None  # fmt: skip


def test_an_exemption_of_members_from_the_dco_is_unknown_without_their_names():
    bare = judged(rules("dco"), commits=(commit(message="Fix"),))
    with pytest.raises(CannotReplay, match=r"who is a member of the organisation$"):
        replay(bare, above(rules("dco", "dco: {members: exempt}\n")))
    signed = judged(rules("dco"))
    assert not replay(signed, above(rules("dco", "dco: {members: exempt}\n"))).changes


@pytest.mark.parametrize(("owner_id", "codes"), [(11, []), (12, ["CLA cla/unsigned"])])
def test_the_only_member_of_a_user_is_the_owner(owner_id, codes):
    recorded = judged(rules("dco"), signatures=(), owner_type="User", owner_id=owner_id)
    assert short(replay(recorded, above(rules(more=EXEMPT))))[2] == codes
    old = judged(rules("dco"), signatures=(), owner_type="User")
    with pytest.raises(CannotReplay, match=r"who is a member of the organisation$"):
        replay(old, above(rules(more=EXEMPT)))


def test_bots_under_exact_matching_are_unknown_from_facts_under_evidence():
    exact = above(rules("dco", "dco: {matching: exact}\n"))
    for address in ("5+x[bot]@users.noreply.github.com", "x[bot]@users.noreply.github.com"):
        bare = commit(message="Fix", author_account=None, author=Identity("x[bot]", address))
        for opener in (ADA, Account(5, "x[bot]", "Bot")):
            with pytest.raises(CannotReplay, match=r"which authors are bots$"):
                replay(judged(rules("dco"), commits=(bare,), opener=opener), exact)
    assert not replay(judged(rules("dco")), exact).changes


def test_merged_commits_are_unknown_where_the_rules_of_then_did_not_ask_for_them():
    proposed = above(rules("dco", "dco: {merged: exempt}\n"))
    bare = commit(message="Fix")
    with pytest.raises(CannotReplay, match=r"which commits a protected branch holds$"):
        replay(judged(rules("dco"), commits=(bare,)), proposed)
    assert not replay(judged(rules("dco")), proposed).changes
    for known, before in ((True, "success"), (False, "failure")):
        recorded = judged(rules("dco", "dco: {merged: exempt}\n"), commits=(replace(bare, merged=known),))
        assert known_facts(recorded).commits[0].merged is known
        assert not replay(recorded, proposed).changes
        assert short(replay(recorded, above(rules("dco"))))[:2] == (before, "failure")


def test_clean_reverts_are_unknown_where_the_rules_of_then_did_not_ask_for_them():
    proposed = above(rules("dco", "dco: {reverts: exempt, merged: exempt}\n"))
    bare = commit(message=f"Revert\n\nThis reverts commit {'d' * 40}.", parents=("0" * 40,))
    both = "which commits a protected branch holds and which commits are clean reverts"
    with pytest.raises(CannotReplay, match=rf"{both}$"):
        replay(judged(rules("dco"), commits=(bare,)), proposed)
    with pytest.raises(CannotReplay, match=r": which commits are clean reverts$"):
        replay(judged(rules("dco"), commits=(replace(bare, merged=False),)), proposed)
    assert not replay(
        judged(rules("dco", "dco: {reverts: exempt}\n"), commits=(replace(bare, reverts=True),)), proposed
    ).changes


def test_files_and_members_that_were_asked_are_used():
    recorded = judged(rules(more=CHANGELOG + EXEMPT), files=("docs/news.md",), members=frozenset({12}))
    assert recorded.asked == {"files", "members"}
    outcome = replay(recorded, above(rules(more="changelog: {require: true, path: docs/news.md}\n" + EXEMPT)))
    assert short(outcome) == ("failure", "success", [], ["Changelog changelog/missing"])


def test_an_override_stands_only_where_the_rules_allow_overrides():
    by = Override(kind="cla", account_id=11, head_sha=HEAD, by=Account(1, "max"))
    recorded = judged(rules(more="people: {override: admins}\n"), signatures=(), overrides=(by,))
    assert short(replay(recorded, above(rules()))) == ("success", "failure", ["CLA cla/unsigned"], [])


def test_facts_that_this_version_cannot_read_are_an_error_of_the_replay():
    recorded = judged(rules())
    broken = replace(recorded, facts={**recorded.facts, "now": "yesterday"})
    with pytest.raises(CannotReplay, match=r"stored facts cannot be read \(now: must be"):
        replay(broken, above(rules()))


def test_the_record_says_which_facts_were_asked_for():
    recorded = judged(rules(more=CHANGELOG))
    assert recorded.asked == asked(effective.parse_rulebook(rules(more=CHANGELOG)).rules, "cann/ops")


def test_facts_come_with_the_rules_of_their_time_or_a_reason():
    recorded = judged(rules())
    facts = known_facts(recorded)
    assert (facts.repository, facts.signatures, facts.rules.repositories[0].require) == ("cann/ops", SIGNED, "cla")

    broken = replace(recorded, files=replace(recorded.files, organization=RuleFile("o.yml", "version: 9\n")))
    assert (known_facts(broken), known_rules(broken)) == (None, None)
    assert known_rules(recorded) == facts.rules
    with pytest.raises(CannotReplay, match="cannot be read"):
        known_facts(replace(recorded, facts={**recorded.facts, "commits": 7}))


def test_addresses_of_bots_are_those_of_the_records_server():
    server, exact = github_server("ghe.corp.example"), above(rules("dco", "dco: {matching: exact}\n"))
    for host in ("users.noreply.ghe.corp.example", "users.noreply.github.com"):
        who = Identity("x[bot]", f"x[bot]@{host}")
        bare = commit(message="Fix", author_account=None, author=who)
        known = judged(rules("dco"), commits=(bare,), opener=Account(5, "x[bot]", "Bot"), server=server)
        if host == "users.noreply.github.com":
            assert replay(known, exact).after == "failure"
        else:
            with pytest.raises(CannotReplay, match=r"which authors are bots$"):
                replay(known, exact)


def test_facts_of_the_last_release_count_only_for_the_party_of_their_time():
    named = f"organization: Old\n{rules().partition(chr(10))[2]}"
    before = judged(f"version: 1\n{named}")
    renamed, listed = (
        f"version: 1\n{named.replace('Old', 'New')}{more}" for more in ("", "agreements: {parties: [Old]}\n")
    )

    assert short(replay(before, above(renamed))) == ("success", "failure", ["CLA cla/other-party"], [])
    assert short(replay(before, above(listed))) == ("success", "success", [], [])


def test_the_party_of_facts_of_the_last_release_is_the_owner():
    files = RuleFiles(RuleFile("o.yml", rules()), RuleFile("r.yml", None), RuleFile("d.yml", None))
    given = judged(rules())
    packed = pack(known_facts(given), files)
    found = known_facts(unpack(packed, GITHUB_COM, owner_id=7))

    assert (found.owner_id, [signature.party for signature in found.signatures]) == (7, ["github:7"])
    assert known_facts(unpack(packed, GITHUB_COM)).owner_id is None
