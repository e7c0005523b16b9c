"""Runs the benchmarks that are named (all without a name), prints one table and keeps it in benchmarks/results.md."""

import argparse
import importlib
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any, Final

from figures import HEAD, Figure, row, table

from bot import clock

FOLDERS: Final = {
    "front": ("first_run", "webhook", "receiving", "flood", "memory", "pages"),
    "verdicts": ("verdict_cost", "steady", "storm", "paced", "processes", "waking", "evaluate", "decision", "messages"),
    "records": ("coverage", "rotation", "ledger", "growth"),
    "licenses": ("licenses", "checkouts", "nights", "texts", "manifests", "projects"),
}
NAMES: Final = {name: f"{folder}.{name}" for folder, names in FOLDERS.items() for name in names}
MEASURED: Final = Path(__file__).parent / "results.json"
RESULTS: Final = Path(__file__).parent / "results.md"
_KIB_IN_GIB: Final = 1024 * 1024


def main() -> int:
    """The exit code: 0 when every benchmark could be measured, even if a figure misses its aim."""
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(NAMES)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions: shows that it works, not how fast")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(NAMES))
    if unknown:
        parser.error(f"no such benchmark: {', '.join(unknown)}")
    figures: list[Figure] = []
    for name in arguments.names or NAMES:
        module = importlib.import_module(NAMES[name])
        print(f"{name}: {module.__doc__}", flush=True)
        start = time.perf_counter()
        measured: list[Figure] = module.measure(quick=arguments.quick)
        print(f"({time.perf_counter() - start:.0f} s)", flush=True)
        if not arguments.quick:  # What is quick is no figure
            _keep(name, measured)
        figures += measured
    print(f"\n{table(figures)}\n\n{_misses(figures)}")
    return 0


def _keep(name: str, measured: list[Figure]) -> None:
    """Replace this benchmark's part of the results; the others stay as they were measured last."""
    try:
        kept = json.loads(MEASURED.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # Not there yet, or broken: it is filled again.
        kept = {}
    kept[name] = {"at": f"{clock.now():%Y-%m-%d}", "on": _machine(), "figures": [figure.plain() for figure in measured]}
    MEASURED.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    RESULTS.write_text(_document({name: kept[name] for name in NAMES if "on" in kept.get(name, ())}), encoding="utf-8")


def _machine() -> str:
    """The machine that it was measured on, without a name; the load is what others did there, too."""
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024 / _KIB_IN_GIB
    return f"{os.cpu_count()} cores, {gib:.0f} GiB, Python {platform.python_version()}, load {os.getloadavg()[1]:.1f}"


def _document(kept: dict[str, dict[str, Any]]) -> str:
    lines = [
        "# Measured figures",
        "",
        "Written by `make bench` (`python benchmarks/run.py NAME` measures one again). What stands beside a figure was measured in",
        "the same run. *nearly*: missed by less than a fifth, which a machine that others use, too, may be off. The load is the",
        "average of five minutes at the end of a run; on two cores more than 2 means that others were at work.",
        "",
        f"| benchmark | {' | '.join(HEAD)} |",
        f"|{' --- |' * (len(HEAD) + 1)}",
    ]
    found = {name: [Figure(**values) for values in part["figures"]] for name, part in kept.items()}
    for name, figures in found.items():
        lines += [f"| {name} | {' | '.join(row(figure))} |" for figure in figures]
    machines = [f"| {name} | {part['at']} | {part['on']} |" for name, part in kept.items()]
    every = [figure for figures in found.values() for figure in figures]
    lines += ["", _misses(every), "", "| benchmark | measured | on |", "| --- | --- | --- |", *machines]
    return "\n".join(lines) + "\n"


def _misses(figures: list[Figure]) -> str:
    """The figures that miss their targets, in so many words."""
    missed = [
        f"{figure.what} ({' '.join(row(figure)[2:3])}, target {figure.target})"
        for figure in figures
        if figure.met == "no"
    ]
    wanted = sum(figure.met != "" for figure in figures)
    return f"Missed by a fifth or more, of {wanted} targets: {'; '.join(missed) if missed else 'none'}."


if __name__ == "__main__":
    sys.exit(main())
