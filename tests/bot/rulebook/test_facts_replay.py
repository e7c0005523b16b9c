"""The same facts under other rules: what changes and for whom, and nothing is guessed where GitHub was not asked."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agreements.facts import Account, Coauthor, Commit, Facts, Identity, Override, PullRequest, Sender, Signature
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
    about = {key: changes.pop(key) for key in ("labels", "files", "created_at") if key in changes}
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
    new, gone = ([f"{one.check} {one.problem.code}" for one in some] for some in (outcome.new, outcome.gone))
    return outcome.before, outcome.after, new, gone


def test_the_same_rules_change_nothing():
    """Also when they are said in other words."""
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
def test_who_would_change(before, after, expected):
    """Bo, who has not signed, stands or falls with the CLA; Ada has signed and is never named."""
    recorded = judged(rules(before), commits=(commit(coauthors=(Coauthor("Bo", "bo@x.org", BO),)),))
    outcome = replay(recorded, above(rules(after)))
    assert short(outcome) == expected
    assert {one.problem.account for one in (*outcome.new, *outcome.gone)} == {BO}
    assert outcome.changes


def test_the_same_end_for_other_reasons():
    """Failing before and after, but Ada would now fail, too."""
    recorded = judged(rules(), commits=(commit(coauthors=(Coauthor("Bo", "bo@x.org", BO),)),))
    outcome = replay(
        recorded, above(rules("both", "people: {check: [opener, authors]}\nagreements: {accept: {icla: []}}\n"))
    )
    assert short(outcome) == ("failure", "failure", ["CLA cla/outdated"], ["CLA cla/unsigned"])
    assert outcome.changes


def test_a_finding_that_stands_twice_and_then_once():
    """Two unlinked co-authors of one commit, one of whom becomes an agent: one finding is gone."""
    nobody = (Coauthor("X", "x@x.org"), Coauthor("Y", "y@y.org"))
    recorded = judged(rules(), commits=(commit(coauthors=nobody),))
    outcome = replay(recorded, above(rules(more="people: {agents: {emails: [y@y.org]}}\n")))
    assert short(outcome) == ("failure", "failure", [], ["CLA cla/unlinked-email"])


def test_time_stands_still():
    """The stored moment counts: a grace that ran then still runs."""
    grace = 'agreements: {accept: {icla: [{versions: ">=3.0"}, {versions: "2.0", until: 2026-12-01}]}}\n'
    assert short(replay(judged(rules()), above(rules(more=grace)))) == ("success", "success", [], [])
    late = judged(rules(), now=datetime(2026, 12, 1, tzinfo=UTC))
    assert short(replay(late, above(rules(more=grace)))) == ("success", "failure", ["CLA cla/outdated"], [])


def test_the_repository_s_own_file_is_merged_again():
    """It stays in force; a value that becomes looser than the organisation's is a mistake that does not pass."""
    own = "version: 1\npeople: {override: admins}\n"
    recorded = judged(rules(more="people: {override: maintainers}\n"), own=own)
    same = replay(recorded, above(rules(more="people: {override: admins}\n")))
    looser = replay(recorded, above(rules(more="people: {override: nobody}\n")))
    assert not same.changes
    assert short(looser) == ("success", "action_required", ["Rulebook rulebook/invalid"], [])
    assert "r.yml, line 2" in looser.new[0].problem.values["errors"][0]


def test_the_repository_s_own_file_changed():
    """Alone, or together with the organisation's."""
    recorded = judged(rules("dco"), signatures=())
    own = RuleFile("own.yml", rules("cla"))
    assert short(replay(recorded, ProposedRules(own=own))) == ("success", "failure", ["CLA cla/unsigned"], [])
    both = ProposedRules(RuleFile("new.yml", rules("none")), own)
    assert replay(recorded, both).after == "failure"


def test_a_dco_file_gives_way_to_a_rulebook():
    """`.github/dco.yml` counted as long as there was no rulebook at all."""
    recorded = judged(None, dco="require: {members: true}\n", signatures=())
    assert short(replay(recorded, above(rules("cla")))) == ("success", "failure", ["CLA cla/unsigned"], [])


def test_out_of_reach_then_known():
    """A rulebook that could not be read in time is not asked for again when another stands in."""
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
def test_what_was_not_asked_is_not_guessed(more, changes, known):
    """Files and members are asked only when rules need them: known is what would be so whatever the answer was."""
    recorded = judged(rules(), **changes)
    assert recorded.asked == frozenset()
    if known is None:
        with pytest.raises(CannotReplay, match=r"^cannot be known from the stored facts: "):
            replay(recorded, above(rules(more=more)))
    else:
        assert replay(recorded, above(rules(more=more))).after == known


def test_what_is_certain_stays_certain():
    """Bo fails whatever the pull request touches; whether the changelog is missing, too, is not known."""
    recorded = judged(rules(), commits=(commit(coauthors=(Coauthor("Bo", "bo@x.org", BO),)),))
    outcome = replay(recorded, above(rules("both", CHANGELOG)))
    assert short(outcome) == ("failure", "failure", [], [])
    assert outcome.unknown == "which files it touches"
    assert not outcome.changes


def test_who_may_be_a_member_may_be_let_off():
    """Of two without a signature the one that no member can be is certain; of the other nothing is said."""
    robot = Account(5, "x[bot]", "Bot")
    recorded = judged(rules("dco"), signatures=(), opener=robot)
    outcome = replay(recorded, above(rules(more=EXEMPT)))
    assert short(outcome) == ("success", "failure", ["CLA cla/bot-not-listed"], [])
    assert outcome.unknown == "who is a member of the organisation"


