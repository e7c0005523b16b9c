"""A figure: a measured value beside a baseline of the same run, since machines are noisy and ratios are less so."""

import gc
import os
import re
import resource
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

_TARGET: Final = re.compile(r"([≤≥]?) ?([\d,.]*\d|before)")
_FIFTH: Final = 0.2
"""So much a machine that others use, too, may be off."""

Met = Literal["yes", "nearly", "no", ""]
_TICK: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured value; `target` is the figure to reach as text, `baseline` what `beside` took in the same unit."""

    what: str
    value: float
    unit: str
    target: str = ""
    baseline: float | None = None
    beside: str = ""

    @property
    def ratio(self) -> float | None:
        """Value divided by baseline; None without a baseline."""
        return self.value / self.baseline if self.baseline else None

    @property
    def met(self) -> Met:
        """Whether the target is reached; "nearly" when it is missed by less than a fifth, "" without a target."""
        found = _TARGET.match(self.target)
        if found is None:
            return ""
        goal = self.baseline or 0.0 if found[2] == "before" else float(found[2].replace(",", ""))
        is_least = found[1] == "≥"
        if self.value >= goal if is_least else self.value <= goal:
            return "yes"
        return "nearly" if (goal - self.value if is_least else self.value - goal) < _FIFTH * goal else "no"

    def plain(self) -> dict[str, Any]:
        """The figure as JSON takes it."""
        return asdict(self)


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least that share of the values does not exceed."""
    ordered = sorted(values)
    # In whole numbers: as floats 0.07 × 100 is a little more than 7.
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)]


def percentiles(
    what: str, waits: Sequence[float], plain: Sequence[float], *, beside: str, targets: Mapping[str, str]
) -> list[Figure]:
    """The percentiles that `targets` names (p50, p95, p99, max) of seconds, as milliseconds; `what` has a place for the name."""
    figures = []
    for name, target in targets.items():
        share = 1.0 if name == "max" else int(name[1:]) / 100
        value, baseline = quantile(waits, share) * 1000, quantile(plain, share) * 1000
        figures.append(
            Figure(what=what.format(name), value=value, unit="ms", target=target, baseline=baseline, beside=beside)
        )
    return figures


def best_of(rounds: int, work: Callable[[], object], *, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the fastest of some runs: the others were disturbed."""
    taken = []
    for _ in range(rounds):
        gc.collect()  # Else one round pays for the garbage of another.
        start = clock()
        work()
        taken.append(clock() - start)
    return min(taken)


def processor_of(work: Callable[[], object]) -> float:
    """Seconds of processor that the processes which this starts and waits for take, in the system, too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spent(pid: int) -> float:
    """Seconds that a process and all that it started spent computing so far, with the system's part."""
    # The name of a program, in brackets, may hold blanks and brackets (proc(5)).
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return sum(map(int, fields[11:15])) / _TICK + sum(spent(int(child)) for child in started)


def run(command: Sequence[str], patience: float | None = None) -> None:
    """Run a command, at most so many seconds; raises RuntimeError where it fails.

    Exit code 1 is an answer: of a licence that is not allowed, of a text that is not known.
    """
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)[:500]}: {done.stderr[-500:]}")


HEAD: Final = ("what", "target", "measured", "beside it", "ratio", "met")


def table(figures: Sequence[Figure]) -> str:
    """The figures as lines of aligned columns."""
    rows = [HEAD, *map(row, figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def free_port() -> int:
    """A loopback port that is free at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def row(figure: Figure) -> tuple[str, ...]:
    """The figure as cells below `HEAD`."""
    ratio = "" if figure.ratio is None else f"{_short(figure.ratio)} ×"
    baseline = "" if figure.baseline is None else f"{figure.beside}: {_short(figure.baseline)}"
    return (figure.what, figure.target, f"{_short(figure.value)} {figure.unit}".strip(), baseline, ratio, figure.met)


def _short(number: float) -> str:
    # More digits than three are more than a noisy machine can promise.
    return f"{number:,.0f}" if number == int(number) or abs(number) >= 1000 else f"{float(f'{number:.3g}'):g}"
