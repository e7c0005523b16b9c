"""Rows of jobs are JSON, keep their own delay, and are purged batch by batch."""

import json
import threading
from datetime import timedelta

import pytest
from sqlalchemy import text

from bot.clock import now
from bot.job_queue import Job
from bot.jobs.job_rows import PURGE_BATCH_JOBS
from tests.bot.jobs.engines import durable, put, row, table, until


def test_arguments_are_json_and_never_pickles(sessions, engine, running):
    """Write access to the database must not become code in our process."""
    (job_id,) = put(sessions, running, Job("review", (5, "x"), "later", timedelta(hours=1)))

    with engine.begin() as connection:
        name = "workflow_input" if engine.dialect.name == "sqlite" else "dbos.workflow_input"
        stored = connection.execute(text(f"SELECT inputs FROM {name} WHERE workflow_uuid = '{job_id}'")).scalar_one()
    assert json.loads(stored) == {"namedArgs": {}, "positionalArgs": ["review", [5, "x"], "later", job_id, 1]}
    assert row(engine, job_id).serialization == "portable_json"
    assert row(engine, job_id).application_version == "1"


def test_finished_jobs_before_a_moment_are_purged(sessions, engine, running, ran):
    (old,) = put(sessions, running, Job("old"))
    assert until(lambda: row(engine, old) is not None and row(engine, old).status == "SUCCESS")
    (waiting,) = put(sessions, running, Job("waiting", (), "later", timedelta(hours=1)))

    assert running._rows.purge_batch(before=now() - timedelta(hours=1)) == 0
    assert running._rows.purge_batch(before=now() + timedelta(seconds=2)) == 1
    assert (row(engine, old), row(engine, waiting).status) == (None, "DELAYED")


@pytest.mark.slow
def test_more_than_a_lot_is_purged_in_one_go(sessions, engine, running, ran):
    hold = Job("old", (), "later", timedelta(hours=1))
    put(sessions, running, *[hold] * (2 * PURGE_BATCH_JOBS + 1))
    (young,) = put(sessions, running, hold)
    month = int((now() - timedelta(days=30)).timestamp() * 1000)
    with engine.begin() as connection:
        ended = (
            f"UPDATE {table(engine)} SET status = 'SUCCESS', completed_at = {month} WHERE workflow_uuid <> '{young}'"
        )
        connection.execute(text(ended))
    assert running._rows.purge_batch(before=now()) == PURGE_BATCH_JOBS

    running._rows.purge(before=now(), stopping=threading.Event())

    with engine.connect() as connection:
        names = ("workflow_status", "workflow_input")
        left = [connection.execute(text(f"SELECT count(*) FROM {table(engine, name)}")).scalar_one() for name in names]
    assert left == [1, 1]


HOUR_MS = 3_600_000


def ahead(engine, job_id: str) -> None:
    """As a clock would have stored it that was an hour ahead."""
    with engine.begin() as connection:
        connection.execute(
            text(
                f"UPDATE {table(engine)} SET delay_until_epoch_ms = delay_until_epoch_ms + {HOUR_MS} WHERE workflow_uuid = :id"
            ),
            {"id": job_id},
        )


def test_only_a_delay_longer_than_the_jobs_own_is_shortened_once(sessions, engine):
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

    assert subject._rows.shorten_delays() == 1
    left = row(engine, late).delay_until_epoch_ms / 1000 - now().timestamp()
    assert 290 < left <= 300
    assert before == row(engine, fine).delay_until_epoch_ms
    assert subject._rows.shorten_delays() == 0


def test_a_start_shortens_delays_that_are_too_long(sessions, engine):
    subject = durable(engine)
    subject.prepare()
    (late,) = put(sessions, subject, Job("a", (), "later", timedelta(minutes=5)))
    ahead(engine, late)
    subject.start(lambda _job, _id: None)
    subject.stop()

    assert row(engine, late).delay_until_epoch_ms / 1000 - now().timestamp() <= 300
