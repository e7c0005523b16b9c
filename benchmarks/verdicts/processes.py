"""Several processes on PostgreSQL: verdicts a second by one worker and by two, and from a delivery to its check run."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import databases
from cheap_github import look, posts, stub
from figures import Figure, free_port, quantile
from front import receiving, webhook
from front.load import Post
from place import Place, opened
from sqlalchemy import select
from sqlmodel import col

from bot.settings import for_child
from bot.store.records import DeliveryRecord, PullRecord

LATENCY = 0.02
"""Seconds that each call to the cheapest GitHub takes where it is measured how long one waits."""
WARM = 20
RATE = 10
_WORK = ("-m", "bot", "serve", "--role", "worker")


def measure(*, quick: bool) -> list[Figure]:
    """Nothing where this machine has no PostgreSQL."""
    return list(_measured(60 if quick else 300)) if "PostgreSQL" in databases.kinds() else []


def _measured(count: int) -> Iterator[Figure]:
    port = free_port()
    with (
        databases.address("PostgreSQL") as url,
        opened(settings={"COUNTERSIGN_DATABASE_URL": url}, github=port) as place,
    ):
        model = webhook.deliveries(place, 1)[0]
        with stub(port, look(place)):
            by_one = _drained(place, posts(place, model, 1000, count + WARM), workers=1)
            by_two = _drained(place, posts(place, model, 3000, count + WARM), workers=2)
        with stub(port, look(place), LATENCY):
            waits = _waits(place, posts(place, model, 5000, count))
    yield Figure(what="red verdicts a second, PostgreSQL, one worker", value=by_one, unit="/s")
    yield Figure(
        what="red verdicts a second, PostgreSQL, two workers", value=by_two, unit="/s", target="≥ 90/s", baseline=by_one, beside="one worker",
    )  # fmt: skip
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        yield Figure(
            what=f"delivery stored → judged and shown, two web servers and two workers, {RATE}/s, {name}",
            value=quantile(waits, share) * 1000, unit="ms", target="≤ 300 ms" if name == "p95" else "",
            baseline=_CALLS * LATENCY * 1000, beside="its calls × 20 ms",
        )  # fmt: skip


_CALLS = 6


def _drained(place: Place, deliveries: Sequence[Post], *, workers: int) -> float:
    """Verdicts a second: all are taken first, the first ones are judged before it is measured."""
    with receiving.served(place, [place.stage.port]):
        webhook.load(place.stage.port, deliveries, 200)
    with working(place, workers):
        place.until(lambda: place.unfinished() <= 2 * (len(deliveries) - WARM), within=120, pause=0.005)
        begun, left = time.perf_counter(), place.unfinished() / 2
        place.until(lambda: not place.unfinished(), within=300)
        return left / (time.perf_counter() - begun)


def _waits(place: Place, deliveries: Sequence[Post]) -> list[float]:
    """Seconds from each delivery's row to the end of its review; half of them come in by each of two web servers."""
    ports = [place.stage.port, free_port()]
    with receiving.served(place, ports), working(place, 2):
        time.sleep(3)  # Until each of them has begun to take jobs
        senders = [
            threading.Thread(target=webhook.load, args=(port, deliveries[half::2], RATE / 2))
            for half, port in enumerate(ports)
        ]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        place.until(lambda: not place.unfinished(), within=120)
    query = select(col(DeliveryRecord.received_at), col(PullRecord.evaluated_at)).join(
        PullRecord, col(PullRecord.id) == col(DeliveryRecord.pull_id)
    )
    with place.services.sessions() as session:
        rows = session.execute(query.where(col(PullRecord.number) > 5000)).all()
    return [(judged - stored).total_seconds() for stored, judged in rows[WARM:]]


@contextmanager
def working(place: Place, count: int) -> Iterator[None]:
    """So many workers without a web server."""
    environment = for_child(place.stage.environment)
    with (place.stage.folder / "serve.log").open("ab") as log:
        processes = [
            subprocess.Popen([sys.executable, *_WORK], env=environment, stdout=log, stderr=log) for _ in range(count)
        ]
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=30)
