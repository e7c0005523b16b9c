"""A tree at GitHub as ground to walk on: what is asked for on a first walk is fetched together, and there on the second.

Links are followed within the tree alone, as git stores them: the blob of a link is the path that it leads to.
"""

import errno
import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from audit.scan.file_tree import CIRCULAR_LINK, OUTSIDE_LINK, UnreadableFile
from audit.scan.gathering import is_read
from bot.github.ports import TreeEntry

MAX_FETCHED_FILE_BYTES: Final = 32_000_000
"""Bytes of a file of which only the beginning is read; GitHub gives the whole of it."""
MAX_LINKS: Final = 5_000
"""Links whose targets are looked up; more of them lead nowhere."""
_MAX_LINK_TARGET_BYTES: Final = 4_096  # Bytes of a path, where Linux ends, too
_MAX_LINK_CHAIN: Final = 40  # As many as Linux follows.

Fetch = Callable[[Mapping[str, int]], Mapping[str, bytes]]
"""Gives the blobs of these SHAs, whose sizes are told."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A file or `folder` by its `name`; `link`: git keeps it as a link."""

    name: str
    folder: bool
    link: bool = False

    def is_dir(self, **_how: bool) -> bool:
        return self.folder  # Links are files here, and followed where they are read.

    def is_symlink(self) -> bool:
        return self.link


class _CircularLink(UnreadableFile):
    """Links that lead to each other without an end."""


