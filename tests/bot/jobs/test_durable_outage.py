"""PostgreSQL is stopped and started again under running jobs: what waited for it is done as soon as it is back."""

import tempfile
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import text

import migrations
from bot import clock, db
from bot.job_queue import Job
from bot.jobs.durable import DurableEngine
from tests.chaos.databases import Lacking, Postgres
from tests.conftest import free_port

JOBS = 40
SOON_SECONDS = 8.0


@pytest.fixture(name="server")
def _server():
    """A PostgreSQL server of this test's own; its account may not enter pytest's folders."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            server = Postgres(Path(folder), free_port())
        except Lacking as error:
            pytest.skip(str(error))
        server.start()
        yield server
        server.stop()


class Work:
    """Each job writes, works for a moment, and writes again, as a review does."""

    def __init__(self, sessions):
        self.sessions, self.done, self.begun = sessions, {}, threading.Event()

    def __call__(self, job, _job_id):
        with self.sessions() as session:
            session.execute(text("SELECT 1"))
        self.begun.set()
        time.sleep(0.5)
        with self.sessions() as session:
            session.execute(text("SELECT 1"))
        self.done[job.ids[0]] = time.monotonic()


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [12, pytest.param(60, marks=pytest.mark.nightly)])
def test_forty_jobs_end_within_seconds_of_an_outage(server, seconds):
    engine = db.open_engine(server.url)
    migrations.upgrade(engine)
    work = Work(db.sessions(engine))
    jobs = DurableEngine(engine, executor_id=clock.new_id())
    jobs.start(work)
    try:
        with work.sessions() as session:
            for number in range(JOBS):
                jobs.enqueue(session, Job("review", (number,), "now" if number % 2 else "later"))
        assert work.begun.wait(10)
        time.sleep(0.7)
        with server.away():
            before = len(work.done)
            time.sleep(seconds)
        back = time.monotonic()
        while len(work.done) < JOBS and time.monotonic() - back < 150:
            time.sleep(0.05)
        last = max(work.done.values()) - back
        print(f"OUTAGE of {seconds} s: {before} of {JOBS} jobs done before it, the last {last:.1f} s after it")
        assert len(work.done) == JOBS
        assert last < SOON_SECONDS
    finally:
        jobs.stop()
        engine.dispose()
