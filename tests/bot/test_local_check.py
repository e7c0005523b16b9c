"""A clone's facts: the rules of the base, the commits of the range, and nothing that only GitHub knows."""

import pytest

from agreements.clone.history import Clone
from agreements.facts import Account, Conclusion, Verdict
from agreements.github_server import GITHUB_COM
from agreements.judge import judge
from agreements.rulebook.rules import DcoRules, Rules
from bot import clock, local_check
from bot.report.words.git_commands import commands
from tests.revert_cases import judged, revert

NONE = "version: 1\nrepositories: [{match: ['*'], require: none}]\n"


def opened(desk, wanted="main..HEAD"):
    clone = Clone(str(desk.folder))
    return clone, clone.range(wanted)


def based(desk, **files):
    """Files of the base, a commit on top."""
    for name, text in files.items():
        desk.write(f".github/{name}.yml" if name != "mailmap" else ".mailmap", text)
    desk.commit("Base")
    desk.git("branch", "--force", "main")
    desk.signed("Work")
    return opened(desk)


def test_no_rule_file_means_a_dco_for_everything(desk):
    desk.signed()
    assert local_check.rules(*opened(desk), "cann/ops", None) == Rules()


def test_the_rulebook_of_the_repository_counts_before_its_dco_file(desk):
    clone, span = based(desk, dco="allowRemediationCommits: {individual: true}\n")
    assert local_check.rules(clone, span, "cann/ops", None).dco.individual_remediation
    clone, span = based(desk, countersign=NONE)
    found = local_check.rules(clone, span, "cann/ops", None)
    assert found.repositories[0].require == "none"
    assert not found.dco.individual_remediation


def test_the_organisations_file_above_makes_the_dco_file_void(desk):
    clone, span = based(desk, countersign=NONE, dco="allowRemediationCommits: {individual: true}\n")
    found = local_check.rules(clone, span, "cann/ops", ("org.yml", "version: 1\n"))
    assert isinstance(found, Verdict)
    assert found.checks[0].problems[0].code == "rulebook/invalid"
    desk.git("rm", "--quiet", ".github/countersign.yml")
    clone, span = based(desk)
    assert not local_check.rules(clone, span, "cann/ops", ("org.yml", "version: 1\n")).dco.individual_remediation


@pytest.mark.parametrize("name", [".github", "cann/.github", "cann/.GitHub"])
def test_the_organisations_own_repository_has_one_file(desk, name):
    clone, span = based(desk, countersign="version: 1\norganization: CANN\n")
    assert local_check.rules(clone, span, name, None).organization == "CANN"


def test_the_facts_are_commits_head_base_and_mailmap_of_the_range(desk):
    mailmap = "Ada <ada@huawei.com> <ada@old.org>\n"
    clone, span = based(desk, mailmap=mailmap)
    opener = Account(11, "ada")
    found = local_check.facts(clone, span, Rules(), "cann/ops", opener=opener, server=GITHUB_COM, clock=clock.now)
    assert (found.commit_count, len(found.commits), found.mailmap) == (1, 1, mailmap)
    assert (found.pull_request.base, found.pull_request.head_sha) == ("main", desk.head())
    assert (found.pull_request.opener, found.pull_request.files, found.senders) == (opener, (), ())


def test_a_base_that_is_no_branch_is_named_by_its_whole_object_name(desk):
    desk.signed()
    clone, span = opened(desk, "HEAD~1..HEAD")
    assert (
        local_check.facts(
            clone, span, Rules(), "ops", opener=None, server=GITHUB_COM, clock=clock.now
        ).pull_request.base
        == span.base
    )


def test_a_mailmap_that_is_no_text_is_empty(desk):
    (desk.folder / ".mailmap").write_bytes(b"\xff")
    clone, span = based(desk)
    assert local_check.facts(clone, span, Rules(), "ops", opener=None, server=GITHUB_COM, clock=clock.now).mailmap == ""


