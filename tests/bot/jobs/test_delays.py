"""What was put off by a clock that was ahead is put off by its own delay, not by that clock's."""

from datetime import timedelta

from sqlalchemy import text

from bot.clock import now
from bot.job_queue import Job
from bot.jobs import delays
from tests.bot.jobs.test_durable import durable, put, row, table

HOUR = 3_600_000


def ahead(engine, job_id: str) -> None:
    """As a clock would have stored it that was an hour ahead."""
    with engine.begin() as connection:
        connection.execute(
            text(
                f"UPDATE {table(engine)} SET delay_until_epoch_ms = delay_until_epoch_ms + {HOUR} WHERE workflow_uuid = :id"
            ),
            {"id": job_id},
        )


def test_only_what_would_wait_longer_than_it_should(sessions, engine):
    """It waits its own delay from now on, once; others, also those without a delay, stay as they are."""
    subject = durable(engine)
    subject.prepare()
    late, fine, _ = put(
        sessions,
        subject,
        Job("a", (), "later", timedelta(minutes=5)),
        Job("b", (), "later", timedelta(hours=2)),
        Job("c"),
    )
    ahead(engine, late)
    before = row(engine, fine).delay_until_epoch_ms

    assert delays.shorten(subject._client) == 1
    left = row(engine, late).delay_until_epoch_ms / 1000 - now().timestamp()
    assert 290 < left <= 300
    assert before == row(engine, fine).delay_until_epoch_ms
    assert delays.shorten(subject._client) == 0


def test_a_start_does_it(sessions, engine):
    """Nobody waits for the first look of the chore."""
    subject = durable(engine)
    subject.prepare()
    (late,) = put(sessions, subject, Job("a", (), "later", timedelta(minutes=5)))
    ahead(engine, late)
    subject.start(lambda _job, _id: None)
    subject.stop(timeout=0)

    assert row(engine, late).delay_until_epoch_ms / 1000 - now().timestamp() <= 300
