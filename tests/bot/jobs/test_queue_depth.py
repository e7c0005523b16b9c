"""How many jobs wait, by the engine's own table: taken ones and those for later do not count."""

from datetime import timedelta

from bot.job_queue import Job
from bot.jobs import queue_depth
from bot.jobs.durable import DurableEngine


def test_each_queue_is_counted(engine, sessions):
    """Both are always there; what was rolled back and what waits for its moment is not."""
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
