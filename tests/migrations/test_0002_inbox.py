"""Step 0002 adds the inbox beside rows that are there already."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

import migrations
from bot import db
from bot.job_queue import Job
from bot.store.inbox import ReviewDelivery
from bot.store.pulls import review_mailbox
from tests.bot import deliveries
from tests.bot.jobs.inline import InlineEngine

pytestmark = pytest.mark.from_nothing

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TABLES = {"delivery", "pull", "push", "first_seen", "participant", "publication", "verdict", "executor"}


@pytest.mark.slow
def test_deliveries_can_be_kept_after_the_step(engine):
    migrations.upgrade(engine, "0001")
    assert not TABLES & set(inspect(engine).get_table_names())
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO person (id, account_id, login, login_since, wrapped_key, ring_key_id, created_at)"
                " VALUES ('p1', 101, 'ann', '2026-11-21 12:00:00+00:00', :key, 'k1', '2026-11-21 12:00:00+00:00')"
            ),
            {"key": b"sealed"},
        )

    migrations.upgrade(engine, "0002")
    assert set(inspect(engine).get_table_names()) >= TABLES

    migrations.upgrade(engine)
    sessions, jobs = db.sessions(engine), InlineEngine()
    big = 2**53
    item = ReviewDelivery(
        guid="g1",
        event="pull_request",
        pull=deliveries.pull_request(big, 5, owner_id=big, installation_id=big),
        ids={"kind": "x"},
    )
    with sessions() as session:
        assert deliveries.store(session, jobs, item, at=NOON)
    with sessions() as session:
        pull = review_mailbox.find(session, big, 5)
        assert (pull.latest, pull.urgent, pull.open, pull.owner_id) == (1, True, True, big)
        assert session.execute(text("SELECT login FROM person")).scalars().all() == ["ann"]
    assert jobs.waiting == (Job("review"),)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE delivery SET state = 'lost'",
        "UPDATE pull SET queued = 3",
        "INSERT INTO participant (pull_id, account_id) VALUES (4711, 1)",
    ],
)
def test_the_database_refuses_unknown_states_and_pull_requests(engine, statement):
    migrations.upgrade(engine)
    item = ReviewDelivery(guid="g1", event="pull_request", pull=deliveries.pull_request(1, 5), ids={})
    with db.sessions(engine)() as session:
        deliveries.store(session, InlineEngine(), item, at=NOON)

    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(text(statement))
