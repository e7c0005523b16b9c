"""Licences judged: a large organisation's cells, time and memory; and lines of `license check --batch` a second."""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from figures import Figure, best_of

from audit.facts import Dependency, Learned, Repository, Usage
from audit.licenses import osadl
from audit.verdict.policy import Policy
from audit.verdict.repository_verdict import Judge

WHOLE, QUICK = 10_000, 500
"""Repositories, each with a thousand dependencies out of five thousand, ordered by name as lock files have them."""
LINES = 100_000
OWN = ("Apache-2.0", "MIT", "GPL-2.0-only")


def measure(*, quick: bool) -> list[Figure]:
    """The cells in a process of their own, whose memory they are; the lines through the command."""
    count = QUICK if quick else WHOLE
    command = [sys.executable, "-m", "licenses.licenses", str(count)]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    lines, bare = _lines(LINES // 10 if quick else LINES)
    return [
        Figure(
            what=f"{count:,} repositories × 1,000 dependencies judged", value=found["seconds"], unit="s",
            target="≤ 10 s" if count == WHOLE else "", baseline=found["bare"], beside="one look-up in a dict for each cell",
        ),
        Figure(what="highest memory of that", value=found["mebibytes"], unit="MiB", target="≤ 1,024 MiB",
               baseline=found["before"], beside="the dependencies alone"),
        Figure(what="license check --batch", value=lines, unit="lines/s", target="≥ 20,000", baseline=bare,
               beside="the same lines only read and written as JSON"),
    ]  # fmt: skip


def judged(count: int) -> dict[str, float]:
    """Seconds and memory for that many repositories, all results kept."""
    dice = random.Random(1)
    licenses, usages = list(osadl.shipped().names), list(Usage)
    library = [
        Dependency(name=f"lib-{number:04}", usage=dice.choice(usages), license=Learned(dice.choice(licenses)))
        for number in range(5_000)
    ]
    order = range(len(library))
    repositories = [
        Repository(
            name=f"o/r{number}",
            license=Learned(OWN[number % 3]),
            dependencies=tuple(library[at] for at in sorted(dice.sample(order, 1_000))),
        )
        for number in range(count)
    ]
    # What the kernel tells is the highest so far: the dependencies are told beside it.
    before = _highest()
    judge = Judge(Policy(), osadl.shipped(), date(2026, 11, 22))
    start = time.perf_counter()
    results = [judge.audited(repository) for repository in repositories]
    seconds = time.perf_counter() - start
    cells = sum(len(result.cells) for result in results)
    if cells != count * 1_000:
        raise RuntimeError(f"{cells} cells")
    table = {dependency.name: number for number, dependency in enumerate(library)}
    bare = best_of(1, lambda: sum(table[use.name] for repository in repositories for use in repository.dependencies))
    return {"seconds": seconds, "bare": bare, "mebibytes": _highest(), "before": before}


def _highest() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # KiB, on Linux.


def _lines(count: int) -> tuple[float, float]:
    """Lines a second of the command, its start included; and of reading and writing alone."""
    dice = random.Random(1)
    licenses, usages = list(osadl.shipped().names), [usage.value for usage in Usage]
    asked = [
        {"outbound": dice.choice(OWN), "inbound": dice.choice(licenses), "usage": dice.choice(usages)}
        for _ in range(count)
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "lines.jsonl")
        file.write_text("".join(f"{json.dumps(question)}\n" for question in asked))
        start = time.perf_counter()
        command = Path(sys.executable).parent / "countersign"
        done = subprocess.run(
            [command, "license", "check", "--batch", file], capture_output=True, text=True, check=False
        )
        judged_in = time.perf_counter() - start
        if done.stdout.count("\n") != count:
            raise RuntimeError(done.stderr)
        bare = best_of(1, lambda: [json.dumps(json.loads(line)) for line in file.read_text().splitlines()])
        return count / judged_in, count / bare


if __name__ == "__main__":
    print(json.dumps(judged(int(sys.argv[1]))))
