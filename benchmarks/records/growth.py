"""Two years of an organisation, deleted by their ages: size, and how fast deliveries are stored and looked up, before and after."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import databases
from figures import Figure, quantile
from sqlalchemy import Engine, insert, text
from sqlmodel import Session, SQLModel

from agreements.facts import Account
from bot import clock, db
from bot.db import Sessions
from bot.flows.purge_rounds import Retention
from bot.job_queue import Job
from bot.jobs.durable import DurableEngine
from bot.jobs.job_rows import PURGE_BATCH_JOBS, JobRows
from bot.store.pulls import heads
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import (
    DeliveryRecord,
    FirstSeen,
    Participant,
    PublishedItemRow,
    PullRecord,
    PushRecord,
    VerdictRecord,
)
from bot.webhook import events, ingest
from bot.webhook.ingest import ReceivedDelivery
from tests.bot.jobs.inline import InlineEngine

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAYS, REPOSITORIES, OPEN = 730, 100, 250
PULLS, JOBS = 5_000, 2_000
"""A busy organisation has twenty times as many; what is measured grows with them, or does not."""
DELIVERIES, PUSHES = 8, 3
"""Of each pull request."""
_ROWS = 5_000


def measure(*, quick: bool) -> list[Figure]:
    """On each kind of database; nothing of it has ever been deleted before."""
    return [figure for kind in databases.kinds() for figure in _of(kind, PULLS // 10 if quick else PULLS)]


def _of(kind: str, pulls: int) -> Iterator[Figure]:
    with databases.opened(kind) as engine:
        sessions = db.sessions(engine)
        jobs = DurableEngine(engine, executor_id="growth")
        jobs.prepare()
        _fill(sessions, pulls)
        _finish(engine, sessions, jobs, pulls * JOBS // PULLS)
        print(f"{kind}: {pulls} pull requests of {DAYS} days are there", flush=True)
        before = _size(engine), _receiving(sessions, pulls, 0), _looking_up(sessions)
        with _transactions() as lots:
            began = time.perf_counter()
            deleted = Retention(lots(sessions), lambda: NOW, seconds=600).round()
            took = time.perf_counter() - began
            slowest = max(lots.taken)
        purged = _purge(engine)
        after = _size(engine), _receiving(sessions, pulls, 1), _looking_up(sessions)
    names = (("size in use", "MB"), ("a delivery is stored, p50", "ms"), ("open pull requests are looked up", "ms"))
    for (what, unit), value, baseline in zip(names, after, before, strict=True):
        yield Figure(
            what=f"{what}, {kind}", value=value, unit=unit, target="≤ before", baseline=baseline, beside="before"
        )
    yield Figure(what=f"rows deleted a second, {kind}", value=deleted / took, unit="/s")
    yield Figure(what=f"longest lot holds the writer, {kind}", value=slowest * 1000, unit="ms", target="≤ 500 ms")
    yield Figure(what=f"finished jobs deleted a second, {kind}", value=purged, unit="/s", target="≥ 50/s")


class _Lots:
    """Sessions of which each tells how long its transaction took."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    def __call__(self, sessions: Sessions) -> Sessions:
        @contextmanager
        def timed() -> Iterator[Session]:
            began = time.perf_counter()
            with sessions() as session:
                yield session
            self.taken.append(time.perf_counter() - began)

        return timed


@contextmanager
def _transactions() -> Iterator[_Lots]:
    yield _Lots()


def _fill(sessions: Sessions, pulls: int) -> None:
    tables: Mapping[type[SQLModel], Callable[[int], Iterable[dict[str, Any]]]] = {
        PullRecord: _pull, DeliveryRecord: _deliveries, PushRecord: _pushes, FirstSeen: _first_seen, VerdictRecord: _verdicts,
        Participant: _participants, PublishedItemRow: _publications, heads.HeadRow: _heads,
    }  # fmt: skip
    for table, rows in tables.items():
        lot: list[dict[str, Any]] = []
        for number in range(1, pulls + 1):
            lot += rows(number)
            if len(lot) >= _ROWS or number == pulls:
                with sessions() as session:
                    session.execute(insert(table), lot)
                lot = []


def _at(number: int) -> datetime:
    """The last event of that pull request: spread evenly over those days."""
    return NOW - timedelta(days=DAYS * (number * 7919 % 9973) / 9973)  # Primes: all days, in no order.


def _sha(number: int, turn: int) -> str:
    return f"{number * 10 + turn:040x}"


