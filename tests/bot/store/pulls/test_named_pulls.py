"""A name in an address finds one stored pull request at most, and the newest of several."""

from datetime import UTC, datetime, timedelta

import pytest

from agreements.facts import Conclusion, Verdict
from bot.store.pulls import named_pulls, pull_state, verdicts
from bot.store.pulls.posts import PullRequestIdentity, post
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def stored(session, repository_id: int = 9, name: str = "Ops-Math", number: int = 7) -> int:
    """The row id of a stored pull request."""
    box = PullRequestIdentity(
        repository_id=repository_id, number=number, installation_id=1, owner_id=2, owner="CANN", name=name
    )
    return post(session, InlineEngine(), box)[0]


@pytest.mark.parametrize(
    ("owner", "name", "number", "found"),
    [("CANN", "Ops-Math", 7, True), ("cann", "ops-math", 7, True), ("cann", "ops-math", 8, False), ("cann", "ops", 7, False), ("", "", 7, False), ("%", "%", 7, False)],
)  # fmt: skip
def test_a_pull_request_is_found_by_its_whole_name_in_any_case(sessions, owner, name, number, found):
    with sessions() as session:
        pull_id = stored(session)
        pull = named_pulls.find(session, owner, name, number)
        assert (pull.id if pull else None) == (pull_id if found else None)


def test_a_reused_repository_name_finds_the_row_stored_last(sessions):
    with sessions() as session:
        first = stored(session, 10)
        second = stored(session, 9)
        assert second > first
        assert named_pulls.find(session, "cann", "ops-math", 7).id == second
        assert stored(session, 10) == first, "heard of again, but not made anew"
        assert named_pulls.find(session, "cann", "ops-math", 7).id == second


def test_participation_is_known_by_account_id(sessions):
    with sessions() as session:
        pull_id = stored(session)
        pull_state.replace_participants(session, pull_id, [11])
        pull = named_pulls.find(session, "cann", "ops-math", 7)
        assert named_pulls.takes_part(session, pull, 11)
        assert not named_pulls.takes_part(session, pull, 12)


def test_a_pull_request_is_settled_once_its_newest_state_was_judged(sessions):
    with sessions() as session:
        pull_id = stored(session)
        assert not named_pulls.is_settled(session, pull_id)
        pull = named_pulls.find(session, "cann", "ops-math", 7)
        pull.evaluated = pull.latest
        session.add(pull)
        assert named_pulls.is_settled(session, pull_id)
        assert not named_pulls.is_settled(session, pull_id + 1)


def test_the_history_has_the_newest_verdicts_up_to_a_limit(sessions):
    with sessions() as session:
        mine, other = stored(session), stored(session, number=8)
        for minute, pull_id in enumerate((mine, other, mine, mine)):
            verdict = Verdict(conclusion=Conclusion.SUCCESS)
            verdicts.add(session, pull_id, f"{minute:040x}", verdict, at=NOON + timedelta(minutes=minute))
        assert [verdict_record.judged_at.minute for verdict_record in named_pulls.history(session, mine, most=2)] == [
            3,
            2,
        ]
