"""A tree of files becomes a Repository, wherever it lies: walked in order, within bounds, each file given to whom it concerns.

What stands on the ground, a folder of this machine or a tree at GitHub, is behind `FileTree`: both give the same Repository.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from audit import ecosystems
from audit.ecosystems import family, go_imports
from audit.ecosystems.model_cards import gguf
from audit.ecosystems.parsed_file import finding
from audit.facts import Finding, Text
from audit.scan import decoding, gathering, installed_packages, package_folders
from audit.scan.file_tree import FileTree, UnreadableFile, WalkedEntry
from audit.scan.package_folders import PackageFolders
from audit.scan.reuse import dep5
from audit.scan.walk_limits import Limits
from audit.work_budget import WorkBudget

# Folders of version control, and caches: nothing in them is of the work.
_NEVER: Final = frozenset(
    {".git", ".hg", ".svn", ".tox", ".nox", "__pycache__", ".mypy_cache", ".ruff_cache", ".hypothesis"}
)
# quilt writes these into its folder `.pc`, which holds each patched file once more, as it was before.
_QUILT: Final = frozenset({"applied-patches", ".version", ".quilt_patches"})
# In a virtual environment they are links to the machine's own: nothing of the work lies behind them.
_INTERPRETER: Final = re.compile(r"(?:^|/)bin/(?:python|pypy)[0-9.]*$")
_FILES_PER_REPORT: Final = 1_000  # Entries between two reports of progress.


@dataclass
class _Walk:
    """One walk over `ground` within `limits`.

    `progress` is told how many `entries` were seen, `is_asked` tells whether the head of a text file is looked at.
    `used` are bytes that were read, `sources` numbers of sources by kind; `full`: it was told that there are more
    entries. `heads` were looked at, of `headed` bytes, and `left_out` were not. `texts` are legal texts by their
    digests, `held` their bytes, `budget` the work of parsing that is left, `findings` what went wrong. `waiting` are
    sources that are looked into if no manifest speaks for them, `checkouts` folders that hold another one.
    """

    ground: FileTree
    limits: Limits
    progress: Callable[[int], None]
    is_asked: Callable[[str], bool]
    findings: list[Finding] = field(default_factory=list)
    entries: int = 0
    used: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    full: bool = False
    heads: int = 0
    headed: int = 0
    left_out: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    held: int = 0
    waiting: dict[str, WalkedEntry] = field(default_factory=dict)
    checkouts: list[str] = field(default_factory=list)
    budget: WorkBudget = field(init=False)

    def __post_init__(self) -> None:
        self.budget = WorkBudget(self.limits.parsed)

    def may_parse(self, path: str, content: str, at: int | None = None) -> bool:
        """Whether the budget has room for what reading that manifest, or metadata, takes; then it is charged."""
        work = ecosystems.work(content, ecosystems.row(path) if at is None else at)
        if not self.budget.is_left(decoding.shown(path), work):
            return False
        self.budget.spend(work)
        return True

    def files(
        self, enter: Callable[[str, Sequence[str]], None], submodules: Collection[str]
    ) -> Iterator[tuple[str, WalkedEntry]]:
        """Every entry that is no folder, with its path below the root; folders in order of their names.

        `enter` is told each folder and the names of its files before these come. Another checkout is no part, unless it
        is one of the `submodules`.
        """
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            deeper: list[str] = []
            entries = self._entries(folder)
            if folder.rpartition("/")[2] == ".pc" and not _QUILT.isdisjoint(entry.name for entry in entries):
                continue
            enter(folder, [entry.name for entry in entries if not entry.is_dir(follow_symlinks=False)])
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if not entry.is_dir(follow_symlinks=False):
                    yield path, entry
                elif entry.name not in _NEVER:
                    is_other = path not in submodules and self.ground.is_other(path)
                    (self.checkouts if is_other else deeper).append(path)
            waiting += reversed(deeper)  # The last one is taken first.

    def _entries(self, folder: str) -> Sequence[WalkedEntry]:
        if folder.count("/") >= self.limits.depth:
            self.add("tree/cut-short", folder, f"deeper than {self.limits.depth} folders, not read on")
            return []
        if self.entries >= self.limits.entries:
            if not self.full:  # Told once.
                self.add("tree/cut-short", folder, f"after {self.entries} files and folders, the rest is not read")
            self.full = True
            return []
        try:
            found = self.ground.listed(folder)
        except OSError as error:
            self.add("file/unreadable", folder or ".", f"can't be listed: {error.strerror}")
            return []
        before, self.entries = self.entries, self.entries + len(found)
        if before // _FILES_PER_REPORT != self.entries // _FILES_PER_REPORT:
            self.progress(self.entries)
        return found

    def add(self, code: str, path: str, message: str) -> None:
        """Adds a finding."""
        self.findings.append(finding(code, decoding.shown(path), None, message))

    def read(self, path: str, entry: WalkedEntry | None, most: int, *, whole: bool = True) -> bytes | None:
        """A file's bytes; None, with a finding, if it is no plain file inside the tree, or too large to be read whole."""

        def fits(size: int) -> bool:
            if whole and size > most:
                self.add("file/too-large", path, f"{size} bytes, more than {most} are not read")
                return False
            return self._has_room(path, min(size, most))

        return self._bytes(path, entry, most, fits)

    def _has_room(self, path: str, size: int) -> bool:
        """Whether so many bytes may still be read; then they are counted."""
        if self.used + size > self.limits.total:
            self.add("tree/cut-short", path, "more bytes than are read of one repository")
            return False
        self.used += size
        return True

    def _bytes(self, path: str, entry: WalkedEntry | None, most: int, fits: Callable[[int], bool]) -> bytes | None:
        try:
            # A file that another one names may lie below a link.
            return self.ground.read(path, most, fits, linked=entry is None or entry.is_symlink())
        except UnreadableFile as amiss:
            self.add(amiss.code, path, amiss.message)
        except OSError as error:
            self.add("file/unreadable", path, f"can't be read: {error.strerror}")
        return None

    def begin(self, path: str, most: int) -> bytes:
        """The first bytes of a file that may be of any size; empty, without a finding, for one that cannot be had."""
        try:
            return self.ground.read(path, most, lambda size: self._has_room(path, min(size, most)), linked=True) or b""
        except (UnreadableFile, OSError):
            return b""

    def follow(self, link: str) -> None:
        """Say where a link of something that is not read goes astray."""
        amiss = self.ground.astray(link)
        if amiss is not None:
            self.add(amiss.code, link, amiss.message)

    def source(self, path: str, entry: WalkedEntry, kind: str) -> bytes | None:
        """The beginning of a source; None beyond so many of its kind, and for a link to code, which is another name of it."""
        self.sources[kind] += 1
        if kind == "code" and entry.is_symlink():
            return None
        if self.sources[kind] > self.limits.sources:
            # Without its sources Go takes a module for what is built in, as go.mod says: nothing is missing.
            if self.sources[kind] == self.limits.sources + 1 and kind != go_imports.FAMILY:
                place = path if kind == "code" else "."
                self.add("tree/cut-short", place, f"after {self.limits.sources:,} sources, the rest is not looked into")
            return None
        return self.read(path, entry, self.limits.source, whole=False)

    def head(self, path: str, entry: WalkedEntry) -> bytes | None:
        """The beginning of a text file; None beyond so many, and of larger ones: they are counted."""

        def fits(size: int) -> bool:
            room = self.limits.total - self.headed
            is_read = (
                self.heads < self.limits.heads and size <= self.limits.headed and min(size, self.limits.head) <= room
            )
            self.heads += is_read
            self.left_out += not is_read
            self.headed += min(size, self.limits.head) if is_read else 0
            return is_read

        return self._bytes(path, entry, self.limits.head, fits)

    def is_empty(self, path: str, entry: WalkedEntry) -> bool:
        """Whether there is nothing in a file, which is not read for that."""
        sizes: list[int] = []

        # Only the size is asked for.
        def fits(size: int) -> bool:
            sizes.append(size)
            return False

        self._bytes(path, entry, 0, fits)
        return not any(sizes)

    def legal(self, path: str, entry: WalkedEntry | None) -> Text | None:
        """A licence or a notice, each text held once."""
        data = self.read(path, entry, self.limits.legal)
        if not data:
            return None
        digest = sha256(data).hexdigest()
        if digest not in self.texts:
            if self.held > self.limits.legal_total:
                return None  # Told once.
            self.held += len(data)
            if self.held > self.limits.legal_total:
                self.add("tree/cut-short", path, "more licence texts than are read of one repository")
                return None
            self.texts[digest] = decoding.decode(data)[0]
        return Text(decoding.shown(path), self.texts[digest], digest)


