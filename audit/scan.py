"""A checkout becomes a Repository: its files are walked in order, within bounds, and nothing in it is ever run.

The only module of the audit that reads a checkout. No link is followed out of the tree; what is not a plain file is left
alone; archives stay closed.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from audit import decoding, gathering, installed
from audit.ecosystems.reading import finding
from audit.facts import Finding, Repository, Text

_NEVER: Final = frozenset(
    {".git", ".hg", ".svn", ".tox", ".nox", "__pycache__", ".mypy_cache", ".ruff_cache", ".hypothesis"}
)
_REPORT_EVERY: Final = 1_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a checkout is read: entries of folders, depth, and bytes by kind of file."""

    entries: int = 500_000
    depth: int = 64
    manifest: int = 32_000_000
    source: int = 256_000
    legal: int = 2_000_000
    total: int = 1_000_000_000


@dataclass
class _Walk:
    """One walk: where it is, what it has used up, what went wrong."""

    root: Path
    limits: Limits
    progress: Callable[[int], None]
    findings: list[Finding] = field(default_factory=list)
    entries: int = 0
    used: int = 0
    full: bool = False
    texts: dict[str, str] = field(default_factory=dict)

    def files(self) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
        """Every entry that is no folder, with its path below the root; folders in order of their names."""
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            deeper = []
            for entry in self._entries(folder):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if not entry.is_dir(follow_symlinks=False):
                    yield path, entry
                elif entry.name not in _NEVER and not self._is_other(path):
                    deeper.append(path)
            waiting += reversed(deeper)

    def _entries(self, folder: str) -> list["os.DirEntry[str]"]:
        """What is in a folder; nothing, with a finding, beyond a bound or where it can't be read."""
        if folder.count("/") >= self.limits.depth:
            self.add("tree/cut-short", folder, f"deeper than {self.limits.depth} folders, not read on")
            return []
        if self.entries >= self.limits.entries:
            if not self.full:
                self.add("tree/cut-short", folder, f"after {self.entries} files and folders, the rest is not read")
            self.full = True
            return []
        try:
            with os.scandir(self.root / folder) as listing:
                found = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self.add("file/unreadable", folder or ".", f"can't be listed: {error.strerror}")
            return []
        before, self.entries = self.entries, self.entries + len(found)
        if before // _REPORT_EVERY != self.entries // _REPORT_EVERY:
            self.progress(self.entries)
        return found

    def _is_other(self, path: str) -> bool:
        """A repository within the repository that is no submodule of it: somebody else's checkout."""
        return os.path.isdir(os.path.join(self.root, path, ".git"))  # noqa: PTH112, PTH118 - asked for every folder

    def add(self, code: str, path: str, message: str) -> None:
        """One more finding."""
        self.findings.append(finding(code, gathering.shown(path), None, message))

    def read(self, path: str, entry: "os.DirEntry[str] | None", most: int, *, whole: bool = True) -> bytes | None:
        """A file's bytes; None, with a finding, if it is no plain file inside the tree, or too large to be read whole."""
        place = os.path.join(self.root, path)  # noqa: PTH118 - asked for every file
        if (entry is None or entry.is_symlink()) and not self._inside(path, place):
            return None
        try:
            handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
            with os.fdopen(handle, "rb", buffering=0) as file:
                status = os.fstat(handle)
                if not stat.S_ISREG(status.st_mode):
                    return None
                if whole and status.st_size > most:
                    self.add("file/too-large", path, f"{status.st_size} bytes, more than {most} are not read")
                    return None
                if self.used + min(status.st_size, most) > self.limits.total:
                    self.add("tree/cut-short", path, "more bytes than are read of one repository")
                    return None
                data = file.read(most)
        except OSError as error:
            self.add("file/unreadable", path, f"can't be read: {error.strerror}")
            return None
        self.used += len(data)
        return data

    def _inside(self, path: str, place: str) -> bool:
        """A link is followed only to a file of the tree itself."""
        try:
            target = os.path.realpath(place, strict=True)
            inside = os.path.commonpath([target, os.path.realpath(self.root)]) == os.path.realpath(self.root)
        except (OSError, ValueError):
            self.add("file/unreadable", path, "a link that goes round in a circle or leads nowhere")
            return False
        if not inside:
            self.add("file/outside", path, "a link out of the repository, which is not followed")
        return inside and "/.git/" not in target

    def legal(self, path: str, entry: "os.DirEntry[str]") -> Text | None:
        """A licence or a notice, each text held once."""
        data = self.read(path, entry, self.limits.legal)
        if not data:
            return None
        digest = sha256(data).hexdigest()
        if digest not in self.texts:
            self.texts[digest] = decoding.decode(data)[0]
        return Text(gathering.shown(path), self.texts[digest], digest)


def _nobody(_count: int) -> None:
    """Nobody wants to know how far it is."""


def scan(
    root: Path,
    *,
    name: str,
    detect: Callable[[str, str], str | None] | None = None,
    progress: Callable[[int], None] = _nobody,
    limits: Limits = Limits(),
) -> Repository:
    """What a checkout says of its own licence and of all it uses.

    `detect` names the licence of a text (text, path → SPDX id, None if it is not known); without it texts are collected
    and not named. `progress` is told now and then how many entries have been seen. A checkout that is none gives an
    empty Repository with a finding.
    """
    walk = _Walk(root, limits, progress)
    gathered = gathering.Gathered(_submodules(walk))
    for path, entry in walk.files():
        _look(walk, gathered, path, entry)
    _follow(walk, gathered)
    return gathered.repository(name, tuple(walk.findings), detect)


def _submodules(walk: _Walk) -> frozenset[str]:
    """Folders of submodules, which are to be known before the walk comes to them."""
    if not (walk.root / ".gitmodules").is_file():
        return frozenset()
    data = walk.read(".gitmodules", None, walk.limits.legal) or b""
    return gathering.submodule_folders(decoding.decode(data)[0])


def _look(walk: _Walk, gathered: gathering.Gathered, path: str, entry: "os.DirEntry[str]") -> None:
    """One file: a manifest or a source of our own, or what belongs to a package in the tree."""
    role = gathered.role(path, installed.legal(entry.name))
    if role in {"license", "notice"}:
        legal = walk.legal(path, entry)
        if legal:
            gathered.legal(path, role, legal)
    elif role == "metadata":
        data = walk.read(path, entry, walk.limits.legal)
        if data:
            gathered.metadata(path, decoding.decode(data)[0])
    elif role == "source":
        data = walk.read(path, entry, walk.limits.source, whole=False)
        if data and gathering.is_worth_reading(data):
            gathered.take(path, *decoding.decode(data))
    elif role == "manifest":
        data = walk.read(path, entry, walk.limits.manifest)
        if data is not None:
            gathered.take(path, *decoding.decode(data))


def _follow(walk: _Walk, gathered: gathering.Gathered) -> None:
    """Files that others name, until there is none that has not been read."""
    while waiting := gathered.named_files():
        for path in waiting:
            place = walk.root / path
            data = walk.read(path, None, walk.limits.manifest) if place.is_file() else None
            gathered.include(path, *(decoding.decode(data) if data is not None else (None, "")))
