"""DBOS is made to do more than it does by itself, by its private names."""

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
from tests.bot.jobs.engines import until


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


@pytest.mark.slow
def test_dbos_reports_running_jobs_by_the_list_that_we_watch(engine, running):
    assert isinstance(_get_dbos_instance()._active_workflows_set, ActiveWorkflows)


@pytest.mark.slow
def test_threads_of_dbos_that_ask_in_vain_are_ended(engine, running):
    """DBOS has threads for schedules, deadlines and its own queue that ask the database every second."""
    names = (
        "queue_thread",
        "run_notification_listener",
        "dynamic_scheduler_loop",
        "queue-worker",
        "dbos-background-jobs",
    )
    assert until(
        lambda: not [thread.name for thread in threading.enumerate() if any(name in thread.name for name in names)]
    )


def test_a_database_that_is_back_is_found_soon(running):
    begun = monotonic()
    dbos._sys_db.time.sleep(60)
    assert 0.9 <= monotonic() - begun < 5
    dbos._sys_db.time.sleep(0.01)
    assert dbos._sys_db.time.monotonic is time.monotonic