def walk(
    ground: FileTree,
    limits: Limits,
    progress: Callable[[int], None] = lambda _count: None,
    is_asked: Callable[[str], bool] = lambda _path: True,
) -> gathering.ScanResult:
    """Walks the whole tree; `progress` is told now and then how many entries have been seen.

    `is_asked` tells of a text file that is read for nothing else whether its head is to be looked at for licences.
    """
    going = _Walk(ground, limits, progress, is_asked)
    # Folders of submodules are to be known before the walk comes to them.
    data = going.read(".gitmodules", None, limits.legal) if ground.is_file(".gitmodules") else None
    submodules = package_folders.submodule_folders(decoding.decode(data or b"")[0])
    gathered = gathering.ScanResult(packages=PackageFolders(submodules), budget=going.budget)
    gathered.files.is_reuse = ground.is_file(dep5.PATH)
    for path, entry in going.files(gathered.enter, submodules):
        _look(going, gathered, path, entry)
    # Manifests may name any file, also a licence; only when all were read is it known where models and data lie, and for
    # which sources they speak.
    _documents(going, gathered)
    _follow(going, gathered)
    _look_into(going, gathered)
    _licenses(going, gathered)
    _speak(going, gathered)
    gathered.files.left_out += going.left_out
    # In a virtual environment pip keeps checkouts of what a developer works with.
    developed = tuple(f"{folder}/" for folder in gathered.packages.environments)
    gathered.scope.checkouts += [folder for folder in going.checkouts if not folder.startswith(developed)]
    going.findings += going.budget.findings("manifest is not read", "manifests are not read")
    gathered.findings += gathered.left_out()
    gathered.findings[:0] = going.findings  # In front of the rest: what was not seen.
    return gathered


