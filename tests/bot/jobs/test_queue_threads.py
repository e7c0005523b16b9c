"""Threads take jobs as soon as they are stored here, and look for those of others."""

import threading
import time
from datetime import timedelta

import pytest
from sqlalchemy import text

from bot.clock import now
from bot.job_queue import Job
from bot.jobs.liveness import PollPace
from bot.jobs.queue_threads import DelayedJobs
from bot.jobs.wakeup import Wakeup
from tests.bot.jobs.engines import durable, put, row, table, until


def test_a_job_committed_here_starts_at_once(sessions, engine, ran):
    subject = durable(engine, pace=PollPace(now_poll=60, later_poll=60, later_workers=2))
    subject.start(ran)
    try:
        put(sessions, subject, Job("first"), *[Job("many", (number,), "later") for number in range(6)])
        assert until(lambda: len(ran.jobs) == 7)
    finally:
        subject.stop()


@pytest.fixture(name="seldom")
def _seldom(engine, ran):
    """A started engine that seldom looks."""
    subject = durable(engine, pace=PollPace(now_poll=60, later_poll=60, delayed_poll=60))
    subject.start(ran)
    yield subject
    subject.stop()


def test_a_job_begins_at_its_moment_without_a_look(sessions, engine, seldom, ran):
    hour, second = put(
        sessions,
        seldom,
        Job("a", (), "later", timedelta(hours=1)),
        Job("b", (), "later", timedelta(seconds=1)),
    )

    assert until(lambda: ran.names() == ["b"])
    assert row(engine, second).delay_until_epoch_ms <= now().timestamp() * 1000
    assert row(engine, hour).status == "DELAYED"


def test_a_job_put_off_by_another_process_is_found_by_looking(sessions, engine, ran):
    subject, other = durable(engine, pace=PollPace(later_poll=60, delayed_poll=0.5)), durable(engine)
    subject.start(ran)
    try:
        put(sessions, other, Job("b", (), "later", timedelta(seconds=1)))
        assert until(lambda: ran.names() == ["b"])
    finally:
        subject.stop()


def test_a_look_that_failed_is_not_the_last(sessions, engine):
    subject = durable(engine)
    subject.prepare()
    wakeup, queued = Wakeup(), []
    looks = DelayedJobs(subject._rows._client._sys_db, wakeup, longest=60, queued=lambda: queued.append(1))
    with engine.begin() as connection:
        connection.execute(text(f"ALTER TABLE {table(engine)} RENAME TO away"))
    thread = threading.Thread(target=looks.work)
    thread.start()
    try:
        time.sleep(1.5)
        schema = "dbos." if engine.dialect.name == "postgresql" else ""
        with engine.begin() as connection:
            connection.execute(text(f"ALTER TABLE {schema}away RENAME TO workflow_status"))
        put(sessions, subject, Job("b", (), "later", timedelta(seconds=1)))
        assert until(lambda: queued)
    finally:
        wakeup.set()
        thread.join()
