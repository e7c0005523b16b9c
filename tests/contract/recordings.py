"""Exchanges with the real GitHub, as PyGithub recorded them for its own tests; they are fetched, and never kept here.

The archive is the source distribution of the release that requirements/dev.lock pins, with its SHA-256: `make .recorded/ready`
has it from the package registry. It is LGPL; nothing of it is part of this project.
"""

import ast
import hashlib
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.conftest import missing

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".recorded"
_PINNED = re.compile(r"^pygithub==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)
_LINES = 10
"""Of an exchange: protocol, verb, host, port, address, headers, body; status, headers, body."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One exchange; `place` is the file and which of it this is, `written` the headers of the answer as a text of Python."""

    place: str
    method: str
    host: str
    target: str
    sent: str
    status: int
    written: str
    body: str

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """As they came."""
        return _pairs(self.written)

    @property
    def year(self) -> int:
        """When GitHub said so; 0 where the recorder has cut the date off."""
        dates = [value for name, value in self.headers if name.lower() == "date"]
        found = re.search(r"\b\d{4}\b", dates[0]) if dates else None
        return int(found[0]) if found else 0


def archive() -> Path:
    """The pinned source distribution; the test is skipped without it, or fails where REQUIRE asks for `recorded`."""
    pinned = _PINNED.search((ROOT / "requirements" / "dev.lock").read_text(encoding="utf-8"))
    assert pinned is not None, "requirements/dev.lock pins PyGithub"
    path = FOLDER / f"pygithub-{pinned[1]}.tar.gz"
    if not path.exists():
        missing(
            "recorded", f"no {path.relative_to(ROOT)}: make .recorded/ready, where the package registry can be reached"
        )
    assert hashlib.sha256(path.read_bytes()).hexdigest() in pinned[2], f"{path} is not what requirements/dev.lock pins"
    return path


@cache
def exchanges() -> tuple[Recorded, ...]:
    """All of them, by file and in order; read once."""
    found: list[Recorded] = []
    with tarfile.open(archive()) as packed:
        for member in packed:
            folder, _, name = member.name.rpartition("/")
            content = packed.extractfile(member) if folder.endswith("/tests/ReplayData") else None
            if content is not None:
                found += _read(name.removesuffix(".txt"), content.read().decode())
    return tuple(sorted(found, key=lambda exchange: exchange.place))


def _read(name: str, text: str) -> Iterator[Recorded]:
    """The exchanges of one file, with an empty line after each; what was downloaded in pieces ends it."""
    lines = [line for line in text.split("\n\n") if line.strip()]
    for number, block in enumerate(lines):
        yield from _exchange(f"{name}#{number}", block.strip("\n").split("\n"))


def _exchange(place: str, lines: list[str]) -> Iterator[Recorded]:
    lines += [""] * (_LINES - len(lines))
    if lines[1].isupper() and lines[7].isdecimal() and lines[8].startswith("["):
        sent = "" if lines[6] == "None" else lines[6]
        yield Recorded(place, lines[1], lines[2], lines[4], sent, int(lines[7]), lines[8], lines[9])


@cache
def _pairs(written: str) -> tuple[tuple[str, str], ...]:
    return tuple((str(key), str(value)) for key, value in ast.literal_eval(written))
