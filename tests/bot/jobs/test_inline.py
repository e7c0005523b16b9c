"""The inline engine keeps the port's promises without threads."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.job_queue import Job
from tests.bot.jobs.inline import InlineEngine


def test_jobs_of_a_rolled_back_session_never_run(sessions):
    engine, ran = InlineEngine(), []
    engine.start(lambda job, job_id: ran.append((job.name, job_id)))

    def half_done():
        with sessions() as session:
            engine.enqueue(session, Job("lost"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_done()
    with sessions() as session:
        kept = engine.enqueue(session, Job("kept"))
        assert engine.run_all() == 0

    assert engine.run_all() == 1
    assert ran == [("kept", kept)]


def test_urgent_jobs_go_first_and_delayed_ones_wait(sessions):
    engine, ran = InlineEngine(), []
    engine.start(lambda job, _: ran.append(job.name))
    with sessions() as session:
        engine.enqueue(session, Job("delayed", delay=timedelta(seconds=5)))
        engine.enqueue(session, Job("storm", queue="later"))
        engine.enqueue(session, Job("someone"))

    assert engine.run_all() == 2
    assert ran == ["someone", "storm"]
    assert engine.run_all(delayed=True) == 1
    assert ran[-1] == "delayed"


def test_a_job_may_queue_jobs(sessions):
    engine = InlineEngine()

    def runner(job, _):
        with sessions() as session:
            engine.enqueue(session, Job("again"))

    with sessions() as session:
        engine.enqueue(session, Job("again"))
    with pytest.raises(RuntimeError, match="not started"):
        engine.run_all()
    with sessions() as session:
        engine.enqueue(session, Job("again"))
    engine.start(runner)
    with pytest.raises(RuntimeError, match="still wait after"):
        engine.run_all(limit=10)
    engine.stop()
    with pytest.raises(RuntimeError, match="not started"):
        engine.run_all()


def test_two_engines_on_one_session_keep_their_own_jobs(sessions):
    first, second = InlineEngine(), InlineEngine()
    with sessions() as session:
        first.enqueue(session, Job("one"))
        second.enqueue(session, Job("two"))

    assert (first.waiting, second.waiting) == ((Job("one"),), (Job("two"),))


def test_a_delayed_job_becomes_due_by_the_clock(sessions):
    at, ran = datetime(2026, 11, 25, tzinfo=UTC), []
    engine = InlineEngine(lambda: at)
    engine.start(lambda job, _: ran.append(job.name))
    assert engine.next_due is None
    with sessions() as session:
        engine.enqueue(session, Job("delayed", queue="later", delay=timedelta(seconds=5)))
        engine.enqueue(session, Job("storm", queue="later"))
        engine.enqueue(session, Job("someone"))

    assert engine.next_due == at
    assert [engine.run_due() for _ in range(3)] == [True, True, False]
    assert engine.next_due == at + timedelta(seconds=5)
    at += timedelta(seconds=5)
    assert [engine.run_due(), engine.run_due()] == [True, False]
    assert ran == ["someone", "storm", "delayed"]
