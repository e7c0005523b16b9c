"""A steady stream of new pull requests: what a red verdict costs, and how long after its event the check run is there.

The floor is a bare program on the same stack (`front.floor`), which is sent the same events in the same run.
"""

import json
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cheap_github import look, posts, stub
from figures import Figure, free_port, quantile, spent
from front import webhook
from front.load import Answer, Post
from place import Place, opened
from verdicts.verdict_cost import served, synced

LATENCY = 0.02
"""Seconds that each call to the cheapest GitHub takes."""
WARM = 40
"""Not measured: what is loaded and compiled once is not a verdict's cost."""
PACES = {10: 100, 50: 400}
"""How many pull requests are opened at so many a second."""
_TARGETS = {10: "≤ 200 ms", 50: "≤ 1000 ms"}


@dataclass(frozen=True, slots=True)
class Stream:
    """The costs of a stream: `processor` seconds for 100 verdicts, `calls` for each; seconds of `checks` and `answers`."""

    processor: float
    calls: float
    checks: Sequence[float]
    answers: Sequence[float]


def measure(*, quick: bool) -> list[Figure]:
    """Each pull request is of a person who did not sign: a check run, a label and a comment."""
    port = free_port()
    with opened(github=port) as place:
        model = webhook.deliveries(place, 1)[0]
        with stub(port, look(place), LATENCY):
            found = list(_paces(place, model, port, quick=quick))
            some = posts(place, model, 9000, 40 if quick else 150)
            return [*found, *synced(place, some, max(PACES), "taken and judged at 50/s: fsyncs", "≤ 3")]


def _paces(place: Place, model: Post, port: int, *, quick: bool) -> Iterator[Figure]:
    for rate, count in PACES.items():
        sent = posts(place, model, rate * 1000, (count // 10 if quick else count) + WARM)
        with webhook.bare(settings={"BARE_GITHUB": str(port)}, program="floor") as (floor_port, pid):
            floor = _stream(floor_port, pid, port, sent, rate)
        # New heads: the stub keeps the moment of the first check run of each.
        sent = posts(place, model, rate * 1000 + 500, len(sent))
        with served(place, "worker") as server:
            before = server.now()[1]
            ours = _stream(place.stage.port, server.pid, port, sent, rate)
            counted = [(new - old) / len(sent) for new, old in zip(server.now()[1], before, strict=True)]
        yield from _figures(rate, ours, floor, counted)


def _figures(rate: int, ours: Stream, floor: Stream, counted: Sequence[float]) -> Iterator[Figure]:
    # Nothing is promised of the cost at a pace that leaves the machine idle.
    busy = rate == max(PACES)
    yield Figure(
        what=f"100 red verdicts at {rate}/s: processor", value=ours.processor, unit="s", target="≤ 2 s" if busy else "",
        baseline=floor.processor, beside="the floor",
    )  # fmt: skip
    yield Figure(
        what=f"the same, in floors at {rate}/s",
        value=ours.processor / floor.processor,
        unit="",
        target="≤ 4" if busy else "",
    )
    names = ("transactions", "writing transactions", "statements")
    for name, value, target in zip(names, counted, ("", "≤ 2", "≤ 25"), strict=True):
        yield Figure(what=f"a red verdict at {rate}/s: {name}", value=value, unit="", target=target if busy else "")
    yield Figure(
        what=f"a red verdict at {rate}/s: calls", value=ours.calls, unit="", baseline=floor.calls, beside="the floor"
    )
    for what, mine, least, share, target in (
        ("event → check, p95", ours.checks, floor.checks, 0.95, _TARGETS[rate]),
        ("acknowledged while judging, p99", ours.answers, floor.answers, 0.99, "≤ 25 ms" if busy else ""),
    ):
        yield Figure(
            what=f"{what} at {rate}/s", value=quantile(mine, share) * 1000, unit="ms", target=target,
            baseline=quantile(least, share) * 1000, beside="the floor",
        )  # fmt: skip


def _stream(port: int, pid: int, github: int, sent: Sequence[Post], rate: int) -> Stream:
    """The first ones are not measured. Raises TimeoutError where a check run does not come within two minutes."""
    webhook.load(port, sent[:WARM], rate)
    _shown(github, sent[:WARM])
    time.sleep(1)  # Until what follows the last check run is done, too
    before, calls = spent(pid), _seen(github)["calls"]
    measured = sent[WARM:]
    answers: list[Answer] = webhook.load(port, measured, rate)
    shown = _shown(github, measured)
    time.sleep(1)
    taken, made = spent(pid) - before, _seen(github)["calls"] - calls
    checks = [shown[_head(post)] - answer.due for post, answer in zip(measured, answers, strict=True)]
    return Stream(taken / len(measured) * 100, made / len(measured), checks, [answer.wait for answer in answers])


def _shown(github: int, sent: Sequence[Post]) -> Mapping[str, float]:
    wanted, until = {_head(post) for post in sent}, time.monotonic() + 120
    while time.monotonic() < until:
        shown: dict[str, float] = _seen(github)["shown"]
        if wanted <= shown.keys():
            return shown
        time.sleep(0.2)
    raise TimeoutError(f"{len(wanted - shown.keys())} of {len(wanted)} heads got no check run")


def _seen(github: int) -> dict[str, Any]:
    with urllib.request.urlopen(f"http://127.0.0.1:{github}/seen", timeout=10) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def _head(post: Post) -> str:
    head: str = json.loads(post.body)["pull_request"]["head"]["sha"]
    return head
