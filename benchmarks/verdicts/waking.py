"""How a worker on PostgreSQL hears of a job that another process stored: by looking often, or by LISTEN and NOTIFY."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import databases
import psycopg
from figures import Figure, quantile
from sqlalchemy import Engine, event, text
from sqlmodel import Session

from bot import clock, db
from bot.job_queue import Job
from bot.jobs.durable import DurableEngine
from bot.jobs.liveness import PollPace

CHANNEL = "countersign_jobs"
WRITERS = 8
SELDOM = PollPace(now_poll=5, later_poll=5, delayed_poll=5)
"""How often a worker would look that is told: for what was stored while its connection was away."""


def measure(*, quick: bool) -> list[Figure]:
    """Nothing where this machine has no PostgreSQL."""
    if "PostgreSQL" not in databases.kinds():
        return []
    jobs, seconds = (20, 5) if quick else (100, 20)
    with databases.opened("PostgreSQL") as engine:
        looks, asked = _waits(engine, PollPace(), jobs, seconds)
    with databases.opened("PostgreSQL") as engine:
        told, rests = _waits(engine, SELDOM, jobs, seconds, _told, notify=f"NOTIFY {CHANNEL}")
    with databases.opened("PostgreSQL") as engine:
        DurableEngine(engine, executor_id=clock.new_id()).prepare()
        # There and back, so that what the machine does meanwhile comes to both.
        ways = (None, f"NOTIFY {CHANNEL}", f"NOTIFY {CHANNEL}", None)
        first, second, third, fourth = (_stored(engine, seconds / 2, way) / (seconds / 2) for way in ways)
    beside = "LISTEN and NOTIFY, looks every 5 s"
    found = [
        Figure(
            what=f"stored by another process → begun, looks every 0.1 s, {name}",
            value=quantile(looks, share) * 1000, unit="ms", baseline=quantile(told, share) * 1000, beside=beside,
        )
        for name, share in (("p50", 0.5), ("p95", 0.95))
    ]  # fmt: skip
    what = "statements a second with nothing to do, looks every 0.1 s"
    found.append(Figure(what=what, value=asked, unit="/s", baseline=rests, beside=beside))
    what = f"jobs stored a second by {WRITERS} writers, each in a transaction with NOTIFY"
    return [
        *found,
        Figure(what=what, value=(second + third) / 2, unit="/s", baseline=(first + fourth) / 2, beside="without it"),
    ]


@contextmanager
def _alone(_engine: Engine, _ring: Callable[[], None]) -> Iterator[None]:
    yield


@contextmanager
def _told(engine: Engine, ring: Callable[[], None]) -> Iterator[None]:
    """A connection that listens, and rings for each word."""
    ended = threading.Event()
    url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)

    def listen() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            while not ended.is_set():
                for _ in connection.notifies(timeout=0.5, stop_after=1):
                    ring()

    thread = threading.Thread(target=listen)
    thread.start()
    time.sleep(1)
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _waits(
    engine: Engine,
    pace: PollPace,
    jobs: int,
    seconds: int,
    heard: Callable[[Engine, Callable[[], None]], AbstractContextManager[None]] = _alone,
    *,
    notify: str | None = None,
) -> tuple[list[float], float]:
    """Seconds from each commit to the job's begin, and the statements a second of a worker that rests."""
    begun: dict[str, float] = {}
    subject = DurableEngine(engine, executor_id=clock.new_id(), pace=pace)

    def note(_job: Job, job_id: str) -> None:
        begun[job_id] = time.monotonic()

    subject.start(note)
    elsewhere = db.open_engine(engine.url.render_as_string(hide_password=False))
    other = DurableEngine(elsewhere, executor_id=clock.new_id())  # It stores, and has no wake-ups of its own
    statements = [0]
    event.listen(engine, "before_cursor_execute", lambda *_: statements.__setitem__(0, statements[0] + 1))
    try:
        with heard(engine, lambda: subject._threads.wakeups["now"].wake(0)):  # noqa: SLF001 - the engine itself hears no word of others
            time.sleep(2)  # Until it rests.
            before = statements[0]
            time.sleep(seconds)
            rest = (statements[0] - before) / seconds
            stored = []
            for _ in range(jobs):
                time.sleep(0.13)  # Longer than between two looks
                stored.append(_store(elsewhere, other, notify))
            while len(begun) < jobs:
                time.sleep(0.05)
    finally:
        subject.stop()
        elsewhere.dispose()
    return [begun[job_id] - at for job_id, at in stored], rest


def _stored(engine: Engine, seconds: float, notify: str | None) -> int:
    end, store = time.monotonic() + seconds, DurableEngine(engine, executor_id=clock.new_id())

    def write(_number: int) -> int:
        count = 0
        while time.monotonic() < end:
            _store(engine, store, notify)
            count += 1
        return count

    with ThreadPoolExecutor(WRITERS) as pool:
        return sum(pool.map(write, range(WRITERS)))


def _store(engine: Engine, other: DurableEngine, notify: str | None) -> tuple[str, float]:
    with Session(engine) as session, session.begin():
        job_id = other.enqueue(session, Job("nothing"))
        if notify:
            session.execute(text(notify))
    return job_id, time.monotonic()
