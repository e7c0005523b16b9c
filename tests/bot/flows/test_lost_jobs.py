"""Rows that say that a job waits, and none is there: an older release lost an update, or the job failed for the last time."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from bot.flows import lost_jobs
from bot.job_queue import Job
from bot.jobs import queue_depth
from bot.jobs.durable import DurableEngine
from bot.store.license_checks import LicenseCheck
from bot.store.merge_groups import MergeGroup
from bot.store.records import PullRecord

SHA = "a" * 40


@pytest.fixture(name="services")
def _services(engine, sessions):
    """The durable engine, which takes no jobs here; nothing else is asked for."""
    jobs = DurableEngine(engine, executor_id="one")
    jobs.prepare()
    return SimpleNamespace(sessions=sessions, engine=jobs)


def pull(number, queued):
    """A pull request's row that says so."""
    return PullRecord(
        id=number,
        repository_id=1,
        number=number,
        installation_id=3,
        owner_id=4,
        owner="",
        name="",
        latest=1,
        queued=queued,
    )


def store(services, *rows, jobs=()):
    """Store rows, and jobs; the jobs' ids."""
    with services.sessions() as session:
        session.add_all(rows)
        return [services.engine.enqueue(session, job) for job in jobs]


def become(services, job_id, status):
    """Have the engine's table say that of a job."""
    with services.sessions() as session:
        there = "" if session.get_bind().dialect.name == "sqlite" else "dbos."
        session.execute(
            text(f"UPDATE {there}workflow_status SET status = :status WHERE workflow_uuid = :id"),
            {"status": status, "id": job_id},
        )


def test_every_kind_is_queued_again_once(services):
    """Where its row says that it waits."""
    where = {"repository_id": 1, "head_sha": SHA, "latest": 1}
    group = MergeGroup(**where, installation_id=3, owner_id=4, owner="", name="", branch="", numbers=[], queued=1)
    head = LicenseCheck(**where, basis={}, queued=2)
    store(services, pull(1, 1), pull(2, 0), head, group)

    assert lost_jobs.requeue(services) == 3
    assert services.engine.unfinished() == {("review", (1,)), ("licenses", (1, SHA)), ("merge-group", (1, SHA))}
    with services.sessions() as session:
        assert queue_depth.read(session) == {"now": 1, "later": 2}
    assert lost_jobs.requeue(services) == 0


@pytest.mark.parametrize(
    ("status", "found"), [("ENQUEUED", 0), ("PENDING", 0), ("SUCCESS", 1), ("ERROR", 1), ("CANCELLED", 1)]
)
def test_a_job_that_waits_or_runs_is_not_lost(services, status, found):
    """One that runs may be a dead process's: others take that up."""
    [job_id] = store(services, pull(1, 2), jobs=[Job("review", (1,))])
    become(services, job_id, status)

    assert lost_jobs.requeue(services) == found


def test_a_job_that_waits_for_its_moment_is_not_lost(services):
    """Nor one of another subject with the same number."""
    store(services, pull(1, 1), jobs=[Job("review", (1,), "later", timedelta(hours=1))])
    assert lost_jobs.requeue(services) == 0
    store(services, pull(2, 1), jobs=[Job("answer", (2,))])
    assert lost_jobs.requeue(services) == 1