class RemoteTree:
    """Fulfils FileTree of audit.scan.file_tree; `own` is one more file that is wanted, and how large it may be."""

    def __init__(self, entries: Iterable[TreeEntry], fetch: Fetch, own: tuple[str, int]) -> None:
        self._files = {entry.path: entry for entry in entries}
        self._fetch = fetch
        self._folders = _folders(self._files)
        self._wanted: dict[str, int] = {}
        self._held: dict[str, bytes] = {}
        self._asked: set[str] = set()
        self._linked = False
        self._planning = True
        self._own = own
        self.leads = False
        """Whether a file was read, or sought, because another leads to it: then its path alone does not tell."""

    def fetch(self) -> None:
        """Fetch all files that were wanted so far; from now on files are read."""
        self._planning = False
        at = self._files.get(self._own[0])
        if at is not None and not at.link and at.size <= self._own[1]:
            self._want(at)
        self._get()

    @property
    def own(self) -> bytes | None:
        """The file that was asked for beside the walk."""
        at = self._files.get(self._own[0])
        return None if at is None or at.link else self._held.get(at.sha)

    @property
    def used(self) -> frozenset[str]:
        """All blobs that were asked for."""
        return frozenset(self._asked)

    def listed(self, folder: str) -> Sequence[_Item]:
        """The entries of that folder."""
        return self._folders.get(folder, [])

    def is_other(self, _folder: str, /) -> bool:
        """Another repository has no files in this one's tree."""
        return False

    def is_file(self, path: str) -> bool:
        """Whether a file is at that path; links on the way are followed."""
        try:
            return self._resolved(path) is not None
        except UnreadableFile:
            return False

    def expect(self, paths: Sequence[str]) -> None:
        """Fetch these files together."""
        self.leads = self.leads or not all(map(is_read, paths))
        for path in paths:
            try:
                at = self._resolved(path)
            except UnreadableFile:
                continue
            if at is not None and at.size <= MAX_FETCHED_FILE_BYTES:
                self._want(at)
        self._get()

    def read(self, path: str, most: int, fits: Callable[[int], bool], *, linked: bool) -> bytes | None:
        """The beginning of a file; None on the first walk, which only notes that it is wanted."""
        at = self._resolved(path) if linked else self._files.get(path)
        if at is None:
            raise IsADirectoryError(errno.EISDIR, "Is a directory")
        if not fits(at.size):
            return None
        if at.size > MAX_FETCHED_FILE_BYTES:
            raise UnreadableFile("file/too-large", f"{at.size} bytes, more than {MAX_FETCHED_FILE_BYTES} are not read")
        if at.sha not in self._asked:
            self._want(at)
            if path == ".gitmodules" or not self._planning:  # The walk itself goes by .gitmodules.
                self._get()
        if at.sha in self._held:
            return self._held[at.sha][:most]
        if not self._planning:
            raise FileNotFoundError(errno.ENOENT, "GitHub no longer has it")
        return None

    def astray(self, link: str) -> UnreadableFile | None:
        """The reason why a link leads astray, as far as the tree shows it; None for any other."""
        try:
            self._resolved(link)
        except UnreadableFile as amiss:
            # A submodule's files are no part of the tree: a link into one may be right.
            return amiss if amiss.code == "file/outside" or isinstance(amiss, _CircularLink) else None
        return None

    def _want(self, at: TreeEntry) -> None:
        self._asked.add(at.sha)
        if at.sha not in self._held:
            self._wanted[at.sha] = at.size

    def _get(self) -> None:
        if self._wanted:
            self._held.update(self._fetch(self._wanted))
            self._wanted = {}

    def _resolved(self, path: str) -> TreeEntry | None:
        """The file at a path, through links; None for a folder or nothing. Raises UnreadableFile as a checkout does."""
        followed: list[str] = []
        rest, way, is_lost = path.split("/")[::-1], list[str](), False
        while rest:
            part = rest.pop()
            if part in {"", ".", ".."}:
                if part == ".." and not way:
                    raise self._astray("file/outside", OUTSIDE_LINK)
                way = way[:-1] if part == ".." else way
                continue
            way.append(part)
            here = "/".join(way)
            at = self._files.get(here)
            if at is not None and at.link:
                followed.append(here)
                rest += self._target(at, len(followed)).split("/")[::-1]
                way.pop()
            elif here not in self._folders and (at is None or any(rest)):
                is_lost = True  # And goes on, to see whether the way leads out
        if is_lost and followed:
            raise self._astray("file/unreadable", CIRCULAR_LINK)
        self.leads = self.leads or (bool(followed) and not all(map(is_read, [*followed, "/".join(way)])))
        return self._files.get("/".join(way))

    def _target(self, link: TreeEntry, followed: int) -> str:
        # All links of the tree at once: one request, not one for each.
        if not self._linked:
            links = [file for file in self._files.values() if file.link and file.size <= _MAX_LINK_TARGET_BYTES][
                :MAX_LINKS
            ]
            sizes = {link.sha: link.size for link in links}
            self._asked |= set(sizes)
            self._held.update(self._fetch(sizes))
            self._linked = True
        target = self._held.get(link.sha, b"").decode("utf-8", "surrogateescape")  # Git keeps a target as bytes.
        if target.startswith("/"):  # An absolute target is outside any tree.
            raise self._astray("file/outside", OUTSIDE_LINK)
        if followed > _MAX_LINK_CHAIN:
            raise self._astray("file/unreadable", CIRCULAR_LINK, _CircularLink)
        if not target:
            raise self._astray("file/unreadable", CIRCULAR_LINK)
        return target

    def _astray(self, code: str, message: str, kind: type[UnreadableFile] = UnreadableFile) -> UnreadableFile:
        self.leads = True
        return kind(code, message)


def _folders(files: Mapping[str, TreeEntry]) -> Mapping[str, Sequence[_Item]]:
    found: dict[str, dict[str, _Item]] = defaultdict(dict)
    found[""] = {}
    for path, at in files.items():
        folder, name = posixpath.split(path)
        found[folder][name] = _Item(name, folder=False, link=at.link)
        while folder:
            above, name = posixpath.split(folder)
            if name in found[above]:  # So are the folders above it.
                break
            found[above][name] = _Item(name, folder=True)
            folder = above
    return {folder: sorted(inside.values(), key=lambda child: child.name) for folder, inside in found.items()}
