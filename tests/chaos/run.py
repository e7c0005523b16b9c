"""Runs the chaos, phase by phase, and says what was lost, wrong or there twice: `python tests/chaos/run.py --help`."""

import argparse
import json
import os
import platform
import secrets
import signal
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from bot import clock
from tests import fork_server  # noqa: F401 - what is killed hundreds of times starts again sooner
from tests.chaos import phases
from tests.chaos.place import Result
from tests.chaos.servers import Lacking

HEAD = "phase      database   seed         lost wrong twice   kills  deeds pulls heads signed  deliveries (failed, sent again)  converged   took"


def line(result):
    """A result as a line of the report."""
    kills = result.figures.get("kills of ours", 0) + result.figures.get("kills of the database", 0)
    converged = "never" if result.converged is None else f"{result.converged:.1f} s"
    sent = f"{result.deliveries} ({result.failed_deliveries}, {result.redelivered})"
    return (
        f"{result.phase:<10} {result.database:<10} {result.seed:<12} {result.lost:>4} {result.wrong:>5} {result.twice:>5}"
        f" {kills:>7} {result.deeds:>6} {result.pulls:>5} {result.heads:>5} {result.signatures:>6}  {sent:<31}"
        f"  {converged:>9} {result.seconds:>5.0f}s"
    )


def report(result):
    """A result as the lines of the report: its figures, what was found, and then the ends of the logs."""
    said = [line(result)]
    details = {key: value for key, value in result.figures.items() if key != "logs"}
    said += [f"           {', '.join(f'{key}: {value}' for key, value in details.items())}"] if details else []
    said += [f"           ! {finding}" for finding in result.findings]
    said += [f"--- {name}\n{text}" for name, text in result.figures.get("logs", {}).items()]
    return "\n".join(said)


def run(names, databases, *, seed, kills):
    """Run these phases on these databases; the results. What this machine cannot do is said, and left out."""
    results = []
    for kind in databases:
        for number, name in enumerate(names):
            options = {"count": kills} if name == "kills" else {}
            try:
                results.append(phases.ALL[name](kind, seed + number, **options))
            except Lacking as error:
                print(f"{name:<10} {kind:<10} left out: {error}", flush=True)
                continue
            except (TimeoutError, RuntimeError) as error:  # a process that does not come back is a finding, too
                results.append(Result(name, kind, seed + number, findings=[f"{type(error).__name__}: {error}"]))
            print(report(results[-1]), flush=True)
    return results


def main():
    """Exit code 0 when nothing was lost, wrong or twice, 1 when something was, 2 for a wrong word."""
    parser = argparse.ArgumentParser(prog="tests/chaos/run.py", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PHASE", help=f"{', '.join(phases.ALL)} (default: all)")
    parser.add_argument("--database", choices=("sqlite", "postgres", "both"), default="both")
    parser.add_argument(
        "--kills", type=int, default=200, metavar="N", help="how often the phase kills does (default: 200)"
    )
    parser.add_argument("--seed", type=int, help="what the phases begin with (default: a new one)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the results there, too")
    chosen = parser.parse_args()
    if unknown := sorted(set(chosen.names) - set(phases.ALL)):
        parser.error(f"no such phase: {', '.join(unknown)}; there are {', '.join(phases.ALL)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all that was started is ended
    seed = secrets.randbelow(1_000_000) if chosen.seed is None else chosen.seed
    databases = ("sqlite", "postgres") if chosen.database == "both" else (chosen.database,)
    machine = f"{os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}"
    print(f"{clock.now():%Y-%m-%d %H:%M} UTC, {machine}, seed {seed}\n{HEAD}", flush=True)
    results = run(chosen.names or list(phases.ALL), databases, seed=seed, kills=chosen.kills)
    lost, wrong, twice = (sum(getattr(result, kind) for result in results) for kind in ("lost", "wrong", "twice"))
    print(f"{len(results)} phases: {lost} lost, {wrong} wrong, {twice} twice")
    if chosen.json:
        kept = {
            "at": clock.now().isoformat(timespec="seconds"),
            "machine": machine,
            "seed": seed,
            "results": [result.plain() for result in results],
        }
        chosen.json.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    return 0 if results and all(result.is_good for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
