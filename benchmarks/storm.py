"""Many open pull requests turn green because one signature covers them all, and a newcomer comes meanwhile."""

import time
from collections.abc import Iterator

import webhook
from figures import Figure, free_port
from load import WARM_UP
from place import Place, opened
from sqlalchemy import select
from verdict_cost import look, posts, served, stub

from bot import clock
from bot.demo import scene
from bot.demo.github.state import Account
from bot.store.pulls import review_mailbox
from bot.store.records import Pull

LATENCY = 0.02
"""Seconds that each call to the cheapest GitHub takes."""
LOT = 100


def measure(*, quick: bool) -> list[Figure]:
    """They are judged red first; then somebody signs for all, which is queued as a company's entry is."""
    count, port = 60 if quick else 1000, free_port()
    with opened(latency=0.0, settings={"COUNTERSIGN_GITHUB_API_URL": f"http://127.0.0.1:{port}/api/v3"}) as place:
        model = webhook.deliveries(place, 1)[0]
        [busy] = [one for one in place.world.accounts.values() if one.login == "busy"]
        with stub(port, look(place), LATENCY), served(place, "worker"):
            webhook.load(place.stage.port, posts(place, model, 1000, count), 200)
            place.until(lambda: not place.unfinished(), within=600)
            return list(_turned(place, busy, posts(place, model, 9000, 1)[0], count))


def _turned(place: Place, who: Account, newcomer: webhook.Post, count: int) -> Iterator[Figure]:
    services = place.services
    with services.sessions() as session:
        scene.sign(session, services.vault, who, clock.now())
        found = list(session.scalars(select(Pull.id)))  # type: ignore[call-overload]  # a column
    start = time.perf_counter()
    for first in range(0, len(found), LOT):
        with services.sessions() as session:
            for pull_id in found[first : first + LOT]:
                review_mailbox.enqueue_review(session, services.engine, pull_id)
    place.until(lambda: place.unfinished() <= count * 0.8, within=600)
    came = time.perf_counter()
    webhook.load(place.stage.port, [newcomer], 50)
    place.until(lambda: _is_judged(place, 9001), pause=0.005)
    waited = time.perf_counter() - came - WARM_UP
    place.until(lambda: not place.unfinished(), within=600)
    took = time.perf_counter() - start
    what = f"{count:,} open pull requests turn green, 20 ms a call"
    yield Figure(what=what, value=took, unit="s", target="≤ 45 s" if count == 1000 else "")
    yield Figure(what="a newcomer meanwhile, from being sent to being judged", value=waited, unit="s")


def _is_judged(place: Place, number: int) -> bool:
    with place.services.sessions() as session:
        query = select(Pull.evaluated).where(Pull.number == number)  # type: ignore[call-overload]  # a column
        return bool(session.scalar(query))
