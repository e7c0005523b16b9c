"""Clean reverts: a commit that undoes exactly what another one changed, proven by the objects that git stores."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

# git-revert(1), at `--reference`: "This reverts commit <full-object-name-of-the-commit-being-reverted>."
_NAMED: Final = re.compile(r"^This reverts commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)\b", re.MULTILINE)
_FOLDER: Final = "040000"
"""Git's mode of a folder."""

StoredObject = tuple[str, str]
"""The mode and the object name under which git stores a file, a link, a submodule or a folder."""

ReadFolder = Callable[[str], Mapping[str, StoredObject]]
"""Gives the entries of a folder by name; the argument names a commit or a tree."""


@dataclass(frozen=True, slots=True)
class PathChange:
    """A change at one `path`: what stood there `before` and `after`, None for nothing."""

    path: str
    before: StoredObject | None
    after: StoredObject | None


def named(message: str) -> str | None:
    """The SHA of the commit that the message says it reverts: where to look, and no proof of anything."""
    found = _NAMED.search(message)
    return found[1] if found else None


def undoes(revert: Collection[PathChange], reverted: Collection[PathChange]) -> bool:
    """Whether the one changes exactly what the other changed, back to what stood there before; nothing undoes nothing."""
    return bool(reverted) and set(revert) == {
        PathChange(change.path, change.after, change.before) for change in reverted
    }


def changes(before: str, after: str, read: ReadFolder) -> Iterator[PathChange]:
    """The changes between two commits, below the folders that differ; as `git diff-tree -r --no-renames` lists them."""
    waiting = [("", before, after)]
    while waiting:
        folder, *ends = waiting.pop()
        old, new = (read(sha) if sha else {} for sha in ends)
        for name in old.keys() | new.keys():
            was, now = old.get(name), new.get(name)
            if was == now:
                continue
            below = [entry[1] if entry and _is_folder(entry) else "" for entry in (was, now)]
            if any(below):
                waiting.append((f"{folder}{name}/", below[0], below[1]))
            was, now = (None if _is_folder(entry) else entry for entry in (was, now))
            if was != now:
                yield PathChange(folder + name, was, now)


def _is_folder(stored: StoredObject | None) -> bool:
    return stored is not None and stored[0] == _FOLDER
