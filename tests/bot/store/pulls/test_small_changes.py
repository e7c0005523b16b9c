"""Lines of small changes count once for a person, for all pull requests of one owner, and two at once are seen by each other."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import count

import pytest
from sqlalchemy import text
from sqlmodel import select

from bot.store import activity_data
from bot.store.pulls import posts, small_changes
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.small_changes import SmallChangeDraft, SmallChangeRow
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine
from tests.within import within

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MIA, BO = 12, 2**40
ids = count(1)


@pytest.fixture(name="reserve")
def _reserve(sessions, vault):
    """Reserves lines in the pull request of that number, of that owner."""

    def reserve(number, *account_ids, lines=10, total=15, owner_id=7):
        with sessions() as session:
            pull = posted(session, number, owner_id)
            context = within(session, vault, NOON, lambda: f"e{next(ids)}")
            return small_changes.reserve(context, draft(pull, *account_ids, lines=lines, total=total)).lines

    return reserve


def draft(pull, *account_ids, **limits):
    """Lines of these accounts in that pull request."""
    return SmallChangeDraft(pull_id=pull.id, owner_id=pull.owner_id, account_ids=frozenset(account_ids), **limits)


def posted(session, number, owner_id=7):
    """A stored pull request of that number."""
    box = PullRequestIdentity(
        repository_id=11, number=number, installation_id=1, owner_id=owner_id, owner="cann", name="ge"
    )
    return session.get(PullRecord, posts.post(session, InlineEngine(), box)[0])


def end(sessions, vault, number, *, merged):
    """The pull request of that number is no longer open; gives the accounts for whom that changed something."""
    with sessions() as session:
        context = within(session, vault, NOON, lambda: f"e{next(ids)}")
        rows = small_changes.end(context, posted(session, number).id, merged=merged)
        if rows:
            context.log("lines.released", rows=rows)
        return [row.account_id for row in rows]


def stored(sessions):
    """Account, lines, and whether they count, of each row."""
    with sessions() as session:
        rows = session.exec(select(SmallChangeRow).order_by(SmallChangeRow.pull_id, SmallChangeRow.account_id)).all()
        return [(row.account_id, row.lines, row.counts) for row in rows]


def test_lines_of_other_pull_requests_are_told_and_only_what_fits_is_kept(sessions, reserve):
    assert reserve(1, MIA, BO) == {}
    assert reserve(2, MIA) == {MIA: 10}
    assert reserve(3, MIA, lines=5) == {MIA: 10}
    assert stored(sessions) == [(MIA, 10, True), (BO, 10, True), (MIA, 5, True)]


def test_where_one_person_is_over_the_total_no_person_has_lines(sessions, reserve):
    reserve(1, MIA)
    assert reserve(2, MIA, BO) == {MIA: 10}
    assert stored(sessions) == [(MIA, 10, True)]


def test_a_pull_request_keeps_the_most_lines_that_it_had_and_is_not_counted_against_itself(sessions, reserve):
    assert [reserve(1, MIA, lines=lines) for lines in (10, 3, 12)] == [{}, {MIA: 7}, {}]
    assert stored(sessions) == [(MIA, 12, True)]


def test_an_earlier_head_with_more_lines_counts_when_the_pull_request_is_reopened_with_fewer(sessions, vault, reserve):
    reserve(1, MIA)
    end(sessions, vault, 1, merged=False)
    reserve(2, MIA)
    assert reserve(1, MIA, lines=5) == {MIA: 15}
    assert stored(sessions) == [(MIA, 10, False), (MIA, 10, True)]


def test_lines_of_another_owner_are_not_counted(reserve):
    reserve(1, MIA)
    assert reserve(2, MIA, owner_id=8) == {}


def test_lines_count_after_the_merge_and_not_after_another_end(sessions, vault, reserve):
    reserve(1, MIA, BO)
    assert end(sessions, vault, 1, merged=True) == []
    assert end(sessions, vault, 1, merged=False) == [MIA, BO]
    assert end(sessions, vault, 1, merged=False) == []
    assert reserve(2, MIA) == {}
    assert end(sessions, vault, 1, merged=True) == [MIA, BO]
    assert reserve(3, MIA, lines=1, total=20) == {MIA: 20}


def test_a_row_that_is_not_as_logged_uses_up_the_total(sessions, reserve):
    reserve(1, MIA, lines=2)
    with sessions() as session:
        session.execute(text("UPDATE small_change SET lines = 1"))
    assert reserve(2, MIA, lines=1) == {MIA: 15}
    assert reserve(3, BO, lines=1) == {}


def test_of_two_at_once_the_second_waits_and_sees_the_lines_of_the_first(sessions, vault, reserve):
    with ThreadPoolExecutor(1) as pool:
        with sessions() as session:
            context = within(session, vault, NOON, lambda: f"e{next(ids)}")
            small_changes.reserve(context, draft(posted(session, 1), MIA, lines=10, total=15))
            other = pool.submit(reserve, 2, MIA)
            with pytest.raises(TimeoutError):
                other.result(timeout=0.3)
        assert other.result(timeout=20) == {MIA: 10}


def test_a_person_is_told_of_their_own_lines_alone(sessions, vault, reserve):
    reserve(1, MIA, BO)
    with sessions() as session:
        found = activity_data.everything(session, vault, MIA)["small_changes"]
    assert found == [{"pull_request": "cann/ge#1", "lines": 10, "counts": True, "at": "2026-11-21T12:00:00Z"}]
