"""How many deliveries a second the web server alone acknowledges before the slowest hundredth takes longer than 100 ms."""

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import databases
import webhook
from figures import Figure, quantile
from load import Post
from place import Place, opened

from bot import clock
from bot.demo.github.webhooks import signature
from bot.settings import for_child

LONGEST = 100.0
"""ms."""
TARGETS = {"SQLite": 400, "PostgreSQL": 200}
STEP, MOST = 100, 1000
_NUMBERS = itertools.count(1000)
_SERVE = """
from bot import serving
from bot.server import listening
from bot.telemetry import logs
logs.begin()
serving.serve(listening.listener('127.0.0.1', {port}), worker=False)
"""


def measure(*, quick: bool) -> list[Figure]:
    """The highest rate that is held for five seconds, each delivery about another pull request; beside a bare route's."""
    return [figure for kind in databases.kinds() for figure in _of(kind, seconds=1 if quick else 5)]


def _of(kind: str, *, seconds: int) -> Iterator[Figure]:
    with databases.address(kind) as url, opened(latency=0.0, settings={"COUNTERSIGN_DATABASE_URL": url}) as place:
        model = webhook.deliveries(place, 1)[0]
        with _served(place):
            held = _highest(place, model, place.stage.port, seconds)
    with webhook.bare() as (port, _):
        plain = _highest(place, model, port, seconds)
    yield Figure(
        what=f"deliveries acknowledged a second, receiving only, {kind}",
        value=held,
        unit="/s",
        target=f"≥ {TARGETS[kind]}/s",
        baseline=plain,
        beside="a bare route on SQLite",
    )


def _highest(place: Place, model: Post, port: int, seconds: int) -> float:
    """The last of the rates, each a hundred higher, that was held."""
    held = 0
    webhook.load(port, _many(place, model, STEP), STEP)  # until all that is loaded late is loaded
    for rate in range(STEP, MOST + 1, STEP):
        # Twice: once in a while this machine does something else.
        if not any(_holds(port, _many(place, model, rate * seconds), rate) for _ in range(2)):
            break
        held = rate
    return float(held)


def _holds(port: int, posts: list[Post], rate: int) -> bool:
    answers = webhook.load(port, posts, rate)
    taken = sum(answer.status == 202 for answer in answers)
    slowest = quantile(webhook.waits(answers), 0.99) * 1000
    print(f"{rate}/s: p99 {slowest:.0f} ms, {taken} of {len(answers)} taken", flush=True)
    return taken == len(answers) and slowest <= LONGEST


def _many(place: Place, model: Post, count: int) -> list[Post]:
    """As many deliveries like that one, each about a pull request of its own."""
    payload = json.loads(model.body)
    posts = []
    for _ in range(count):
        guid, number = clock.new_id(), next(_NUMBERS)
        other = {**payload, "number": number, "pull_request": {**payload["pull_request"], "number": number}}
        body = json.dumps(other).encode()
        sealed = signature(place.stage.app.webhook_secret, body)
        posts.append(Post({**model.headers, "X-GitHub-Delivery": guid, "X-Hub-Signature-256": sealed}, body))
    return posts


@contextmanager
def _served(place: Place) -> Iterator[None]:
    """The web server without a worker beside it."""
    environment: Mapping[str, str] = for_child(place.stage.environment)
    program = _SERVE.format(port=place.stage.port)
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        webhook.listening(place.stage.port)
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)
