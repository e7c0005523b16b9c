"""A figure: a measured value beside a baseline of the same run, since machines are noisy and ratios are less so."""

import gc
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


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

    def plain(self) -> dict[str, Any]:
        """The figure as JSON takes it."""
        return {
            **asdict(self),
            "value": _short(self.value),
            "ratio": None if self.ratio is None else _short(self.ratio),
        }


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least that share of the values does not exceed."""
    ordered = sorted(values)
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
        gc.collect()
        start = clock()
        work()
        taken.append(clock() - start)
    return min(taken)


def table(figures: Sequence[Figure]) -> str:
    """The figures as lines of aligned columns."""
    head = ("what", "value", "unit", "target", "ratio", "baseline")
    rows = [head, *(_row(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def markdown(figures: Sequence[Figure]) -> str:
    """The figures as rows of a Markdown table, for docs/figures.md."""
    return "\n".join("| " + " | ".join(_row(figure)) + " |" for figure in figures)


def free_port() -> int:
    """A loopback port that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _row(figure: Figure) -> tuple[str, ...]:
    ratio = "" if figure.ratio is None else f"{_short(figure.ratio)} ×"
    baseline = "" if figure.baseline is None else f"{figure.beside}: {_short(figure.baseline)}"
    return (figure.what, str(_short(figure.value)), figure.unit, figure.target, ratio, baseline)


def _short(number: float) -> float:
    """Three digits are more than a noisy machine can promise."""
    return int(number) if number == int(number) or abs(number) >= 1000 else float(f"{number:.3g}")
