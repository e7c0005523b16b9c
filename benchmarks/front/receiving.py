"""How many deliveries a second web servers alone acknowledge before the slowest hundredth takes too long."""

import itertools
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import databases
from cheap_github import posts
from figures import Figure, free_port, quantile
from front import webhook
from front.load import Post
from place import Place, listening, opened

from bot.settings import for_child

GOALS = (("SQLite", 1, 100.0, 450), ("PostgreSQL", 1, 50.0, 300), ("PostgreSQL", 2, 50.0, 500))
"""Database, web servers, the longest that the slowest hundredth may take (ms), deliveries a second."""
STEP, MOST = 50, 1000
_FIRST = itertools.count(1000, 10_000)
"""Numbers of pull requests that no other step has."""
_SERVE = """
from bot import serving
from bot.server import listening
from bot.telemetry import logs
logs.begin()
serving.serve(listening.listener('127.0.0.1', {port}), worker=False)
"""


def measure(*, quick: bool) -> list[Figure]:
    """The highest rate that is held for five seconds, each delivery about another pull request; beside a bare route's."""
    seconds = 1 if quick else 5
    with opened() as place, webhook.bare() as (port, _):
        model = webhook.deliveries(place, 1)[0]
        plain = _highest(place, model, [port], 100.0, seconds, step=4 * STEP)
    goals = [goal for goal in GOALS if goal[0] in databases.kinds()]
    return [_of(*goal, plain, seconds) for goal in goals]


def _of(kind: str, servers: int, longest: float, goal: int, plain: float, seconds: int) -> Figure:
    with databases.address(kind) as url, opened(settings={"COUNTERSIGN_DATABASE_URL": url}) as place:
        model = webhook.deliveries(place, 1)[0]
        ports = [place.stage.port, *(free_port() for _ in range(servers - 1))]
        with served(place, ports):
            held = _highest(place, model, ports, longest, seconds)
    return Figure(
        what=f"deliveries acknowledged a second before p99 passes {longest:.0f} ms, {kind}, web servers: {servers}",
        value=held,
        unit="/s",
        target=f"≥ {goal}/s",
        baseline=plain,
        beside="a bare route on SQLite, before 100 ms",
    )


def _highest(
    place: Place, model: Post, ports: Sequence[int], longest: float, seconds: int, *, step: int = STEP
) -> float:
    """The last of the rates, from 200 on, that was held; 0 if not even that was."""
    for port in ports:  # Until all that is loaded late is loaded
        webhook.load(port, posts(place, model, next(_FIRST), 2 * STEP), 2 * STEP)
    held = 0
    for rate in range(4 * STEP, MOST + 1, step):
        # Twice: once in a while this machine does something else.
        if not any(_holds(ports, posts(place, model, next(_FIRST), rate * seconds), rate, longest) for _ in range(2)):
            break
        held = rate
    return float(held)


def _holds(ports: Sequence[int], deliveries: list[Post], rate: int, longest: float) -> bool:
    with ThreadPoolExecutor(len(ports)) as senders:
        sent = [
            senders.submit(webhook.load, port, deliveries[part :: len(ports)], rate / len(ports))
            for part, port in enumerate(ports)
        ]
        answers = [answer for future in sent for answer in future.result()]
    taken = sum(answer.status == 202 for answer in answers)
    slowest = quantile(webhook.waits(answers), 0.99) * 1000
    print(f"{rate}/s: p99 {slowest:.0f} ms, {taken} of {len(answers)} taken", flush=True)
    return taken == len(answers) and slowest <= longest


@contextmanager
def served(place: Place, ports: Sequence[int]) -> Iterator[None]:
    """A web server on each of these ports, without a worker beside it."""
    environment: Mapping[str, str] = for_child(place.stage.environment)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _SERVE.format(port=port)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for port in ports
    ]
    try:
        for port in ports:
            listening(port)
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=30)
