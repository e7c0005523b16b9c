"""A small queue model: how long an event waits for its verdict, and which part is busiest, for so many repositories.

By hand: `python benchmarks/capacity.py [--seed N]` prints a table. It is fed with the costs that docs/reference/figures.md
measured on two shared cores; nothing is measured here, and nothing but the arrivals and GitHub's answers is random.
"""

import argparse
import heapq
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of an event, in seconds of processor or calls: measured (docs/reference/figures.md), or assumed."""

    acknowledge: float = 0.0041  # A delivery stored and answered
    judge: float = 0.0118  # A red verdict, all of it
    commits: float = 2.1  # Writing transactions of one
    commit_sqlite: float = 0.0  # The embedded process waits for them itself: 90 verdicts a second include them
    commit_postgres: float = 0.0005  # Assumed: the database's own processor for a transaction
    calls: float = 5.0  # To GitHub: one read, four writes at most
    call_seconds: float = 0.15  # Assumed: GitHub's answer, mean
    writes: float = 1.8  # Assumed: three events of five change what is shown, by three writes


@dataclass(frozen=True, slots=True)
class Topology:
    """The number of processes of each kind; `is_embedded`: one process does everything."""

    name: str
    web: int
    workers: int
    jobs: int = 24  # Pull requests that one worker judges at a time, waiting for GitHub most of their time
    is_embedded: bool = False


@dataclass(frozen=True, slots=True)
class Load:
    """The busiest hour, on average: events by repository are assumed, put your own in."""

    repositories: int
    events_per_repository: float = 0.8  # Four a working day, a fifth of them in the busiest hour
    repositories_per_installation: int = 500

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.repositories * self.events_per_repository / HOUR

    @property
    def installations(self) -> int:
        """Accounts with our App: each has limits of its own at GitHub."""
        return max(1, -(-self.repositories // self.repositories_per_installation))


@dataclass(frozen=True, slots=True)
class Outcome:
    """Seconds from an event to its verdict, without GitHub's limits, and how busy each part is (1: it can take no more)."""

    mean: float
    p50: float
    p99: float
    busy: dict[str, float]

    @property
    def busiest(self) -> str:
        """The part that saturates first."""
        return max(self.busy, key=lambda part: self.busy[part])


GITHUB_WRITES_AN_HOUR = 425.0
"""What an installation is let write, a little below GitHub's 500 (docs/reference/figures.md)."""
EMBEDDED, SMALL, LARGE = (
    Topology("one process, SQLite", 1, 1, is_embedded=True),
    Topology("PostgreSQL, 1 web, 1 worker", 1, 1),
    Topology("PostgreSQL, 2 web, 4 workers", 2, 4),
)
STEPS = (
    (1, EMBEDDED),
    (100, EMBEDDED),
    (1_000, EMBEDDED),
    (10_000, EMBEDDED),
    (10_000, SMALL),
    (100_000, SMALL),
    (100_000, LARGE),
)


class Station:
    """Servers that take who came first; `taken` is all the time that was spent in service."""

    def __init__(self, servers: int) -> None:
        self._free = [0.0] * servers
        self.taken = 0.0

    def serve(self, at: float, seconds: float) -> float:
        """When a request that comes then is done."""
        begin = max(at, heapq.heappop(self._free))
        heapq.heappush(self._free, begin + seconds)
        self.taken += seconds
        return begin + seconds


def simulate(load: Load, topology: Topology, costs: Costs, *, seed: int, seconds: float = HOUR) -> Outcome:
    """One busiest hour. Every event goes through the web process, the worker's processor, and GitHub's answers."""
    chance = random.Random(seed)
    web = Station(topology.web)
    processors = web if topology.is_embedded else Station(topology.workers)
    jobs = Station(topology.workers * topology.jobs)
    database = Station(1)
    commit = costs.commit_sqlite if topology.is_embedded else costs.commit_postgres
    waits = []
    for at in _arrivals(chance, load.rate, seconds):
        stored = web.serve(at, costs.acknowledge)
        judged = processors.serve(stored, costs.judge)
        written = database.serve(judged, costs.commits * commit)
        answers = sum(chance.expovariate(1 / costs.call_seconds) for _ in range(round(costs.calls)))
        waits.append(jobs.serve(written, answers) - at)
    busy = {
        "web" if not topology.is_embedded else "processor": load.rate * costs.acknowledge / topology.web,
        "worker": load.rate * costs.judge / topology.workers,
        "jobs": load.rate * costs.calls * costs.call_seconds / (topology.workers * topology.jobs),
        "database": load.rate * costs.commits * commit,
        "GitHub's writes": load.rate * HOUR * costs.writes / load.installations / GITHUB_WRITES_AN_HOUR,
    }
    if topology.is_embedded:  # One Python process does one thing at a time
        busy["processor"] += busy.pop("worker")
    return Outcome(sum(waits) / max(len(waits), 1), _quantile(waits, 0.5), _quantile(waits, 0.99), busy)


def capacity(load: Load, topology: Topology, costs: Costs) -> int:
    """So many repositories in the busiest hour until the first part of ours can take no more; GitHub's limits aside."""
    # In no time at all: the shares follow from the rates alone.
    shares = simulate(Load(1, load.events_per_repository), topology, costs, seed=0, seconds=0).busy
    return int(1 / max(share for part, share in shares.items() if not part.startswith("GitHub")))


def _arrivals(chance: random.Random, rate: float, seconds: float) -> Iterator[float]:
    """Moments at which events come, as those of many people who do not know each other."""
    at = chance.expovariate(rate)
    while at < seconds:
        yield at
        at += chance.expovariate(rate)


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)] if values else 0.0


def table(seed: int) -> str:
    """The table that is printed: each step of the load on a topology that takes it."""
    lines = [
        "| repositories | topology | events/s | p50 | p99 | busiest part | of ours |",
        "|---|---|---|---|---|---|---|",
    ]
    for repositories, topology in STEPS:
        load = Load(repositories)
        found = simulate(load, topology, Costs(), seed=seed)
        ours = max((share, part) for part, share in found.busy.items() if not part.startswith("GitHub"))
        lines.append(
            f"| {repositories:,} | {topology.name} | {load.rate:.2g} | {found.p50:.1f} s | {found.p99:.1f} s"
            f" | {found.busiest} {found.busy[found.busiest]:.0%} | {ours[1]} {ours[0]:.0%} |"
        )
    lines.append("")
    for topology in (EMBEDDED, SMALL, LARGE):
        most = capacity(Load(1), topology, Costs())
        lines.append(f"- {topology.name}: {most:,} repositories until a part of ours is full")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the arrivals and of GitHub's answers")
    print(table(parser.parse_args().seed))
