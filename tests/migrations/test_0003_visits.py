"""Step 0003 adds the table of visits beside rows that are there already."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import inspect

import migrations
from bot import db
from bot.store import portal_sessions

pytestmark = pytest.mark.from_nothing

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="engine")
def _engine(database_url):
    """An open engine on an empty database."""
    engine = db.open_engine(database_url)
    yield engine
    engine.dispose()


def test_visits_can_be_kept_after_the_step(engine):
    """Before the step there is no such table; after it a visit is kept and found, and both indexes exist."""
    migrations.upgrade(engine, "0002")
    assert not inspect(engine).has_table("visit")

    migrations.upgrade(engine, "0003")

    sessions = db.sessions(engine)
    with sessions() as session:
        portal_sessions.keep(session, "a" * 64, 7, b"sealed", NOON)
    with sessions() as session:
        assert portal_sessions.find(session, "a" * 64, NOON).sealed == b"sealed"
    assert {index["name"] for index in inspect(engine).get_indexes("visit")} == {
        "ix_visit_account_id",
        "ix_visit_expires_at",
    }
