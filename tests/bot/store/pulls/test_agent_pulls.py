"""The open pull requests in which AI agents take part, and who answers for them."""

from dataclasses import replace

import pytest

from agreements.facts import Account, Check, Conclusion, Note, Problem, Verdict
from bot import verdict_codes
from bot.store.pulls import agent_pulls, posts, verdicts
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine
from tests.bot.store.pulls.test_red_pulls import BOX, GREEN, NOON

ADA, BO, ROBO = Account(11, "ada"), Account(12, "bo"), Account(5, "robo[bot]", "Bot")
IGNORED = Note(code="cla/agent-ignored", account=ROBO, role="coauthor")
ALONE = Problem(code="cla/agent-alone", account=ROBO, role="opener")
OPENED = Note(code="cla/individual", account=ADA, role="opener")


def verdict(*items):
    problems = tuple(item for item in items if isinstance(item, Problem))
    ended = Conclusion.FAILURE if problems else Conclusion.SUCCESS
    notes = tuple(item for item in items if isinstance(item, Note))
    return Verdict(conclusion=ended, checks=(Check(name="CLA", conclusion=ended, problems=problems, notes=notes),))


@pytest.fixture(name="pulls")
def _pulls(sessions):
    """1 has an agent alone; of 2 bo vouched; ada opened 3; 4 names no agent; 5 is closed; 6 had one, and has none now."""
    given = [
        verdict(ALONE, replace(IGNORED, role="opener")),
        verdict(replace(IGNORED, role="opener"), IGNORED, Note(code="cla/vouched", account=BO)),
        verdict(OPENED, IGNORED, Note(code="cla/sender-writes", account=BO, role="sender")),
        verdict(OPENED), verdict(ALONE), verdict(ALONE),
    ]  # fmt: skip
    with sessions() as session:
        for number, outcome in enumerate(given, 1):
            box = replace(BOX, number=number, **({"name": "hal", "repository_id": 12} if number == 3 else {}))
            pull_id = posts.post(session, InlineEngine(), box)[0]
            verdicts.add(session, pull_id, "a" * 40, outcome, at=NOON)
            if number == 5:
                session.get(PullRecord, pull_id).open = False
        verdicts.add(session, pull_id, "b" * 40, GREEN, at=NOON)


def found(sessions, **wanted):
    with sessions() as session:
        return agent_pulls.listed(session, skip=0, most=9, **wanted)


def test_each_open_pull_request_with_an_agent_says_its_part_and_who_answers(sessions, pulls):
    assert [(pull.number, pull.passes, pull.roles, pull.answering) for pull in found(sessions)] == [
        (3, True, ("coauthor",), (11,)),
        (2, True, ("opener", "coauthor"), (12,)),
        (1, False, ("opener",), ()),
    ]


def test_they_are_filtered_by_repository_and_by_lacking_a_person(sessions, pulls):
    assert [pull.number for pull in found(sessions, repository="CANN/hal")] == [3]
    assert [pull.number for pull in found(sessions, unanswered=True)] == [1]


def test_every_code_about_an_agent_is_known():
    of_agents = {code for code in verdict_codes.each("short", "en") if "/agent-" in code}
    assert of_agents <= {*agent_pulls.AGENT_CODES}
    assert all(verdict_codes.of(code) for code in agent_pulls.AGENT_CODES)
