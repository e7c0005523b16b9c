"""kill -9: a real process is killed in the middle of its jobs, and none of them is lost."""

import resource
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.clock import new_id
from bot.job_queue import Job
from bot.jobs.durable import DurableEngine
from bot.store import inbox
from bot.store.inbox import ReviewDelivery
from bot.store.pulls import review_mailbox
from tests.bot import deliveries

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Workers:
    """Processes that take jobs from one database, and the log that they share."""

    def __init__(self, url, log):
        self.url, self.log, self.running = url, log, []
        log.touch()

    def start(self, mode="sole", seconds=0.0):
        """Start a process and wait until it takes jobs."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bot.jobs.worker", self.url, self.log, mode, str(seconds)], cwd=ROOT
        )
        self.running.append(process)
        assert self.wait(lambda lines: ["ready", str(process.pid)] in lines)
        return process

    def kill(self, process):
        """As the machine would: no warning, no clean-up."""
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.running.remove(process)

    def lines(self):
        return [line.split() for line in self.log.read_text().splitlines()]

    def wait(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition(self.lines()):
                return True
            time.sleep(0.05)
        return False


@pytest.fixture(name="workers")
def _workers(engine, database_url, tmp_path):
    """Workers of this test; `engine` has migrated their database."""
    workers = Workers(database_url, tmp_path / "log")
    yield workers
    for process in list(workers.running):
        workers.kill(process)


@pytest.fixture(name="store")
def _store(engine):
    """An engine that only stores jobs."""
    store = DurableEngine(engine, executor_id=new_id())
    store.prepare()
    return store


def put(sessions, store, *jobs):
    """Store jobs in one transaction; gives their ids."""
    with sessions() as session:
        return [store.enqueue(session, job) for job in jobs]


def begun(job_id):
    return lambda lines: any(line[0] == "begin" and job_id in line for line in lines)


def ended(*job_ids):
    return lambda lines: set(job_ids) <= {word for line in lines if line[0] == "end" for word in line}


def test_a_job_killed_in_the_middle_is_done_by_the_next_process(sessions, workers, store):
    killed, waiting = put(sessions, store, Job("work", ("a",)), Job("work", ("b",), "later"))
    first = workers.start(seconds=60)
    assert workers.wait(begun(killed))
    workers.kill(first)
    assert not ended(killed)(workers.lines())

    workers.start()

    assert workers.wait(ended(killed, waiting))


@pytest.mark.slow
def test_a_living_process_takes_over_from_a_killed_process(sessions, workers, store):
    jobs = put(sessions, store, *[Job("work", (number,)) for number in range(4)])
    first = workers.start("shared", seconds=60)
    assert workers.wait(lambda lines: all(begun(job_id)(lines) for job_id in jobs))
    workers.start("shared", seconds=3)
    (long,) = put(sessions, store, Job("work", ("long",)))
    assert workers.wait(begun(long))

    workers.kill(first)

    assert workers.wait(ended(*jobs, long))
    begins = [line for line in workers.lines() if line[0] == "begin"]
    assert [sum(job_id in line for line in begins) for job_id in jobs] == [2] * 4
    living = [line for line in begins if line[-1] != str(first.pid)]
    assert len({line[-2] for line in living}) == len(living)


def test_two_processes_share_the_work(sessions, workers, store):
    workers.start("shared", seconds=0.1)
    workers.start("shared", seconds=0.1)
    jobs = put(sessions, store, *[Job("work", (number,)) for number in range(40)])

    assert workers.wait(ended(*jobs))
    ends = [line for line in workers.lines() if line[0] == "end"]
    assert len(ends) == len(jobs)
    assert len({line[-1] for line in ends}) == 2


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="a limit of another process: Linux alone")
def test_jobs_end_in_the_same_process_once_a_full_disk_has_room_again(sessions, engine, workers, store):
    if engine.dialect.name != "sqlite":
        pytest.skip("a limit on files is one on SQLite's; tests/bot/jobs/test_recovery.py has PostgreSQL")
    worker = workers.start(seconds=0.7)
    _, most = resource.prlimit(worker.pid, resource.RLIMIT_FSIZE)
    jobs = put(sessions, store, *[Job("work", (number,)) for number in range(20)])
    assert workers.wait(begun(jobs[0]))
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (workers.log.stat().st_size + 3000, most))
    time.sleep(4)
    with engine.connect() as connection:
        counted = connection.exec_driver_sql(
            "SELECT count(*) FROM workflow_status WHERE status = 'PENDING'"
        ).scalar_one()
    assert counted, "some could not end"
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (most, most))

    def over(_lines):
        with engine.connect() as connection:
            asked = "SELECT count(*) FROM workflow_status WHERE status <> 'SUCCESS'"
            return connection.exec_driver_sql(asked).scalar_one() == 0

    assert workers.wait(over)
    assert worker.poll() is None, "the same process"


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sole", "shared"])
def test_no_acknowledged_delivery_is_lost(sessions, workers, store, mode):
    worker = workers.start(mode, seconds=0.2)
    for number in range(60):
        pull = deliveries.pull_request(1, number % 6)
        arrival = ReviewDelivery(guid=f"g{number}", event="pull_request", pull=pull, ids={})
        with sessions() as session:
            assert deliveries.store(session, store, arrival, at=NOON)
        if number in (12, 30, 48):
            workers.kill(worker)
            worker = workers.start(mode, seconds=0.2)

    def all_done(_lines):
        with sessions() as session:
            return len(list(inbox.listed(session, "done"))) == 60

    assert workers.wait(all_done)
    with sessions() as session:
        rows = [review_mailbox.find(session, 1, number) for number in range(6)]
    assert [(row.latest, row.evaluated, row.lease_by) for row in rows] == [(10, 10, None)] * 6
    assert not overlaps(workers.lines())


def overlaps(lines):
    """Pull requests that two jobs worked on at once, as far as both of them lived to say so."""
    found, inside = [], {}
    for line in lines:
        if line[0] == "alive":  # before its first job, unlike "ready"
            inside.clear()  # the process whose jobs were inside has been killed
        elif line[0] == "claim":
            if line[1] in inside:
                found.append(line)
            inside[line[1]] = line[2]
        elif line[0] == "leave":
            inside.pop(line[1], None)
    return found
