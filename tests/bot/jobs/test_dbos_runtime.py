"""DBOS does here what it does not do by itself, by names that it calls its own."""

import inspect
import threading
import time

import dbos._sys_db
import pytest
from dbos import DBOS
from dbos._core import ActiveWorkflowById
from dbos._dbos import _get_dbos_instance
from dbos._queue import queue_worker_thread
from dbos._sys_db import SystemDatabase

from bot.clock import monotonic
from bot.jobs.dbos_runtime import ActiveWorkflows
from tests.bot.jobs.test_durable import Ran, durable, until


@pytest.fixture(name="running")
def _running(engine):
    """A started engine."""
    subject = durable(engine)
    subject.start(Ran())
    yield subject
    subject.stop()


def test_what_we_use_of_dbos_without_its_promise_is_there():
    """Names that it calls its own: a release that changes one is noticed here."""
    assert list(inspect.signature(queue_worker_thread).parameters) == ["stop_event", "dbos", "queue"]
    loop = inspect.getsource(queue_worker_thread)
    assert "if stop_event.wait(timeout=" in loop
    assert "if queue.database_backed_queue:" in loop
    assert list(inspect.signature(ActiveWorkflowById._remove).parameters) == ["self", "key", "bucket"]
    assert callable(DBOS._recover_pending_workflows)
    assert callable(SystemDatabase.run_migrations)
    assert "time.sleep(actual_backoff)" in inspect.getsource(dbos._sys_db.db_retry)


def test_dbos_tells_what_runs_by_the_list_that_tells_us(engine, running):
    """Else nobody would learn that there is room again."""
    assert isinstance(_get_dbos_instance()._active_workflows_set, ActiveWorkflows)


def test_nothing_of_the_engine_s_own_asks_in_vain(engine, running):
    """Its threads for schedules, deadlines and its own queue end: each would ask every second, and one would write."""
    names = (
        "queue_thread",
        "run_notification_listener",
        "dynamic_scheduler_loop",
        "queue-worker",
        "dbos-background-jobs",
    )
    assert until(lambda: not [one.name for one in threading.enumerate() if any(name in one.name for name in names)])


def test_a_database_that_is_back_is_found_soon(running):
    """However long it was away: no wait between two tries is longer, and all else of the module is as it was."""
    begun = monotonic()
    dbos._sys_db.time.sleep(60)
    assert 0.9 <= monotonic() - begun < 5
    dbos._sys_db.time.sleep(0.01)
    assert dbos._sys_db.time.monotonic is time.monotonic
