"""The facts of a verdict are given to a page only as long as they are of its head and can be opened."""

import pytest

from agreements.facts import Account, Check, Commit, Conclusion, Facts, Problem, PullRequest, Verdict
from agreements.rulebook.rules import Rules
from bot.github.ports import RuleFile, RuleFiles
from bot.portal import judged_facts
from bot.rulebook.recorded_facts import TOO_LARGE, pack
from bot.store.pulls import named_pulls, stored_facts, verdicts

HEAD = "a" * 40
FILES = RuleFiles(RuleFile("o.yml", None), RuleFile("r.yml", None), RuleFile("d.yml", None))


@pytest.fixture(name="kept")
def _kept(portal):
    """What a page gets of a pull request whose newest verdict is that one."""

    def kept(*, head=HEAD, code="dco/missing", packed=None, stored=True):
        facts = Facts(
            rules=Rules(), repository="cann/ops-math", commit_count=1, commits=(Commit(sha=HEAD),), now=portal.at,
            pull_request=PullRequest(number=7, opener=Account(11, "ada"), head_sha=HEAD),
        )  # fmt: skip
        pull_id, services = portal.pull(7), portal.services
        check = Check(name="DCO", conclusion=Conclusion.FAILURE, problems=(Problem(code=code),))
        verdict = Verdict(conclusion=Conclusion.FAILURE, checks=(check,))
        with services.sessions() as session:
            verdicts.add(session, pull_id, head, verdict, at=portal.at)
            if stored:
                sealed = stored_facts.encrypt(services.vault, pull_id, pack(facts, FILES) if packed is None else packed)
                stored_facts.keep(session, pull_id, HEAD, sealed, at=portal.at)
            session.flush()
            (newest,) = named_pulls.history(session, pull_id, most=1)
            pull = named_pulls.find(session, "cann", "ops-math", 7)
            return judged_facts.kept(session, services.vault, services.server, pull, newest)

    return kept


def test_the_facts_of_the_newest_verdict_are_given_with_their_owner(kept):
    found = kept()
    assert (found.full_name, found.facts["repository"]["owner_id"]) == ("cann/ops-math", 3)


@pytest.mark.parametrize(
    "changes", [{"head": "b" * 40}, {"code": "rulebook/invalid"}, {"packed": TOO_LARGE}, {"stored": False}]
)
def test_facts_of_another_head_or_that_cannot_be_known_are_not_given(kept, changes):
    assert kept(**changes) is None
