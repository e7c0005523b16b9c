"""A tree of files, in a folder of this machine or at GitHub: the questions that a walk asks of it."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol


class UnreadableFile(Exception):
    """A file that is not read, with the finding's code and what is amiss."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


# Followed, such a link would show files of the machine that audits.
OUTSIDE_LINK: Final = "a link out of the repository, which is not followed"
# A pipe would wait for a program that writes to it, and a device may have no end.
NO_PLAIN_FILE: Final = "a pipe, a socket or a device and no plain file, so nothing is read from it"
CIRCULAR_LINK: Final = "a link that goes round in a circle or leads nowhere"


class WalkedEntry(Protocol):
    """An entry of a folder."""

    @property
    def name(self) -> str:
        """The last part of its path."""

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """True for a folder."""

    def is_symlink(self) -> bool:
        """True for a link."""


class FileTree(Protocol):
    """A tree of files; paths are below its root, with slashes."""

    def listed(self, folder: str) -> Sequence[WalkedEntry]:
        """The entries of a folder, in order of the names. Raises OSError."""

    def is_other(self, folder: str, /) -> bool:
        """True for a repository within the repository that is no submodule of it: another checkout."""

    def is_file(self, path: str) -> bool:
        """True for a file, or a link that leads to one."""

    def expect(self, paths: Sequence[str]) -> None:
        """Tells the tree which files will be read next."""

    def read(self, path: str, most: int, fits: Callable[[int], bool], *, linked: bool) -> bytes | None:
        """A file's first bytes, `most` of them, if its size fits; None for what is no plain file. Raises OSError, UnreadableFile.

        `linked`: it may be a link, or be below one, which is followed only inside the tree.
        """

    def astray(self, link: str) -> UnreadableFile | None:
        """The reason why a link that leads out of the tree or round in a circle is not followed; None for any other."""
