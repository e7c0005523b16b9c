"""What an acknowledgement and a red verdict cost, with the cheapest GitHub: transactions, statements, fsyncs, processor time."""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cheap_github import look, posts, stub
from figures import Figure, free_port, spent
from front import webhook
from front.load import Post
from place import Place, listening, opened
from sqlalchemy import Connection, text
from verdicts.counted import SIZE, Counts

from bot.job_queue import Job
from bot.settings import for_child

HERE = Path(__file__).parent
WARM = 20
"""Not measured: what is loaded and compiled once is not a verdict's cost."""
_SYNCED = re.compile(r"^.* (\d+) +(?:\d+ +)?(?:fsync|fdatasync)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one acknowledgement or one verdict; `processor` in ms."""

    processor: float
    transactions: float
    writing: float
    statements: float


def measure(*, quick: bool) -> list[Figure]:
    """Deliveries about new pull requests of people who did not sign: all are taken first, and judged afterwards."""
    count = 150 if quick else 300
    port = free_port()
    with opened(github=port) as place:
        model = webhook.deliveries(place, 1)[0]
        with stub(port, look(place)):
            plain = _bare(posts(place, model, 0, count + WARM), port)
            return [
                *_rows("an acknowledgement", _acknowledged(place, posts(place, model, 1000, count + WARM)), plain),
                *_judged(place, count, plain, seconds=5 if quick else 20),
                *synced(place, posts(place, model, 3000, 40), 5, "taken and judged: fsyncs"),
            ]


def _rows(what: str, cost: Cost, plain: float) -> list[Figure]:
    goal = {"a red verdict": ("≤ 20 ms", "≤ 8")}.get(what, ("", ""))
    beside = "a bare program: receive, one call, one write"
    return [
        Figure(what=f"{what}: processor", value=cost.processor, unit="ms", target=goal[0], baseline=plain, beside=beside),
        Figure(what=f"{what}: transactions", value=cost.transactions, unit=""),
        Figure(what=f"{what}: of them writing", value=cost.writing, unit="", target=goal[1]),
        Figure(what=f"{what}: statements", value=cost.statements, unit=""),
    ]  # fmt: skip


def _bare(posts: Sequence[Post], github: int) -> float:
    with webhook.bare("calling", {"BARE_GITHUB": str(github)}) as (port, pid):
        webhook.load(port, posts[:WARM])
        before = spent(pid)
        webhook.load(port, posts[WARM:])
        return (spent(pid) - before) / (len(posts) - WARM) * 1000


def _acknowledged(place: Place, posts: Sequence[Post]) -> Cost:
    with served(place, "alone") as server:
        webhook.load(place.stage.port, posts[:WARM])
        start = server.now()
        webhook.load(place.stage.port, posts[WARM:])
        return server.cost(start, len(posts) - WARM)


def _judged(place: Place, count: int, plain: float, *, seconds: float) -> Iterator[Figure]:
    """The cost of judging as fast as it goes, then of nothing to do; at last the rate of jobs that do nothing."""
    with served(place, "worker") as server:
        # The first ones warm the process up; each is a delivery and a pull request.
        place.until(lambda: place.unfinished() <= 2 * count, pause=0.005)
        begun, start = time.perf_counter(), server.now()
        left = place.unfinished() // 2
        place.until(lambda: not place.unfinished(), within=300)
        took, cost = time.perf_counter() - begun, server.cost(start, left)
        yield from _rows("a red verdict", cost, plain)
        yield Figure(what="red verdicts a second, embedded", value=left / took, unit="/s", target="≥ 60/s")
        time.sleep(3)
        before = spent(server.pid)
        time.sleep(seconds)
        idle = (spent(server.pid) - before) / seconds * 100
        yield Figure(what="embedded, nothing to do: of one core", value=idle, unit="%", target="≤ 1 %")
        yield Figure(
            what="jobs that do nothing, a second in `later`", value=_later(place, count), unit="/s", target="≥ 40/s"
        )


def _later(place: Place, count: int) -> float:
    with place.services.sessions() as session:
        for _ in range(count):
            place.services.engine.enqueue(session, Job("review", (0,), "later"))
    start = time.perf_counter()
    with place.database.connect() as connection:
        place.until(lambda: not _waiting(connection), within=300)
    return count / (time.perf_counter() - start)


def _waiting(connection: Connection) -> int:
    connection.rollback()  # To see what others did meanwhile
    query = "SELECT count(*) FROM workflow_status WHERE status IN ('ENQUEUED', 'PENDING')"
    return int(connection.execute(text(query)).scalar_one())


def synced(place: Place, posts: Sequence[Post], rate: int, what: str, target: str = "") -> list[Figure]:
    """The number of waits for the disk, for each delivery taken and judged, under strace; nothing without it."""
    if shutil.which("strace") is None:
        return []
    found = place.stage.folder / "strace"
    # -D: the server is our own child, so that the signal to end reaches it.
    tracer = ["strace", "-D", "-f", "--seccomp-bpf", "-c", "-e", "trace=fsync,fdatasync", "-o", str(found)]
    with served(place, "worker", tracer):
        webhook.load(place.stage.port, posts, rate)
        place.until(lambda: not place.unfinished(), within=120)
    place.until(lambda: "total" in found.read_text(encoding="utf-8"))  # It ends after what it traces
    calls = sum(int(number) for number in _SYNCED.findall(found.read_text(encoding="utf-8")))
    return [Figure(what=what, value=calls / len(posts), unit="", target=target)]


@dataclass(frozen=True, slots=True)
class Server:
    """The process that is measured; `counts` is where it counts what it asks of its database."""

    pid: int
    counts: Path

    def now(self) -> tuple[float, Counts]:
        """Processor time, and what was asked, so far."""
        return spent(self.pid), Counts.read(self.counts)

    def cost(self, start: tuple[float, Counts], many: int) -> Cost:
        """For each of so many, since then."""
        until, asked = self.now()
        more = [(new - old) / many for new, old in zip(asked, start[1], strict=True)]
        return Cost((until - start[0]) / many * 1000, *more)


@contextmanager
def served(place: Place, role: str, tracer: Sequence[str] = (), *how: str) -> Iterator[Server]:
    """Our server in a process that is counted; `worker` judges, too. `how` is said to `counted`."""
    counts = place.stage.folder / "counts"
    counts.write_bytes(bytes(SIZE))
    command = [*tracer, sys.executable, str(HERE / "counted.py"), str(counts), str(place.stage.port), role, *how]
    environment: Mapping[str, str] = for_child(place.stage.environment)
    with (place.stage.folder / "serve.log").open("ab") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        listening(place.stage.port)
        yield Server(process.pid, counts)
    finally:
        process.terminate()
        process.wait(timeout=30)