def test_the_mode_is_named():
    """It changes what is seen, not the verdict; without rules there is none."""
    shadow = rules().replace("require", "mode: shadow, require")
    assert replay(judged(rules()), above(shadow)).mode == ("enforce", "shadow")
    assert replay(judged(rules()), above(shadow)).changes
    assert replay(judged(shadow), above(shadow)).mode is None
    assert replay(judged(rules(more="people: {override: maintainers}\n"), own="version: 1\npeople: {override: admins}\n"),
                  above(shadow)).mode is None  # fmt: skip


def test_members_under_the_dco():
    """A member's verified commit needs no sign-off; whose commit it is was not asked."""
    bare = judged(rules("dco"), commits=(commit(message="Fix"),))
    with pytest.raises(CannotReplay, match=r"who is a member of the organisation$"):
        replay(bare, above(rules("dco", "dco: {members: exempt}\n")))
    signed = judged(rules("dco"))
    assert not replay(signed, above(rules("dco", "dco: {members: exempt}\n"))).changes


@pytest.mark.parametrize(("owner_id", "codes"), [(11, []), (12, ["CLA cla/unsigned"])])
def test_the_members_of_a_user_are_known(owner_id, codes):
    """Nobody has to be asked: the owner is the one member. Without the owner's id it cannot be known."""
    recorded = judged(rules("dco"), signatures=(), owner_type="User", owner_id=owner_id)
    assert short(replay(recorded, above(rules(more=EXEMPT))))[2] == codes
    old = judged(rules("dco"), signatures=(), owner_type="User")
    with pytest.raises(CannotReplay, match=r"who is a member of the organisation$"):
        replay(old, above(rules(more=EXEMPT)))


def test_bots_under_exact_matching():
    """Under `evidence` nobody asks GitHub whose noreply address it is; a bot's commit would need no sign-off."""
    exact = above(rules("dco", "dco: {matching: exact}\n"))
    for address in ("5+x[bot]@users.noreply.github.com", "x[bot]@users.noreply.github.com"):
        bare = commit(message="Fix", author_account=None, author=Identity("x[bot]", address))
        for opener in (ADA, Account(5, "x[bot]", "Bot")):
            with pytest.raises(CannotReplay, match=r"which authors are bots$"):
                replay(judged(rules("dco"), commits=(bare,), opener=opener), exact)
    assert not replay(judged(rules("dco")), exact).changes


def test_what_was_asked_is_used():
    """Files and members that were gathered count under the changed rules as they stand."""
    recorded = judged(rules(more=CHANGELOG + EXEMPT), files=("docs/news.md",), members=frozenset({12}))
    assert recorded.asked == {"files", "members"}
    outcome = replay(recorded, above(rules(more="changelog: {require: true, path: docs/news.md}\n" + EXEMPT)))
    assert short(outcome) == ("failure", "success", [], ["Changelog changelog/missing"])


def test_an_override_stands_as_far_as_the_rules_let_it():
    """Recorded for this head; it counts for nothing where nobody may override."""
    by = Override(kind="cla", account_id=11, head_sha=HEAD, by=Account(1, "max"))
    recorded = judged(rules(more="people: {override: admins}\n"), signatures=(), overrides=(by,))
    assert short(replay(recorded, above(rules()))) == ("success", "failure", ["CLA cla/unsigned"], [])


def test_facts_that_this_version_can_not_read():
    """Said, not raised as something else."""
    recorded = judged(rules())
    broken = replace(recorded, facts={**recorded.facts, "now": "yesterday"})
    with pytest.raises(CannotReplay, match=r"stored facts cannot be read \(now: must be"):
        replay(broken, above(rules()))


def test_the_rules_know_best_what_is_asked():
    """The record says what its own rules asked for, whatever another release would ask."""
    recorded = judged(rules(more=CHANGELOG))
    assert recorded.asked == asked(effective.parse_rulebook(rules(more=CHANGELOG)).rules, "cann/ops")


def test_the_facts_as_they_were_judged():
    """With the rules of their time; none where the rulebook was broken, and a reason where they cannot be read."""
    recorded = judged(rules())
    facts = known_facts(recorded)
    assert (facts.repository, facts.signatures, facts.rules.repositories[0].require) == ("cann/ops", SIGNED, "cla")

    broken = replace(recorded, files=replace(recorded.files, organization=RuleFile("o.yml", "version: 9\n")))
    assert (known_facts(broken), known_rules(broken)) == (None, None)
    assert known_rules(recorded) == facts.rules
    with pytest.raises(CannotReplay, match="cannot be read"):
        known_facts(replace(recorded, facts={**recorded.facts, "commits": 7}))


def test_bots_of_another_server():
    """There the addresses that may be a bot's are that server's."""
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


def test_facts_of_the_release_before_count_with_the_party_of_their_time():
    """They name no party; under a rulebook with another one they count only where it lists theirs."""
    named = f"organization: Old\n{rules().partition(chr(10))[2]}"
    before = judged(f"version: 1\n{named}")
    renamed, listed = (
        f"version: 1\n{named.replace('Old', 'New')}{more}" for more in ("", "agreements: {parties: [Old]}\n")
    )

    assert short(replay(before, above(renamed))) == ("success", "failure", ["CLA cla/other-party"], [])
    assert short(replay(before, above(listed))) == ("success", "success", [], [])


def test_the_owner_of_facts_of_the_release_before():
    """It is the pull request's; without a name that account is the party."""
    files = RuleFiles(RuleFile("o.yml", rules()), RuleFile("r.yml", None), RuleFile("d.yml", None))
    given = judged(rules())
    packed = pack(known_facts(given), files)
    found = known_facts(unpack(packed, GITHUB_COM, owner_id=7))

    assert (found.owner_id, [one.party for one in found.signatures]) == (7, ["github:7"])
    assert known_facts(unpack(packed, GITHUB_COM)).owner_id is None
