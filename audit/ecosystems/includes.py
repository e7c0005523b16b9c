"""Files that name other files or folders: names that go round in a circle, or out of the tree."""

import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath
from typing import Final

from audit.ecosystems.parsed_file import Include, ParsedFile, not_read
from audit.facts import Finding, Place

_COMPUTED: Final = re.compile(r"\$|#\{|\{\{|://(?!/)")  # A variable, or an address.
_ABSOLUTE: Final = re.compile(r"[/~]|[A-Za-z]:/")
_MAX_FOLDER_CHARACTERS: Final = 1_000


def outside(named: str, place: Place) -> tuple[Finding, ...]:
    """A finding for a folder outside the root that a file names; none for an address, and for a computed name."""
    # Windows' separators, and npm's `file:`.
    folder = named.strip().replace("\\", "/").removeprefix("file:")[:_MAX_FOLDER_CHARACTERS]
    if not folder or _COMPUTED.search(folder):
        return ()
    if not _ABSOLUTE.match(folder) and normpath(join(dirname(place.path), folder)).split("/")[0] != "..":
        return ()
    return (Finding("file/outside", place, "names a folder outside of the repository, which is not read"),)


def leaves(include: Include) -> bool:
    """True for a path that is not below the root."""
    # No path has a NUL: opening it raises ValueError.
    return include.path.startswith(("/", "..")) or not include.path or "\0" in include.path


def findings(reads: Mapping[str, ParsedFile], known: frozenset[str]) -> tuple[Finding, ...]:
    """Names of files that are outside, that are missing from `known`, and those that close a circle."""
    found = []
    for read in reads.values():
        for include in read.includes:
            if leaves(include):
                message = "names a file outside of the repository, which is not read"
                found.append(Finding("file/outside", include.place, message))
            elif include.or_at and known.isdisjoint((include.path, include.or_at)):
                why = f"installs what {include.place.said.removeprefix('-r ')} lists, a file that is not in the repository"
                found.append(not_read(include.place.path, include.place.line, why))
            elif include.assumed:
                # A part of the tree may be a top of its own.
                if include.path not in known and not any(path.endswith(f"/{include.path}") for path in known):
                    why = f"takes in {include.path} from a folder that only the build knows"
                    found.append(not_read(include.place.path, include.place.line, why))
            elif include.path not in known and not include.optional and not include.or_at:
                found.append(Finding("file/missing", include.place, f"names {include.path}, which does not exist"))
    return (*found, *_circles(reads))


def _circles(reads: Mapping[str, ParsedFile]) -> list[Finding]:
    """One finding for each include that leads back to a file from which it was reached."""
    found: list[Finding] = []
    # A stack of our own: files may lead to each other deeper than Python recurses.
    done: set[str] = set()
    for start in sorted(reads):
        way = [(start, iter(reads[start].includes))] if start not in done else []
        open_now = {start}
        while way:
            path, rest = way[-1]
            include = next(rest, None)
            if include is None:
                way.pop()
                open_now.discard(path)
                done.add(path)  # Nothing leads back from here: it is not gone through again.
            elif include.path in open_now:
                found.append(Finding("file/cycle", include.place, f"names {include.path}, which leads back here"))
            elif include.path in reads and include.path not in done:
                open_now.add(include.path)
                way.append((include.path, iter(reads[include.path].includes)))
    return found
