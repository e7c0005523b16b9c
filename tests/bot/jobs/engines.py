"""Durable engines for tests, what they ran, and their rows."""

import time

from sqlalchemy import text

from bot.clock import new_id
from bot.jobs.durable import DurableEngine
from bot.jobs.liveness import PollPace

QUICK = PollPace(later_poll=0.1)


class Ran:
    """A runner that writes down what it was given; `work` does it, if there is one."""

    def __init__(self):
        self.jobs, self.fail, self.work = [], {}, None

    def __call__(self, job, job_id):
        self.jobs.append((job, job_id))
        if self.work is not None:
            self.work(job_id)
        if self.fail.get(job.name, 0) > 0:
            self.fail[job.name] -= 1
            raise ValueError("ann@example.org is nobody's business")

    def names(self):
        return [job.name for job, _ in self.jobs]


def until(condition, seconds=10):
    """Wait until it is true; false when the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def durable(engine, **options):
    """A durable engine under a new executor id."""
    return DurableEngine(engine, executor_id=new_id(), **{"sole": True, "pace": QUICK, **options})


def put(sessions, subject, *jobs):
    """Store jobs in one transaction; gives their ids."""
    with sessions() as session:
        return [subject.enqueue(session, job) for job in jobs]


def table(engine, name="workflow_status"):
    """The engine's own table, where it keeps it."""
    return name if engine.dialect.name == "sqlite" else f"dbos.{name}"


def row(engine, workflow_id):
    """The engine's row of a job."""
    with engine.connect() as connection:
        query = text(f"SELECT * FROM {table(engine)} WHERE workflow_uuid = :id")
        return connection.execute(query, {"id": workflow_id}).one_or_none()
