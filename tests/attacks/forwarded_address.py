"""Choosing one's own address behind a proxy by a header with underscores, and with it a fresh limit for each request."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[2]))

from tests.attacks import program, victim

ALLOWED = 60
"""Requests a minute for one address."""


def attack(*, short, say):
    """Ask for a page with a limit, more often than it allows, each time as another address."""
    del short  # seventy requests
    through = []
    with victim.serving(COUNTERSIGN_PROXIES="1") as stage:
        for name in ("X_Forwarded_For", "x_forwarded-for", "X-Forwarded_For"):
            taken = sum(_asked(stage, name, number) < 1e9 for number in range(ALLOWED + 10))
            say(f"{name}: {taken} of {ALLOWED + 10} requests were answered")
            if taken > ALLOWED:
                through.append(f"{name}: the limit of {ALLOWED} let {taken} requests through")
    return through


def _asked(stage, name, number):
    head = (
        f"GET /whitelist.json HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        f"{name}: 10.0.0.{number}\r\nX-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Host: 127.0.0.1\r\n\r\n"
    )
    return victim.seconds(stage, head.encode())


if __name__ == "__main__":
    sys.exit(program.main(attack))
