"""Runs the benchmarks that are named (all without a name) and keeps their figures in benchmarks/results/latest.json."""

import argparse
import importlib
import json
import os
import platform
import sys
import time
from pathlib import Path

from figures import Figure, markdown, table

from bot import clock

NAMES = (
    "first_run",
    "webhook",
    "receiving",
    "verdict_cost",
    "storm",
    "evaluate",
    "checkouts",
    "decision",
    "licenses",
    "messages",
    "memory",
    "nights",
    "coverage",
    "rotation",
    "ledger",
    "growth",
    "pages",
    "texts",
)
RESULTS = Path(__file__).parent / "results" / "latest.json"


def main() -> int:
    """The exit code: 0 when every benchmark could be measured."""
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(NAMES)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions: shows that it works, not how fast")
    parser.add_argument("--markdown", action="store_true", help="print rows for docs/figures.md")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(NAMES))
    if unknown:
        parser.error(f"no such benchmark: {', '.join(unknown)}")
    for name in arguments.names or NAMES:
        module = importlib.import_module(name)
        print(f"\n{name}: {module.__doc__}\n", flush=True)
        start = time.perf_counter()
        measured: list[Figure] = module.measure(quick=arguments.quick)
        print(markdown(measured) if arguments.markdown else table(measured))
        print(f"({time.perf_counter() - start:.0f} s)", flush=True)
        _keep(name, measured, quick=arguments.quick)
    return 0


def _keep(name: str, measured: list[Figure], *, quick: bool) -> None:
    """Replace this benchmark's part of the results; the others stay as they were measured last."""
    try:
        kept = json.loads(RESULTS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        kept = {}
    kept[name] = {
        "at": clock.now().isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "python": platform.python_version(),
        "quick": quick,
        "figures": [figure.plain() for figure in measured],
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
