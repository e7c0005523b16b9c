"""AI agents in every role: openers × pushers × authors × policy × require, in the App and on the command line.

`docs/explanation/cla.md` and `docs/explanation/dco.md` say the rules; here they are said again in a few lines.
"""

import subprocess
from dataclasses import replace
from itertools import product

import pytest

from agreements.clone.history import Clone, Range
from agreements.facts import Account, Override, Sender, Signature
from agreements.github_server import GITHUB_COM
from agreements.judge import judge
from agreements.moments import moment
from agreements.rulebook.rules import Rules
from agreements.rulebook.rules_reader import parse
from bot import local_check
from tests.clones import Desk

NOW = moment("2026-11-21T00:00:00Z")
ADA, BO = Account(11, "ada"), Account(12, "bo")
DEPENDABOT = Account(49699333, "dependabot[bot]", "Bot")
COPILOT, CLAUDE = Account(198982749, "Copilot", "Bot"), Account(81847, "claude")
PEOPLE, AGENTS = (ADA, BO), (COPILOT, CLAUDE)
ACTORS = (*PEOPLE, DEPENDABOT, *AGENTS)
GIT = {
    ADA: ("Ada", "ada@huawei.com"),
    DEPENDABOT: ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"),
    COPILOT: ("Copilot", "198982749+Copilot@users.noreply.github.com"),
}
LINKED = {GIT[ADA]: ADA}
"""Whom GitHub's GraphQL names for an address: people; for bots it names none."""
SIGNED = "Signed-off-by: Ada <ada@huawei.com>"

WORK = {  # author, committer, whether Ada signs it off
    "ada signs": (ADA, ADA, True),
    "ada forgets": (ADA, ADA, False),
    "copilot": (COPILOT, COPILOT, False),
    "copilot in ada's name": (ADA, COPILOT, True),
    "ada takes copilot's over": (COPILOT, ADA, True),
    "dependabot": (DEPENDABOT, DEPENDABOT, False),
}


@pytest.fixture(scope="module", name="facts")
def _facts(tmp_path_factory):
    """What `countersign check` knows of each kind of work in a real repository, but for who opened and who pushed."""
    folder = tmp_path_factory.mktemp("work")
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", folder], check=True)
    desk = Desk(folder, GIT[ADA])
    desk.commit("Begin")
    for number, (author, committer, signs) in enumerate(WORK.values()):
        desk.git("checkout", "--quiet", "-b", f"work{number}", "main")
        desk.identify(*GIT[committer])
        desk.commit("Work" + f"\n\n{SIGNED}\n" * signs, by=GIT[author])
    clone, found = Clone(str(folder)), {}
    for number, work in enumerate(WORK):
        span = clone.range(f"main..work{number}")
        found[work] = local_check.facts(clone, span, Rules(), "cann/ops", lambda: NOW, opener=None, server=GITHUB_COM)
    return found


def rules(policy, require):
    return parse({
        "repositories": [{"match": ["*"], "require": require}],
        "people": {"agents": {"policy": policy}, "exempt": [{"id": DEPENDABOT.id, "login": DEPENDABOT.login}]},
    })  # fmt: skip


def on_the_command_line(facts, opener, pushers, book):
    """The facts of `countersign check --opener … --sender …`."""
    request = replace(facts.pull_request, opener=opener)
    return replace(facts, rules=book, pull_request=request, senders=tuple(map(Sender, pushers)))


def in_the_app(facts):
    """The same as the App has them: with accounts as GitHub links them, and what Ada signed."""
    commits = [
        replace(
            commit,
            author_account=LINKED.get((commit.author.name, commit.author.email)),
            committer_account=LINKED.get((commit.committer.name, commit.committer.email)),
        )
        for commit in facts.commits
    ]
    signed = Signature(agreement="icla", version="2.0", account_id=ADA.id, signed_at=NOW)
    return replace(facts, commits=tuple(commits), signatures=(signed,))


