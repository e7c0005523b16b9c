"""Findings on how much there is to be read: nothing, a bare repository, submodules without files, no source."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from audit import display_text
from audit.ecosystems.parsed_file import finding
from audit.facts import Finding, Place
from audit.scan.decoding import shown
from audit.scan.vendored_works import MIXED_FOLDERS, VENDOR_FOLDERS
from audit.usage import usage_by_folder

EMPTY: Final = "scope/empty"
BARE_REPOSITORY: Final = "scope/bare"
NO_SOURCE: Final = "scope/no-source"
SUBMODULE: Final = "scope/submodule"
CHECKOUT: Final = "scope/checkout"
TEST_DATA: Final = "scope/test-data"
# Git's own folder holds these, and it is all of a bare repository.
_BARE: Final = frozenset({"HEAD", "config", "objects", "refs"})
# Endings of packages, programs and parts of these, which are works wherever they lie.
_PACKED: Final = re.compile(
    r"\.(?:war|ear|egg|gem|crate|conda|deb|rpm|apk|aab|ipa|msi|exe|phar|pyz|xpi|vsix|dmg|flatpak|appx|msix|crx|hap"
    r"|wasm|o|elf|axf|dex|swc|jmod|ocx|rlib)",
    re.IGNORECASE,
)
# Folders that are one library each, of Apple's systems.
_FRAMEWORK: Final = re.compile(r"(?:[^/]+/)*?[^/]+\.(?:xc)?framework(?=/|$)")
# The first bytes of a program, or of a part of one, in Linux, Windows, macOS and browsers, of a static library and a snap.
_PROGRAM: Final = re.compile(
    rb"\x7fELF|MZ(?=[^\n]{0,58}\0)|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\0asm|!<arch>\n|hsqs",
    re.DOTALL,
)
# Endings of archives, which are works by others in folders for these.
_ARCHIVE: Final = re.compile(r"\.(?:zip|7z|rar|tar|tgz|tbz2?|txz|gz|xz|bz2|zst|lib)", re.IGNORECASE)
_FOR_WORKS: Final = VENDOR_FOLDERS | MIXED_FOLDERS | {"contrib", "external", "lib", "libs", "packages"}
_MAX_NAMES: Final = 3  # Archives that a finding names.


def is_packed(path: str) -> bool:
    """Whether a file is an archive or a program by its name, or lies in a framework."""
    *folders, name = path.split("/")
    return _has_packed_name(folders, name) or _FRAMEWORK.match(path) is not None


def _has_packed_name(folders: Sequence[str], name: str) -> bool:
    ending = name[name.rfind(".") :]
    of_others = "node_modules" not in folders and not _FOR_WORKS.isdisjoint(folders)
    return _PACKED.fullmatch(ending) is not None or (of_others and _ARCHIVE.fullmatch(ending) is not None)


@dataclass
class Scope:
    """The number and kinds of files that a walk has come by."""

    files: int | None = None
    """The number of files; None before the root was entered."""
    root: set[str] = field(default_factory=set)
    """Names of files and folders at the root."""
    folders: set[str] = field(default_factory=set)
    """Folders in which there is a file, and all above them."""
    packed: dict[str, None] = field(default_factory=dict)
    """Paths, each once, of archives and programs outside of folders of tests, examples and documentation."""
    names_something: bool = False
    """Whether a file was seen of a kind that could name a dependency."""
    checkouts: list[str] = field(default_factory=list)
    """Folders with another git checkout, which are not entered."""
    test_data: list[str] = field(default_factory=list)
    """Manifests that are given to tests to read."""

    def enter(self, folder: str, names: Sequence[str]) -> None:
        """A folder with the names of its files."""
        there = [name for name in names if name != ".git"]  # A file in a work tree and in a submodule.
        self.files = (self.files or 0) + len(there)
        self.root.update(there if not folder else [folder] if "/" not in folder else [])
        parts = folder.split("/")
        for name in there:
            if _has_packed_name(parts, name):
                self._pack(f"{folder}/{name}" if folder else name)
        framework = _FRAMEWORK.match(f"{folder}/")
        if framework and there:
            self._pack(framework[0])
        while there and folder and folder not in self.folders:
            self.folders.add(folder)
            folder = folder.rpartition("/")[0]

    def head(self, path: str, data: bytes) -> None:
        """The beginning of a file, which may show that it is a program."""
        if _PROGRAM.match(data):
            self._pack(path)

    def _pack(self, path: str) -> None:
        framework = _FRAMEWORK.match(path)  # All that lies in one is a part of it.
        if not usage_by_folder(path):
            self.packed.setdefault(framework[0] if framework else path)

    def findings(self, submodules: Collection[str], *, has_sources: bool) -> Iterator[Finding]:
        """The findings; .gitmodules names the folders `submodules`, `has_sources`: a known language has sources."""
        if self.files is None:
            return
        if not self.files:
            yield finding(EMPTY, ".", None, "there is no file in it, so nothing is known of what is used")
        elif self.root >= _BARE:
            said = "it is a bare git repository, whose files are not checked out: audit a clone of it"
            yield finding(BARE_REPOSITORY, ".", None, said)
        elif not self.names_something and not has_sources:
            said = "no manifest, build file or source of a known language is in it: no file that is read could name a dependency"
            yield finding(NO_SOURCE, ".", None, said)
        if self.packed:
            yield self._packed()
        if self.test_data:
            number = len(self.test_data)
            said = "a manifest is data of tests or a template, by its folder: what it names is not used"
            if number > 1:
                said = (
                    f"{number:,} manifests are data of tests or templates, by their folders: what they name is not used"
                )
            yield Finding(TEST_DATA, Place(shown(min(self.test_data))), said, files=number)
        yield from self._unread_folders(submodules)

    def _unread_folders(self, submodules: Collection[str]) -> Iterator[Finding]:
        for folder in sorted(submodules):
            if folder not in self.folders and not usage_by_folder(f"{folder}/x"):
                said = "the files of this submodule are not there: neither its licence texts nor what it uses is read"
                yield Finding(SUBMODULE, Place(".gitmodules", None, shown(folder)), said)
        for folder in self.checkouts:
            if not usage_by_folder(f"{folder}/x"):
                said = "another git checkout, which is not entered: neither its licence texts nor what it uses is read"
                yield Finding(CHECKOUT, Place(shown(folder)), said)

    def _packed(self) -> Finding:
        paths = sorted(self.packed)
        more = f" and {len(paths) - _MAX_NAMES:,} more" if len(paths) > _MAX_NAMES else ""
        named = ", ".join(display_text.line(shown(path), 60) for path in paths[:_MAX_NAMES])
        what = display_text.count(len(paths), "archive or program", "archives or programs")
        said = f"{what} in the tree ({named}{more}): what is in them is not read"
        return Finding("file/unsupported", Place(shown(paths[0])), said, len(paths))
