"""The durable engine keeps the port's promises on both databases, in one process."""

import threading
import time
from datetime import timedelta

import pytest
from sqlalchemy import event, text

from bot.clock import now
from bot.job_queue import Job
from bot.jobs.liveness import PollPace
from bot.store import executors
from tests.bot.jobs.engines import durable, put, row, until


def test_a_process_alone_says_that_it_lives(sessions, engine, ran):
    """Other programs count the processes that take jobs."""
    subject = durable(engine, pace=PollPace(beat=timedelta(seconds=0.1)))
    subject.start(ran)

    def beats():
        with sessions() as session:
            return list(executors.alive(session, since=now() - timedelta(minutes=1)).values())

    try:
        [first] = beats()
        assert until(lambda: max(beats()) > first)
    finally:
        subject.stop()
    assert beats() == []


def test_committed_jobs_run_and_rolled_back_ones_do_not(sessions, running, ran):
    def half_done():
        with sessions() as session:
            running.enqueue(session, Job("lost"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_done()
    ids = put(
        sessions,
        running,
        Job("review", (2**53, "a-b")),
        Job("slow", (), "later"),
        Job("late", (), "later", timedelta(seconds=1)),
    )

    assert until(lambda: len(ran.jobs) == 3)
    assert sorted(ran.jobs, key=lambda pair: ids.index(pair[1])) == [
        (Job("review", (2**53, "a-b")), ids[0]),
        (Job("slow", (), "later"), ids[1]),
        (Job("late", (), "later"), ids[2]),
    ]
    assert ran.names()[-1] == "late"


def test_a_process_that_only_stores_jobs_needs_no_start(sessions, engine, ran):
    web = durable(engine, sole=False)
    web.prepare()
    web.prepare()
    put(sessions, web, Job("stored"))

    worker = durable(engine, sole=False)
    worker.start(ran)
    try:
        assert until(lambda: ran.names() == ["stored"])
    finally:
        worker.stop()


def test_a_process_that_only_stores_jobs_is_no_worker(engine, ran):
    web, worker, alone = durable(engine, sole=False), durable(engine, sole=False), durable(engine)
    worker.start(ran)
    try:
        assert [worker.workers(), web.workers(), alone.workers()] == [1, 2, 1]  # the process that asks counts itself
    finally:
        worker.stop()


def test_stopping_is_bounded_and_the_next_process_goes_on(sessions, engine, ran):
    hold, begun = threading.Event(), []

    def stuck(job, job_id):
        begun.append(job_id)
        hold.wait(30)

    first = durable(engine)
    first.start(stuck)
    (job_id,) = put(sessions, first, Job("stuck"))
    assert until(lambda: begun == [job_id])
    before = time.monotonic()
    first.stop(timeout=1)
    assert time.monotonic() - before < 8
    first.stop()

    second = durable(engine)
    second.start(ran)
    try:
        assert until(lambda: [found for _, found in ran.jobs] == [job_id])
    finally:
        hold.set()
        second.stop()


def test_stopping_waits_until_finished_jobs_are_written(sessions, engine):
    done = threading.Event()

    @event.listens_for(engine, "before_cursor_execute")
    def slowly(_connection, _cursor, statement, *_):
        if done.is_set() and "UPDATE" in statement[:20] and "workflow_status" in statement:
            time.sleep(1.5)

    subject = durable(engine)
    subject.start(lambda *_: done.set())
    (job_id,) = put(sessions, subject, Job("quick"))
    assert done.wait(10)
    subject.stop()
    event.remove(engine, "before_cursor_execute", slowly)
    assert row(engine, job_id).status == "SUCCESS"
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("dbos-executor")]


def test_a_process_stops_and_starts_again_while_the_database_is_away(sessions, engine, ran):
    subject = durable(engine, sole=False)
    subject.start(ran)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE executor RENAME TO away"))
    subject.stop()
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE away RENAME TO executor"))
    subject.start(ran)
    try:
        (job_id,) = put(sessions, subject, Job("after"))
        assert until(lambda: [found for _, found in ran.jobs] == [job_id])
    finally:
        subject.stop()


def test_a_second_engine_in_a_process_is_refused(engine, running, ran):
    """A process has one DBOS."""
    with pytest.raises(RuntimeError, match="already"):
        durable(engine).start(ran)
