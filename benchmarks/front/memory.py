"""The start of the process that serves: processor until it is ready; and its memory then, a moment later, and after 200 verdicts."""

import subprocess
import sys
import time
from pathlib import Path

from figures import Figure, processor_of, spent
from front import webhook
from place import opened

MIB = 1024
"""KiB in one MiB."""
BARE = "import flask, sqlmodel, github, dbos, cryptography\nprint(open('/proc/self/status').read())"
SETTLED_SECONDS = 10
"""By then everything that is loaded ahead of the first page and the first verdict is there."""


def measure(*, quick: bool) -> list[Figure]:
    """Seconds of processor and resident memory in MiB, from /proc; beside a Python that only imports the same libraries."""
    count = 10 if quick else 200
    with opened() as place:
        posts = webhook.deliveries(place, count)
        place.stage.serve()
        assert place.stage.process is not None
        server = place.stage.process.pid
        begun, started = spent(server), resident(server)
        time.sleep(SETTLED_SECONDS)
        settled = resident(server)
        webhook.load(place.stage.port, posts)
        place.until(lambda: not place.unfinished(), within=240)
        worked = resident(server)
        peak = resident(server, "VmHWM")  # The highest so far (proc(5)).
    seconds, bare = _bare()
    beside = "its libraries imported"
    return [
        Figure(
            what="ready: processor", value=begun, unit="s", target="≤ 1.3 s", baseline=seconds, beside=beside,
        ),
        *(
            Figure(
                what=f"serving process, {when}", value=value, unit="MiB", target=target, baseline=bare, beside=beside
            )
            for when, value, target in (
                ("started", started, "≤ 150 MiB"),
                (f"{SETTLED_SECONDS} s later", settled, ""),
                (f"after {count} deliveries", worked, "≤ 256 MiB"),
                ("highest", peak, "≤ 256 MiB"),
            )
        ),
    ]  # fmt: skip


def resident(pid: int, name: str = "VmRSS") -> float:
    return _field(Path(f"/proc/{pid}/status").read_text(encoding="utf-8"), name)


def _field(status: str, name: str) -> float:
    """A field of /proc/PID/status, which are in KiB, as MiB."""
    line = next(line for line in status.splitlines() if line.startswith(name + ":"))
    return int(line.split()[1]) / MIB


def _bare() -> tuple[float, float]:
    said = list[str]()
    seconds = processor_of(lambda: said.append(subprocess.check_output([sys.executable, "-c", BARE], text=True)))
    return seconds, _field(said[0], "VmRSS")
