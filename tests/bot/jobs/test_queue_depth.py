"""Waiting jobs are counted by the engine's own table: taken ones and those for later do not count."""

from datetime import timedelta

from bot.job_queue import Job
from bot.jobs import queue_depth
from bot.jobs.durable import DurableEngine


def test_only_jobs_that_are_due_and_not_taken_are_counted(engine, sessions):
    jobs = DurableEngine(engine, executor_id="one")
    jobs.prepare()
    with sessions() as session:
        assert queue_depth.read(session) == {"now": 0, "later": 0, "outgoing": 0}
    with sessions() as session:
        for queue in ("now", "later", "later"):
            jobs.enqueue(session, Job("review", (1,), queue))
        jobs.enqueue(session, Job("review", (1,), "now", timedelta(minutes=1)))
    with sessions() as session:
        assert queue_depth.read(session) == {"now": 1, "later": 2, "outgoing": 0}