def _look(going: _Walk, gathered: gathering.ScanResult, path: str, entry: WalkedEntry) -> None:
    role = gathered.role(path, installed_packages.legal(entry.name))
    _note(going, gathered, path, role, entry)
    if role in {"license", "notice"}:
        legal = going.legal(path, entry)
        if legal:
            gathered.legal(path, role, legal)
    elif role == "statement" or (role in {"text", "readme"} and not entry.is_symlink()):
        _text(going, gathered, path, role, entry)
    elif role in {"metadata", "manifest"}:
        _manifest(going, gathered, path, role, entry)
    elif role in {"source", "part"}:
        _source(going, gathered, path, role, entry)
    elif role == "code":
        _code(going, gathered, path, entry)
    elif role == "library" and not entry.is_symlink():  # A link is another name of a file that comes by itself.
        gathered.library(path)
    elif entry.is_symlink() and not _INTERPRETER.search(path):  # What lies behind it is not looked into.
        going.follow(path)


def _note(going: _Walk, gathered: gathering.ScanResult, path: str, role: str, entry: WalkedEntry) -> None:
    # REUSE asks nothing about links and empty files.
    if gathered.files.is_reuse and not entry.is_symlink() and not going.is_empty(path, entry):
        gathered.cover(path)
    if gathered.waits(path, role):
        going.waiting[path] = entry


def _text(going: _Walk, gathered: gathering.ScanResult, path: str, role: str, entry: WalkedEntry) -> None:
    if role == "statement":
        said = going.read(path, entry, going.limits.legal)
        if said is not None:
            gathered.files.read(path, said)
    elif role == "readme" or going.is_asked(path):
        head = going.head(path, entry)
        if head:
            gathered.head(path, head)
        if head and role == "readme" and gathered.own.readme is None:
            gathered.own.readme = Text(decoding.shown(path), decoding.decode(head)[0], sha256(head).hexdigest())


