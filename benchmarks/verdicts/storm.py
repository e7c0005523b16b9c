"""Many open pull requests turn green because their people's company signs, and a newcomer comes meanwhile."""

import time
from collections.abc import Iterator
from datetime import timedelta

from cheap_github import look, posts, stub
from figures import Figure, free_port
from front import memory, webhook
from front.load import WARM_UP, Post
from place import Place, opened
from sqlalchemy import select
from verdicts.verdict_cost import Server, served

from bot import clock
from bot.demo import sample_data
from bot.store.pulls import rejudge
from bot.store.records import PullRecord, VerdictRecord

LATENCY = 0.02
"""Seconds that each call to the cheapest GitHub takes."""


def measure(*, quick: bool) -> list[Figure]:
    """They are judged red first; then the company that holds the domain of their commits' author is countersigned."""
    count, port = 60 if quick else 1000, free_port()
    with opened(github=port) as place:
        model = webhook.deliveries(place, 1)[0]
        with stub(port, look(place), LATENCY), served(place, "worker") as server:
            webhook.load(place.stage.port, posts(place, model, 1000, count), 200)
            place.until(lambda: not place.unfinished(), within=600)
            assert _green(place) == 0
            return list(_turned(place, server, posts(place, model, 9000, 1)[0], count))


def _turned(place: Place, server: Server, newcomer: Post, count: int) -> Iterator[Figure]:
    before, start = server.now()[0], time.perf_counter()
    _countersign(place)
    place.until(lambda: _green(place) >= count * 0.2, within=600)  # In the midst of it.
    came = time.perf_counter()
    webhook.load(place.stage.port, [newcomer], 50)
    place.until(lambda: _is_judged(place, 9001), pause=0.005)
    # The sender waits for `WARM_UP` before its first request.
    waited = time.perf_counter() - came - WARM_UP
    place.until(lambda: _green(place) > count and not place.unfinished(), within=600)  # The newcomer, too
    took, spent = time.perf_counter() - start, server.now()[0] - before
    what = f"{count:,} open pull requests turn green by a company's signature, 20 ms a call"
    yield Figure(
        what=what, value=took, unit="s", target="≤ 25 s" if count == 1000 else "", baseline=spent, beside="processor"
    )
    yield Figure(what="a newcomer meanwhile, from being sent to being judged", value=waited, unit="s", target="≤ 0.5 s")
    peak = memory.resident(server.pid, "VmHWM")
    yield Figure(what="memory at its highest, storm included", value=peak, unit="MiB", target="≤ 256 MiB")


def _countersign(place: Place) -> None:
    """A company whose agreement is in force since yesterday, with the domain of all people there; queued as by a page."""
    services, at = place.services, clock.now() - timedelta(days=1)
    with services.sessions() as session:
        company_id = sample_data.countersign(session, services.vault, "Example", "bench-company.com", by=1, at=at)
        rejudge.company(session, services.engine, company_id, now=clock.now())


def _green(place: Place) -> int:
    with place.services.sessions() as session:
        return len(list(session.scalars(select(VerdictRecord.id).where(VerdictRecord.conclusion == "success"))))  # type: ignore[call-overload]  # a column


def _is_judged(place: Place, number: int) -> bool:
    with place.services.sessions() as session:
        query = select(PullRecord.evaluated).where(PullRecord.number == number)  # type: ignore[call-overload]  # a column
        return bool(session.scalar(query))
