"""Pull requests of a repository are shown and hidden together, and one that is out of reach counts as closed."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import update
from sqlmodel import select

from bot.store.pulls import posts, visibility
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.visibility import RepositoryState
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ROWS = {1: (11, 7, False, True), 2: (11, 7, True, False), 3: (12, 7, False, False), 4: (13, 8, False, True)}
"""Number → repository, owner, whether private and open."""


@pytest.fixture(name="session")
def _session(sessions):
    with sessions() as session:
        for number, (repository_id, owner_id, private, is_open) in ROWS.items():
            box = PullRequestIdentity(
                repository_id=repository_id, number=number, installation_id=1, owner_id=owner_id, owner="o", name="n"
            )
            pull_id, _ = posts.post(session, InlineEngine(), box)
            values = {"private": private, "open": is_open}
            session.execute(update(PullRecord).where(PullRecord.id == pull_id).values(**values))
        yield session


def rows(session):
    """Number → whether private and open, and the last event."""
    session.expire_all()
    return {pull.number: (pull.private, pull.open, pull.updated_at) for pull in session.exec(select(PullRecord))}


def test_the_state_of_a_repository_is_that_of_all_its_pull_requests(session):
    assert visibility.of_owner(session, 7) == {
        11: RepositoryState(shown=True, hidden=True, open=True),
        12: RepositoryState(shown=True),
    }
    assert visibility.of_owner(session, 9) == {}
    assert sorted(visibility.owners(session)) == [7, 8]


@pytest.mark.parametrize("private", [True, False])
def test_all_of_a_repository_are_shown_or_hidden_and_stay_open(session, private):
    visibility.set_private(session, 11, private=private)
    kept = {number: (row[2], row[3], None) for number, row in ROWS.items()}
    assert rows(session) == kept | {1: (private, True, None), 2: (private, False, None)}


@pytest.mark.parametrize(
    ("lost", "gone"),
    [
        (lambda session: visibility.lost_repository(session, 11, at=NOON), {1, 2}),
        (lambda session: visibility.lost_owner(session, 7, at=NOON), {1, 2, 3}),
    ],
    ids=["repository", "owner"],
)
def test_what_is_out_of_reach_is_hidden_and_closed_and_kept_from_then_on(session, lost, gone):
    lost(session)
    assert rows(session) == {
        number: (
            private or number in gone,
            is_open and number not in gone,
            NOON if is_open and number in gone else None,
        )
        for number, (_, _, private, is_open) in ROWS.items()
    }