def dco_passes(opener, pusher, work, policy):
    """The rule for the DCO in a few lines."""
    actors, (author, committer, signs) = {opener, pusher}, WORK[work]
    agents = [actor for actor in (*actors, author, committer) if actor in AGENTS]
    if policy == "block" and agents:
        return False
    if actors & set(AGENTS) and not actors & set(PEOPLE):
        return False
    return signs or (author is DEPENDABOT and author in actors)


def cla_passes(opener, pusher, work, policy):
    """The rule for the CLA in a few lines: only Ada is covered, and Dependabot is exempt."""
    actors, (author, committer, _signs) = {opener, pusher}, WORK[work]
    agents = [actor for actor in (*actors, author, committer) if actor in AGENTS]
    if BO in actors or (author is DEPENDABOT and author not in actors):
        return False
    if policy == "block":
        return not agents
    answers_asked = agents if policy == "responsible" else actors & set(AGENTS)
    return not answers_asked or ADA in actors


WHOLE = {"cla": lambda cla, dco: cla, "dco": lambda cla, dco: dco, "both": lambda cla, dco: cla and dco,
         "either": lambda cla, dco: cla or dco}  # fmt: skip


@pytest.mark.parametrize("require", WHOLE)
@pytest.mark.parametrize("policy", ["ignore", "responsible", "block"])
@pytest.mark.parametrize("work", WORK)
def test_the_app_and_the_command_line_agree(facts, work, policy, require):
    book = rules(policy, require)
    for opener, pusher in product(ACTORS, ACTORS):
        local = on_the_command_line(facts[work], opener, (pusher,), book)
        verdict, row = judge(in_the_app(local)), (opener.login, pusher.login)
        cla, dco = (rule(opener, pusher, work, policy) for rule in (cla_passes, dco_passes))
        assert verdict.conclusion.passes is WHOLE[require](cla, dco), row
        if require != "cla":
            here = next(check for check in local_check.judge(local, Range("", ""), None).checks if check.name == "DCO")
            assert here.conclusion.passes is dco, row


@pytest.mark.parametrize("policy", ["ignore", "responsible"])
@pytest.mark.parametrize(("by", "head", "passes"), [
    (ADA, None, True), (BO, None, False), (ADA, "f" * 40, False), (COPILOT, None, False), (CLAUDE, None, False),
    (Account(11, "ada[bot]"), None, False), (DEPENDABOT, None, False), (Account(0, "ghost"), None, False),
])  # fmt: skip
def test_only_a_covered_person_can_vouch_for_a_head(facts, policy, by, head, passes):
    case = in_the_app(on_the_command_line(facts["copilot"], COPILOT, (COPILOT,), rules(policy, "cla")))
    said = Override("vouch", None, head or case.pull_request.head_sha, by)
    check = judge(replace(case, overrides=(said,))).checks[0]
    assert check.conclusion.passes is passes
    assert [problem.code for problem in check.problems] == ([] if passes else ["cla/agent-alone"])
    assert any(note.code == "cla/vouched" and note.account == by for note in check.notes) is passes


@pytest.mark.parametrize("policy", ["ignore", "responsible", "block"])
@pytest.mark.parametrize(("section", "require"), [("people", "cla"), ("dco", "dco")])
def test_an_agent_exempt_by_id_needs_no_person_unless_blocked(facts, policy, section, require):
    for entry, exempt in (({"id": COPILOT.id, "login": "Copilot"}, True), ({"login": "Copilot"}, False)):
        data = {"repositories": [{"match": ["*"], "require": require}], "people": {"agents": {"policy": policy}}}
        data[section] = {**data.get(section, {}), "exempt": [entry]}
        local = on_the_command_line(facts["copilot"], COPILOT, (COPILOT,), parse(data))
        assert judge(in_the_app(local)).conclusion.passes is (exempt and policy != "block")
