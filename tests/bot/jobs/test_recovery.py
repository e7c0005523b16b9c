"""A job that was begun and runs nowhere is begun again; one that runs is left alone."""

import threading
import time
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import text

from bot.job_queue import Job
from bot.jobs.liveness import PollPace
from tests.bot.jobs.engines import durable, put, row, table, until


@contextmanager
def refusing(engine, operation, when):
    """The engine's table takes no such change, as a full disk would not."""
    where = table(engine)
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql(
                f"CREATE TRIGGER full_disk BEFORE {operation} ON {where} WHEN {when} "
                "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
            )
        else:
            connection.exec_driver_sql(
                "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
                "$$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '57014'; END $$"
            )
            connection.exec_driver_sql(
                f"CREATE TRIGGER full_disk BEFORE {operation} ON {where} FOR EACH ROW WHEN ({when}) "
                "EXECUTE FUNCTION full_disk()"
            )
    yield
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "DROP TRIGGER full_disk" + ("" if engine.dialect.name == "sqlite" else f" ON {where}")
        )


RECOVERING = PollPace(later_poll=0.1, beat=timedelta(seconds=0.2), lost=timedelta(seconds=1))


@pytest.fixture(name="recovering")
def _recovering(engine, ran):
    """A started engine that looks for lost jobs all the time."""
    subject = durable(engine, pace=RECOVERING)
    subject.start(ran)
    yield subject
    subject.stop()


def test_a_job_that_was_begun_two_hundred_times_is_not_lost(sessions, engine, ran):
    subject = durable(engine)
    subject.prepare()
    (job_id,) = put(sessions, subject, Job("killed"))
    with engine.begin() as connection:
        begun = f"UPDATE {table(engine)} SET status = 'PENDING', executor_id = 'gone', recovery_attempts = 200"
        connection.execute(text(f"{begun} WHERE workflow_uuid = :id"), {"id": job_id})
    subject.start(ran)
    try:
        assert until(lambda: [found for _, found in ran.jobs] == [job_id])
    finally:
        subject.stop()


@pytest.mark.slow
def test_a_job_whose_end_could_not_be_written_is_done_once_more(sessions, engine, recovering, ran):
    with refusing(engine, "UPDATE", "NEW.status = 'SUCCESS'"):
        (job_id,) = put(sessions, recovering, Job("unended", (7,)))
        assert until(lambda: row(engine, job_id).recovery_attempts >= 3)
        assert row(engine, job_id).status in ("PENDING", "ENQUEUED")

    assert until(lambda: row(engine, job_id).status == "SUCCESS")
    time.sleep(1.5)
    assert row(engine, job_id).status == "SUCCESS", "what has ended is left alone"
    assert {found for _, found in ran.jobs} == {job_id}


@pytest.mark.slow
def test_a_failed_job_that_could_not_be_queued_again_is_tried_again(sessions, engine, recovering, ran):
    ran.fail = {"always": 1000}
    with refusing(engine, "INSERT", "NEW.status = 'DELAYED'"):
        (job_id,) = put(sessions, recovering, Job("always"))
        assert until(lambda: ran.names().count("always") >= 3)
        time.sleep(0.5)
        assert row(engine, job_id).status in ("PENDING", "ENQUEUED")
    assert until(lambda: row(engine, f"{job_id}.2") is not None, 20)
    assert until(lambda: row(engine, job_id).status == "SUCCESS")


@pytest.mark.slow
def test_a_job_that_runs_long_is_not_begun_again(sessions, engine, recovering, ran):
    hold = threading.Event()
    ran.work = lambda _job_id: hold.wait(20)
    (job_id,) = put(sessions, recovering, Job("long"))
    assert until(lambda: ran.names() == ["long"])
    time.sleep(2.5)
    assert ran.names() == ["long"]
    hold.set()
    assert until(lambda: row(engine, job_id).status == "SUCCESS")
    assert ran.names() == ["long"]


def test_no_job_runs_twice_at_the_same_time(sessions, engine, recovering, ran):
    inside, most = [], []

    def slow(job_id):
        inside.append(job_id)
        most.append(len(inside))
        time.sleep(0.6)
        inside.remove(job_id)

    ran.work = slow
    (job_id,) = put(sessions, recovering, Job("slow"))
    assert until(lambda: ran.names() == ["slow"])
    [begun] = recovering._rows.begun()
    assert recovering._rows.queue_again(begun)
    assert not recovering._rows.queue_again(begun), "another process was first"

    assert until(lambda: row(engine, job_id).status == "SUCCESS")
    assert (ran.names(), max(most)) == (["slow"] * 2, 1)