def _code(going: _Walk, gathered: gathering.ScanResult, path: str, entry: WalkedEntry) -> None:
    data = going.source(path, entry, "code")
    gathered.code(path, "" if data is None else decoding.decode(data)[0])
    if data and going.is_asked(path):
        gathered.head(path, data)


def _manifest(going: _Walk, gathered: gathering.ScanResult, path: str, role: str, entry: WalkedEntry) -> None:
    is_metadata = role == "metadata"
    data = going.read(path, entry, going.limits.legal if is_metadata else going.limits.manifest)
    content, amiss = decoding.decode(data or b"")
    if data is None or not going.may_parse(path, content):
        gathered.unread(path)
        return
    if is_metadata:
        gathered.packages.metadata(path, content)
    else:
        if family(path) != "sbom":  # It names licences of others.
            gathered.head(path, data)
        gathered.take(path, content, amiss)


def _source(going: _Walk, gathered: gathering.ScanResult, path: str, role: str, entry: WalkedEntry) -> None:
    data = going.source(path, entry, family(path))
    if data is None:
        gathered.unread(path)
        return
    if role == "part" and data:
        gathered.works.part(path, decoding.decode(data)[0])
    gathered.head(path, data)
    if not gathered.packages.of(path) and gathering.is_worth_reading(path, data):
        gathered.take(path, *decoding.decode(data))


def _documents(going: _Walk, gathered: gathering.ScanResult) -> None:
    """SBOMs under names that no reader has."""
    if gathered.documents:
        going.ground.expect([*gathered.documents])
    for path, at in gathered.documents.items():
        content, amiss = decoding.decode(going.read(path, None, going.limits.manifest) or b"")
        if content and going.may_parse(path, content, at):
            gathered.take(path, content, amiss, at)


def _follow(going: _Walk, gathered: gathering.ScanResult) -> None:
    asked: dict[str, str] = {}
    while waiting := {path: kind for path, kind in gathered.named_files().items() if path not in asked}:
        asked |= waiting
        going.ground.expect([*waiting])  # A tree at GitHub fetches them together.
        for path, kind in waiting.items():
            if not going.ground.is_file(path):
                continue
            content, amiss = decoding.decode(going.read(path, None, going.limits.manifest) or b"")
            # One that is there and is not read counts as empty: another finding says so, and none that it is missing.
            gathered.include(path, kind, content if going.may_parse(path, content) else "", amiss)


def _look_into(going: _Walk, gathered: gathering.ScanResult) -> None:
    """The imports of sources for which, after all, no manifest speaks."""
    waiting = {path: entry for path, entry in going.waiting.items() if gathered.languages.is_open(path)}
    if waiting:
        going.ground.expect([*waiting])
    for path, entry in waiting.items():
        data = going.source(path, entry, "code")
        gathered.code(path, "" if data is None else decoding.decode(data)[0])


def _licenses(going: _Walk, gathered: gathering.ScanResult) -> None:
    """The work's licence, where a manifest names a file for it, or the only text is called after weights or data."""
    waiting = gathered.named_texts()
    if waiting:
        going.ground.expect(waiting)
    for path in waiting:
        found = going.legal(path, None) if going.ground.is_file(path) else None
        gathered.own.licenses += [found] if found else []
    # The only text, though called after weights or data, is the licence of the work.
    if not any("/" not in text.path for text in gathered.own.licenses):
        gathered.own.licenses += [text for _, text in gathered.models.texts]
        gathered.models.texts.clear()


def _speak(going: _Walk, gathered: gathering.ScanResult) -> None:
    """Cards and configurations of models and data, now that it is known where these lie; and the headers of GGUF files."""
    waiting = gathered.models.named_files()
    if waiting:
        going.ground.expect(waiting)
    for path in waiting:
        content = decoding.decode(going.read(path, None, going.limits.legal, whole=False) or b"")[0]
        if going.may_parse(path, content):
            gathered.models.take(path, decoding.shown(path), content)
    for path in gathered.models.header_files():
        gathered.models.header(path, decoding.shown(path), going.begin(path, gguf.HEADER_BYTES))
