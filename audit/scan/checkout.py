"""A checkout becomes a Repository: its files are walked in order, within bounds, and nothing in it is ever run.

The only module of the audit that reads a checkout. No link is followed out of the tree; what is not a plain file is
said, and not read; archives stay closed.
"""

import errno
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from audit.facts import Repository
from audit.scan.assembly import assemble
from audit.scan.file_tree import CIRCULAR_LINK, NO_PLAIN_FILE, OUTSIDE_LINK, UnreadableFile
from audit.scan.walk import LIMITS, Limits, walk
from audit.texts.work_license import Detect


class _Checkout:
    """A folder of this machine as a FileTree."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def listed(self, folder: str) -> list["os.DirEntry[str]"]:
        """What is in a folder."""
        with os.scandir(self._root / folder) as listing:
            return sorted(listing, key=lambda entry: entry.name)

    def is_other(self, folder: str) -> bool:
        """One with a `.git` folder of its own."""
        return os.path.isdir(os.path.join(self._root, folder, ".git"))  # noqa: PTH112, PTH118 - asked for every folder

    def is_file(self, path: str) -> bool:
        """Links are followed to find out."""
        return (self._root / path).is_file()

    def expect(self, paths: Sequence[str]) -> None:
        """They lie there anyway."""

    def read(self, path: str, most: int, fits: Callable[[int], bool], *, linked: bool) -> bytes | None:
        """A plain file's first bytes; what is opened is what was asked about."""
        place = os.path.join(self._root, path)  # noqa: PTH118 - asked for every file
        if linked and not self._inside(place):
            return None
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(handle, "rb", buffering=0) as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFile("file/unreadable", NO_PLAIN_FILE)
            return file.read(most) if fits(status.st_size) else None

    def astray(self, link: str) -> UnreadableFile | None:
        """What is outside of the tree is not looked at."""
        place = os.path.join(self._root, link)  # noqa: PTH118 - as for `read`
        try:
            self._stay(place)
            os.stat(place)  # noqa: PTH116 - as for the path
        except UnreadableFile as amiss:
            return amiss
        except OSError as error:
            return UnreadableFile("file/unreadable", CIRCULAR_LINK) if error.errno == errno.ELOOP else None
        return None

    def _stay(self, place: str) -> None:
        """Raises UnreadableFile for what leads out of the tree; whether anything is there makes no difference."""
        root, target = os.path.realpath(self._root), os.path.realpath(place)
        if os.path.commonpath([target, root]) != root:
            raise UnreadableFile("file/outside", OUTSIDE_LINK)

    def _inside(self, place: str) -> bool:
        """A link is followed only to a file of the tree itself."""
        try:
            self._stay(place)
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
    """What a checkout says of its own licence and of all it uses.

    `detect` names the licence of a text. `progress` is told now and then how many entries have been seen. A checkout that is
    none gives an empty Repository with a finding.
    """
    return assemble(walk(_Checkout(root), limits, progress), name, detect)
