"""How long GitHub waits until a delivery is acknowledged and durable, while jobs run in the same process."""

import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from cheap_github import look, posts, stub
from figures import Figure, free_port, percentiles
from front.load import Answer, Post
from place import Place, listening, opened

from bot.demo.github.webhooks import signature
from bot.settings import for_child

HERE = Path(__file__).parent
RATE = 50
LATENCY = 0.02
"""Seconds that each call to GitHub takes."""
WARM = 50
"""Not measured: what is loaded late is loaded by then."""


def measure(*, quick: bool) -> list[Figure]:
    """50 deliveries a second for 20 seconds, each about another pull request; the same ones to a bare route before."""
    count, github = RATE * (3 if quick else 20), free_port()
    with opened(github=github) as place:
        model = deliveries(place, 1)[0]
        with stub(github, look(place), LATENCY):
            sent = posts(place, model, WARM, count)
            with bare() as (port, _):
                plain = load(port, sent)
            place.stage.serve()
            load(place.stage.port, posts(place, model, 0, WARM))
            place.until(lambda: not place.unfinished())
            answers = load(place.stage.port, sent)
            left = place.unfinished() // 2
        refused = [answer.status for answer in answers if answer.status != 202]
        print(f"{left} of {count} pull requests left to be judged afterwards")
        if refused:
            raise RuntimeError(f"{len(refused)} of {count} were not taken: {sorted(set(refused))}")
    return percentiles(
        f"acknowledged and durable, {{}} of {count} at {RATE}/s", waits(answers), waits(plain),
        beside="bare route, idle", targets={"p50": "", "p99": "≤ 25 ms", "max": ""},
    )  # fmt: skip


def deliveries(place: Place, count: int) -> list[Post]:
    """Real deliveries, signed, of as many pull requests that were opened without a word to Countersign."""
    who = place.person("busy")
    fork = place.world.fork(place.repository, who.account)
    _grow(fork.git, count, who.account.emails[0].address)
    # Without an address the simulated GitHub sends nothing.
    address, place.stage.app.hook_url = place.stage.app.hook_url, ""
    for number in range(count):
        place.world.open_pull(place.repository, who.account, f"topic-{number}", source=fork)
    place.stage.app.hook_url = address
    secret = place.stage.app.webhook_secret
    return [
        Post(
            {
                "Content-Type": "application/json",
                "X-GitHub-Delivery": delivery.guid,
                "X-GitHub-Event": delivery.event,
                "X-Hub-Signature-256": signature(secret, delivery.payload),
            },
            delivery.payload,
        )
        for delivery in place.world.hooks.log
        if delivery.event == "pull_request"
    ]


def _grow(bare: Path, count: int, email: str) -> None:
    """Branches topic-0 to topic-N of one commit each, on the default branch."""
    stream = "".join(
        f"commit refs/heads/topic-{number}\ncommitter Busy <{email}> 1790000000 +0000\n"
        f"data <<END\nTopic {number}\nEND\nfrom refs/heads/main^0\n\n"
        for number in range(count)
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=bare, input=stream.encode(), check=True)


def load(port: int, posts: Sequence[Post], rate: float = RATE) -> list[Answer]:
    """Send them from a process of its own."""
    done = subprocess.run(
        [sys.executable, str(HERE / "load.py")],
        input=pickle.dumps((port, [(post.headers, post.body, post.path) for post in posts], rate)),
        stdout=subprocess.PIPE,
        check=True,
    )
    return [Answer(*row) for row in pickle.loads(done.stdout)]


@contextmanager
def bare(
    name: str = "make", settings: Mapping[str, str] | None = None, *, program: str = "bare"
) -> Iterator[tuple[int, int]]:
    """The port of a bare application, on the same kind of server, and the id of the process that answers there."""
    port = free_port()
    command = ["-m", "granian", "--interface", "wsgi", "--factory", "--port", str(port), "--blocking-threads", "8"]
    process = subprocess.Popen(
        [sys.executable, *command, "--no-log", f"{program}:{name}"],
        cwd=HERE,
        env=for_child(settings or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        listening(port)
        [worker] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
        yield port, int(worker)
    finally:
        process.terminate()
        process.wait(timeout=20)


def waits(answers: Sequence[Answer]) -> list[float]:
    """Seconds until each was answered."""
    return [answer.wait for answer in answers]