def _pull(number: int) -> Iterable[dict[str, Any]]:
    at = _at(number)
    row = PullRecord(
        id=number, repository_id=number % REPOSITORIES, number=number, installation_id=1, owner_id=1, owner="cann",
        name=f"repository-{number % REPOSITORIES}", open=number % (PULLS // OPEN) == 0, head_sha=_sha(number, PUSHES - 1),
        latest=DELIVERIES, evaluated=DELIVERIES, attributed=DELIVERIES, updated_at=at, evaluated_at=at,
    )  # fmt: skip
    yield row.model_dump()


def _deliveries(number: int) -> Iterable[dict[str, Any]]:
    ids = {
        "kind": "pull_request",
        "repository": {"id": 1, "owner_id": 1, "owner": "cann", "name": "x"},
        "number": number,
    }
    for turn in range(DELIVERIES):
        yield {
            "guid": f"{number:032d}-{turn}", "event": "pull_request", "action": "synchronize", "received_at": _at(number),
            "state": "done", "attempts": 0, "ids": ids, "pull_id": number, "sequence": turn,
        }  # fmt: skip


def _pushes(number: int) -> Iterable[dict[str, Any]]:
    for turn in range(PUSHES):
        yield {
            "pull_id": number, "sequence": turn, "sender_id": number % 997, "sender_type": "User", "sender_login": "ada",
            "after": _sha(number, turn), "before": "", "batches": [turn],
        }  # fmt: skip


def _first_seen(number: int) -> Iterable[dict[str, Any]]:
    return ({"pull_id": number, "sequence": turn, "shas": [_sha(number, turn)]} for turn in range(PUSHES))


def _verdicts(number: int) -> Iterable[dict[str, Any]]:
    codes = [{"check": "cla", "code": "cla/individual", "commit": _sha(number, 0), "account": number % 997}] * 3
    for turn in range(PUSHES):
        row = {"pull_id": number, "head_sha": _sha(number, turn), "judged_at": _at(number)}
        yield row | {"conclusion": "success", "codes": codes}


def _participants(number: int) -> Iterable[dict[str, Any]]:
    return ({"pull_id": number, "account_id": number % 997 + place} for place in range(2))


def _publications(number: int) -> Iterable[dict[str, Any]]:
    for turn in range(PUSHES):
        yield {
            "pull_id": number, "kind": "check", "head_sha": _sha(number, turn), "remote_id": number, "digest": "d" * 64,
            "intended_at": _at(number),
        }  # fmt: skip


def _heads(number: int) -> Iterable[dict[str, Any]]:
    for turn in range(PUSHES):
        yield {"repository_id": number % REPOSITORIES, "head_sha": _sha(number, turn), "pull_id": number}


def _finish(engine: Engine, sessions: Sessions, jobs: DurableEngine, count: int) -> None:
    for start in range(0, count, 500):
        with sessions() as session:
            for number in range(start, min(start + 500, count)):
                jobs.enqueue(session, Job("review", (number,)))
    where = "workflow_status" if engine.dialect.name == "sqlite" else "dbos.workflow_status"
    # Ended by hand: no worker runs here.
    with engine.begin() as connection:
        ended = int((clock.now() - timedelta(days=30)).timestamp() * 1000)
        connection.execute(text(f"UPDATE {where} SET status = 'SUCCESS', completed_at = {ended}"))


def _purge(engine: Engine) -> float:
    rows = JobRows(engine, {})
    began, deleted = time.perf_counter(), 0
    while lot := rows.purge_batch(before=clock.now()):
        deleted += lot
        if lot < PURGE_BATCH_JOBS:
            break
    return deleted / (time.perf_counter() - began)


def _size(engine: Engine) -> float:
    # What was deleted is used again before the files grow, so that only pages that hold something count.
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            used, free, size = (
                connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in ("page_count", "freelist_count", "page_size")
            )
        return float((used - free) * size / 1e6)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM FULL")  # PostgreSQL gives pages back only so.
        return float(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one() / 1e6)


def _receiving(sessions: Sessions, pulls: int, turn: int) -> float:
    """Ms for one delivery about a pull request that is open, alone in its transaction."""
    waits = []
    for place in range(200):
        number = (place % (pulls * OPEN // PULLS) + 1) * (PULLS // OPEN)
        pushed = events.PullRequestChanged(
            installation=1, repository=events.EventRepository(number % REPOSITORIES, 1, "cann", "x"), number=number,
            action="synchronize", sender=Account(42, "mia"), after=f"{number:039x}{turn}", before=_sha(number, PUSHES - 1),
        )  # fmt: skip
        began = time.perf_counter()
        with sessions() as session:
            ingest.accept_all(
                session, InlineEngine(), [ReceivedDelivery(pushed, f"{turn}-{place}", "pull_request")], at=NOW
            )
        waits.append(time.perf_counter() - began)
    return quantile(waits, 0.5) * 1000


def _looking_up(sessions: Sessions) -> float:
    """Ms for what each second and each sweep ask: who waits for a review, and which open heads have a verdict."""
    waits = []
    for _ in range(40):
        began = time.perf_counter()
        with sessions() as session:
            REVIEWS.due(session, at=NOW)
            heads.open_pulls(session, list(range(50)), at=NOW)
        waits.append(time.perf_counter() - began)
    return quantile(waits, 0.5) * 1000
