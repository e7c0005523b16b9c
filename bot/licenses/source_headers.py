"""The source files of a checkout and their licence headers: looked for, and added where they are missing. No link is followed."""

import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from agreements.clone.history import Clone, HistoryUnreadable
from audit.facts import Finding, Repository
from audit.headers.header_insertion import with_header
from audit.headers.header_rule import HeaderRule
from audit.headers.license_headers import (
    MAX_SOURCE_BYTES,
    FileHeader,
    HeaderStatus,
    check_header,
    findings,
    is_asked,
    left_out,
)
from audit.scan.decoding import decode, shown
from bot.atomic_file import replacement

_NEVER: Final = frozenset({".git", ".hg", ".svn", ".tox", ".nox", ".venv", "__pycache__"})
MAX_FINDINGS: Final = 200
"""Files that a report names one by one."""


@dataclass(frozen=True, slots=True)
class HeaderCheck:
    """The `files` asked for a header, by path; how many were `left_out`, by reason; `unsure`: git's failure, if any."""

    files: tuple[tuple[str, FileHeader], ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    unsure: str = ""

    def of(self, kind: HeaderStatus) -> tuple[tuple[str, FileHeader], ...]:
        return tuple((path, state) for path, state in self.files if state.kind is kind)


def check(root: Path, header: HeaderRule) -> HeaderCheck:
    """All files below a folder, but for those that git ignores. Raises OSError where the folder can't be read."""
    root, unsure = Path(os.path.realpath(root)), ""
    paths: Iterator[str] | tuple[str, ...] = _walked(root)
    if any((folder / ".git").exists() for folder in (root, *root.parents)):
        try:
            paths = Clone(str(root)).listed()
        except HistoryUnreadable as error:
            unsure = f"git does not say which files it ignores, so all are looked at: {error}"
    found: dict[str, FileHeader] = {}
    skipped: Counter[str] = Counter()
    for path in sorted(path for path in paths if is_asked(path, header)):
        data = _read(root, path)
        if data is None:
            continue
        text = decode(data)[0]
        why = "too-large" if len(data) > MAX_SOURCE_BYTES else left_out(text, path)
        if why:
            skipped[why] += 1
        else:
            found[path] = check_header(path, text, header)
    return HeaderCheck(tuple(found.items()), dict(sorted(skipped.items())), unsure)


def fix(root: Path, checked: HeaderCheck, header: HeaderRule, year: int) -> tuple[str, ...]:
    """Add the header to all files that lack it; the paths of those. Raises OSError, with the file's name.

    Each is exchanged as a whole and keeps its mode. Those where it can't be told how are left to people.
    """
    root = Path(os.path.realpath(root))
    return tuple(path for path, _ in checked.of(HeaderStatus.MISSING) if _fixed(root, path, header, str(year)))


def noted(found: Repository, root: Path, header: HeaderRule | None, most: int = MAX_FINDINGS) -> Repository:
    """The repository with a finding for each file that lacks the header; unchanged where none is asked for."""
    if header is None:
        return found
    said = [(shown(path), state) for path, state in check(root, header).files]
    more: tuple[Finding, ...] = findings(said, most)
    return replace(found, findings=(*found.findings, *more)) if more else found


def _fixed(root: Path, path: str, header: HeaderRule, years: str) -> bool:
    data = _read(root, path)
    if data is None:
        return False
    encoding = "utf-8"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        encoding, text = "latin-1", data.decode("latin-1")  # Each byte stays what it is
    state = check_header(path, decode(data)[0], header)
    whole = with_header(path, text, state, header, years)
    # The encoding is not known: a header beyond ASCII might be unreadable in it.
    if whole is None or (encoding != "utf-8" and not all(line.isascii() for line in header.lines(years))):
        return False
    with replacement(root / path) as file:
        file.write(whole.encode(encoding))
    return True


def _walked(root: Path) -> Iterator[str]:
    def fail(error: OSError) -> None:
        if error.filename == str(root):  # What else can't be listed has no header that could be read
            raise error

    for folder, inside, files in os.walk(root, onerror=fail):
        inside[:] = [name for name in inside if name not in _NEVER and not Path(folder, name, ".git").exists()]
        yield from (os.path.relpath(Path(folder, name), root) for name in files)


def _read(root: Path, path: str) -> bytes | None:
    """A plain file's bytes, or its first ones; None for a link, what is behind one, or no plain file."""
    place = os.path.join(root, path)  # noqa: PTH118 - Path would take `..` as it is, too, and is slower
    # A link may lead out of the checkout, and `--fix` writes.
    if os.path.realpath(place) != place:
        return None
    try:
        # O_NONBLOCK: a pipe would wait for a writer. O_NOFOLLOW: the file may become a link meanwhile.
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(MAX_SOURCE_BYTES + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None
