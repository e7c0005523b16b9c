"""Memory of the process that serves: after its start, and after it has judged 200 pull requests."""

import subprocess
import sys
from pathlib import Path

from figures import Figure
from front import webhook
from place import opened

MIB = 1024
"""KiB in one MiB."""
BARE = "import flask, sqlmodel, github, dbos, cryptography\nprint(open('/proc/self/status').read())"


def measure(*, quick: bool) -> list[Figure]:
    """Resident memory in MiB, from /proc; beside a Python that only imports the same libraries."""
    count = 10 if quick else 200
    with opened() as place:
        posts = webhook.deliveries(place, count)
        place.stage.serve()
        assert place.stage.process is not None
        server = place.stage.process.pid
        started = resident(server)
        webhook.load(place.stage.port, posts)
        place.until(lambda: not place.unfinished(), within=240)
        worked = resident(server)
        peak = resident(server, "VmHWM")
    bare = _bare()
    return [
        Figure(
            what=f"serving process, {when}", value=value, unit="MiB", target="≤ 180 MiB", baseline=bare, beside=beside
        )
        for when, value, beside in (
            ("started", started, "its libraries imported"),
            (f"after {count} deliveries", worked, "its libraries imported"),
            ("highest", peak, "its libraries imported"),
        )
    ]


def resident(pid: int, name: str = "VmRSS") -> float:
    return _field(Path(f"/proc/{pid}/status").read_text(encoding="utf-8"), name)


def _field(status: str, name: str) -> float:
    """A field of /proc/PID/status, which are in KiB, as MiB."""
    line = next(line for line in status.splitlines() if line.startswith(name + ":"))
    return int(line.split()[1]) / MIB


def _bare() -> float:
    done = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True, check=True)
    return _field(done.stdout, "VmRSS")
