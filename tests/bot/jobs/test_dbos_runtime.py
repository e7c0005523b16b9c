"""DBOS is made to do more than it does by itself, by its private names."""

import inspect
import threading
import time
from datetime import timedelta

import dbos._sys_db
import pytest
from dbos import DBOS
from dbos._core import ActiveWorkflowById
from dbos._dbos import _get_dbos_instance
from dbos._queue import queue_worker_thread
from dbos._sys_db import SystemDatabase
from sqlalchemy import text

from bot.clock import monotonic, now
from bot.job_queue import Job
from bot.jobs import dbos_runtime
from bot.jobs.dbos_runtime import ActiveWorkflows
from bot.jobs.liveness import PollPace
from bot.jobs.wakeup import Wakeup
from tests.bot.jobs.test_durable import Ran, durable, put, row, table, until


@pytest.fixture(name="running")
def _running(engine):
    """A started engine."""
    subject = durable(engine)
    subject.start(Ran())
    yield subject
    subject.stop()


def test_the_private_names_of_dbos_that_we_use_are_there():
    """A release of DBOS that changes one of them is noticed here."""
    assert list(inspect.signature(queue_worker_thread).parameters) == ["stop_event", "dbos", "queue"]
    loop = inspect.getsource(queue_worker_thread)
    assert "if stop_event.wait(timeout=" in loop
    assert "if queue.database_backed_queue:" in loop
    assert list(inspect.signature(ActiveWorkflowById._remove).parameters) == ["self", "key", "bucket"]
    assert callable(DBOS._recover_pending_workflows)
    assert callable(SystemDatabase.run_migrations)
    assert "time.sleep(actual_backoff)" in inspect.getsource(dbos._sys_db.db_retry)


def test_dbos_reports_running_jobs_by_the_list_that_we_watch(engine, running):
    assert isinstance(_get_dbos_instance()._active_workflows_set, ActiveWorkflows)


def test_threads_of_dbos_that_ask_in_vain_are_ended(engine, running):
    """DBOS has threads for schedules, deadlines and its own queue that ask the database every second."""
    names = (
        "queue_thread",
        "run_notification_listener",
        "dynamic_scheduler_loop",
        "queue-worker",
        "dbos-background-jobs",
    )
    assert until(lambda: not [one.name for one in threading.enumerate() if any(name in one.name for name in names)])


def test_a_database_that_is_back_is_found_soon(running):
    begun = monotonic()
    dbos._sys_db.time.sleep(60)
    assert 0.9 <= monotonic() - begun < 5
    dbos._sys_db.time.sleep(0.01)
    assert dbos._sys_db.time.monotonic is time.monotonic


HOUR = 3_600_000


@pytest.fixture(name="ran")
def _ran():
    return Ran()


@pytest.fixture(name="seldom")
def _seldom(engine, ran):
    """A started engine that seldom looks."""
    subject = durable(engine, pace=PollPace(now_poll=60, later_poll=60, delayed_poll=60))
    subject.start(ran)
    yield subject
    subject.stop()


def ahead(engine, job_id: str) -> None:
    """As a clock would have stored it that was an hour ahead."""
    with engine.begin() as connection:
        connection.execute(
            text(
                f"UPDATE {table(engine)} SET delay_until_epoch_ms = delay_until_epoch_ms + {HOUR} WHERE workflow_uuid = :id"
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

    assert dbos_runtime.shorten(subject._client) == 1
    left = row(engine, late).delay_until_epoch_ms / 1000 - now().timestamp()
    assert 290 < left <= 300
    assert before == row(engine, fine).delay_until_epoch_ms
    assert dbos_runtime.shorten(subject._client) == 0


def test_a_start_shortens_delays_that_are_too_long(sessions, engine):
    subject = durable(engine)
    subject.prepare()
    (late,) = put(sessions, subject, Job("a", (), "later", timedelta(minutes=5)))
    ahead(engine, late)
    subject.start(lambda _job, _id: None)
    subject.stop()

    assert row(engine, late).delay_until_epoch_ms / 1000 - now().timestamp() <= 300


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
    looks = dbos_runtime.DelayedJobs(subject._client._sys_db, wakeup, longest=60, queued=lambda: queued.append(1))
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