def test_an_empty_range_is_named(desk):
    clone, span = opened(desk, "main..fix")
    verdict = local_check.judge(
        local_check.facts(clone, span, Rules(), "ops", opener=None, server=GITHUB_COM, clock=clock.now), span, None
    )
    assert verdict.conclusion == Conclusion.ACTION_REQUIRED
    assert dict(verdict.checks[0].problems[0].values) == {"range": "main..fix"}


@pytest.mark.parametrize(
    ("identity", "known"),
    [
        (("Ada", "ada@huawei.com"), True),
        (("ADA", "ada@home.org"), True),
        (("Bo", "bo@x.org"), True),
        (("", ""), False),
    ],
)
def test_other_peoples_commits_are_noticed(desk, identity, known):
    desk.signed("Mine")
    desk.signed("Of Bo", by=("Bo", "bo@x.org"))
    clone, span = opened(desk)
    found = local_check.facts(clone, span, Rules(), "ops", opener=None, server=GITHUB_COM, clock=clock.now)
    situation = local_check.situation(found, judge(found), identity, None)
    assert (situation.known, situation.others) == (known, known)


@pytest.mark.parametrize("identity", [("Ada", "ada@huawei.com"), ("ada", "new@home.org"), ("Ada L", "ADA@huawei.com")])
def test_the_callers_own_commits_are_known_by_name_or_address(desk, identity):
    desk.signed("Mine")
    desk.git("checkout", "--quiet", "-b", "side", "main")
    desk.signed("Side")
    desk.git("-c", "user.name=Bo", "-c", "user.email=bo@x.org", "merge", "--quiet", "--no-edit", "--no-ff", "fix")
    clone, span = opened(desk)
    found = local_check.facts(clone, span, Rules(), "ops", opener=None, server=GITHUB_COM, clock=clock.now)
    situation = local_check.situation(found, judge(found), identity, None)
    assert (situation.known, situation.others) == (True, False)


@pytest.mark.parametrize(("author", "by_another"), [(("Ada", "ada@huawei.com"), False), (("Bo", "bo@x.org"), True)])
def test_a_commit_of_one_s_own_is_not_said_to_be_perhaps_another_s(desk, author, by_another):
    desk.git("commit", "--quiet", "--allow-empty", "--message", "Mine", "--author", "{} <{}>".format(*author))
    clone, span = opened(desk)
    found = local_check.facts(clone, span, Rules(), "ops", opener=None, server=GITHUB_COM, clock=clock.now)
    situation = local_check.situation(found, judge(found), clone.identity(), None)
    assert (situation.committed, situation.own) == (by_another, not by_another)
    assert "only if that commit is yours" not in commands(situation, "en")


@pytest.mark.parametrize(("reverts", "conclusion"), [("exempt", Conclusion.SUCCESS), ("required", Conclusion.FAILURE)])
def test_a_clean_revert_of_a_commit_of_the_base_needs_no_sign_off_where_the_rules_say_so(desk, reverts, conclusion):
    reverted = judged(desk)
    desk.git("branch", "--force", "main")
    revert(desk, reverted)
    clone, span = opened(desk)
    rules = Rules(dco=DcoRules(reverts=reverts))
    found = local_check.facts(clone, span, rules, "ops", opener=None, server=GITHUB_COM, clock=clock.now)
    assert judge(found).conclusion is conclusion


@pytest.mark.parametrize("matching", ["evidence", "exact"])
@pytest.mark.parametrize(("account", "passes"), [
    (Account(49699333, "dependabot[bot]", "Bot"), True), (Account(1, "dependabot[bot]", "Bot"), False), (None, False), (Account(49699333, "ada"), False),
])  # fmt: skip
def test_a_bot_that_opened_needs_no_sign_off_on_commits_with_its_id(desk, matching, account, passes):
    desk.commit("Bump", by=("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"))
    clone, span = opened(desk)
    rules = Rules(dco=DcoRules(matching=matching))
    found = local_check.facts(clone, span, rules, "ops", opener=account, server=GITHUB_COM, clock=clock.now)
    assert judge(found).conclusion.passes is passes
