"""A checkout becomes a Repository: its files are walked in order, within bounds, and nothing in it is ever run.

The only module of the audit that reads a checkout. No link is followed out of the tree; what is not a plain file is
said, and not read; archives stay closed.
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from audit.facts import Repository
from audit.scan.assembly import assemble
from audit.scan.file_tree import CIRCULAR_LINK, NO_PLAIN_FILE, OUTSIDE_LINK, UnreadableFile
from audit.scan.walk import walk
from audit.scan.walk_limits import LIMITS, Limits
from audit.texts.work_license import Detect

# The file `.git` of a work tree; that of a submodule leads to `.git/modules/`.
_WORK_TREE: Final = re.compile(rb"gitdir:[^\n]*/worktrees/[^/\n]+/?")
_MAX_LINK_BYTES: Final = 5_000  # A path has up to 4,096.


class _Checkout:
    def __init__(self, root: Path) -> None:
        self._root = root

    def listed(self, folder: str) -> list["os.DirEntry[str]"]:
        """The entries of a folder."""
        with os.scandir(self._root / folder) as listing:
            return sorted(listing, key=lambda entry: entry.name)

    def is_other(self, folder: str) -> bool:
        """True for a folder with a `.git` folder of its own, and for a work tree that is linked to another's."""
        git = os.path.join(self._root, folder, ".git")  # noqa: PTH118 - asked for every folder
        if not os.path.isfile(git):  # noqa: PTH113 - as above
            return os.path.isdir(git)  # noqa: PTH112 - as above
        try:
            link = self.read(f"{folder}/.git", _MAX_LINK_BYTES, lambda _size: True, linked=True)
        except (OSError, UnreadableFile):
            return False
        return _WORK_TREE.fullmatch((link or b"").strip()) is not None

    def is_file(self, path: str) -> bool:
        """Links are followed to find out."""
        return (self._root / path).is_file()

    def expect(self, paths: Sequence[str]) -> None:
        """Does nothing: the files lie there anyway."""

    def read(self, path: str, most: int, fits: Callable[[int], bool], *, linked: bool) -> bytes | None:
        """The first bytes of a plain file."""
        place = os.path.join(self._root, path)  # noqa: PTH118 - asked for every file
        if linked and not self._inside(place):
            return None
        # Not blocking: opening a pipe would wait for a program that writes to it.
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(handle, "rb", buffering=0) as file:
            # Asked of what was opened: the file may have been replaced since the walk saw it.
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFile("file/unreadable", NO_PLAIN_FILE)
            return file.read(most) if fits(status.st_size) else None

    def astray(self, link: str) -> UnreadableFile | None:
        """The reason why a link is not followed; None where it stays in the tree."""
        place = os.path.join(self._root, link)  # noqa: PTH118 - as for `read`
        try:
            self._stay(place)  # Before `stat`: what is outside is not looked at.
            os.stat(place)  # noqa: PTH116 - as for the path
        except UnreadableFile as amiss:
            return amiss
        except OSError as error:
            return UnreadableFile("file/unreadable", CIRCULAR_LINK) if error.errno == errno.ELOOP else None
        return None

    def _stay(self, place: str) -> None:
        # Whether anything is there makes no difference: a report would tell what lies on this machine.
        root, target = os.path.realpath(self._root), os.path.realpath(place)
        if os.path.commonpath([target, root]) != root:
            raise UnreadableFile("file/outside", OUTSIDE_LINK)

    def _inside(self, place: str) -> bool:
        try:
            self._stay(place)
            # Files of git itself are no files of the tree.
            return "/.git/" not in os.path.realpath(place, strict=True)
        except (OSError, ValueError):
            raise UnreadableFile("file/unreadable", CIRCULAR_LINK) from None


def scan(
    root: Path,
    *,
    name: str,
    detect: Detect,
    progress: Callable[[int], None] = lambda _count: None,
    limits: Limits = LIMITS,
) -> Repository:
    """The Repository of a checkout: its own licence, and all that it uses.

    `detect` names the licence of a text. `progress` is told now and then how many entries have been seen. A checkout
    that is none gives an empty Repository with a finding.
    """
    return assemble(walk(_Checkout(root), limits, progress), name, detect)
