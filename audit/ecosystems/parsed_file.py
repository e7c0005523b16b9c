"""What a reader gives back, and the small checks that let it read any input."""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypedDict, Unpack

from audit.ecosystems.native.cmake_commands import CMakeScript
from audit.facts import UNLEARNED, Checksum, Dependency, Finding, Learned, Place, Source, Usage

MAX_QUOTED_CHARACTERS: Final = 200
"""Characters that are kept of what a line says."""

NOT_READ: Final = "file/unsupported"
"""The code of a file that names dependencies which are not read, all of them or some."""


class ParseError(Exception):
    """A file that can't be read on: why, and its line where that is known; `code` is the finding's."""

    def __init__(self, why: str, line: int | None = None, code: str = "file/broken") -> None:
        super().__init__(why)
        self.why, self.line, self.code = why, line, code


@dataclass(frozen=True, slots=True)
class GraphRoot:
    """Where a lock file's graph begins: the key of an entry that is used directly, how, and who says so."""

    key: str
    usage: Usage
    why: str
    optional: bool = False


@dataclass(slots=True)
class Graph:
    """Who needs whom in a lock file, as it is being read: beside each dependency its keys, and the keys of what it needs.

    `decided` says that the entries' usages stand in the file itself. `own` are keys of the repository's own packages.
    `catalogue` says that an entry counts only where a manifest asks for it: a list of versions for several projects.
    `resolved` says that each entry was taken from elsewhere, under any name; parts of the repository are left out. `tools`
    are keys of packages that only help to build what needs them, unless a manifest asks for them in another way; with what needs them, in words.
    """

    keys: list[tuple[str, ...]] = field(default_factory=list)
    needs: list[tuple[str, ...]] = field(default_factory=list)
    roots: list[GraphRoot] = field(default_factory=list)
    decided: bool = False
    own: dict[str, tuple[str, ...]] = field(default_factory=dict)
    catalogue: bool = False
    resolved: bool = True
    tools: dict[str, str] = field(default_factory=dict)

    def add(self, keys: tuple[str, ...], needs: Iterable[str] = ()) -> None:
        """One more dependency."""
        self.keys.append(keys)
        self.needs.append(tuple(needs))


@dataclass(frozen=True, slots=True)
class Include:
    """Another file that belongs to this one: its path below the root, where it is named, and the family of files as which it is read.

    `optional` says that it may be missing, as a part of a Makefile that the build makes.
    """

    path: str
    place: Place
    family: str = "requirements"
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Imports:
    """What one file imports, by the paths of packages, and how it is itself used: STATIC_LINK, TEST_ONLY or BUILD_TOOL.

    `complete` is False for a file that was cut off before its imports ended.
    """

    paths: frozenset[str]
    usage: Usage
    complete: bool = True


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """What a package of this name means in the manifests at the folder and below: of those that ask for this range or version, or of all (None)."""

    name: str
    dependency: Dependency
    asked: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MavenProject:
    """A pom.xml as others of its tree need it: its name and its parent's (`group:name`), its parts' folders, its properties.

    `managed` is version and scope by name, as they are written, and `scoped` are the lines of dependencies that state a scope.
    """

    name: str
    parent: str
    modules: tuple[str, ...]
    properties: dict[str, str]
    managed: dict[str, tuple[str, str]]
    scoped: frozenset[int]


@dataclass(frozen=True, slots=True)
class AskedLibrary:
    """A library that a build asks for, by the name that it writes; `is_linked` for a word of the linker's, which may be a target of the tree's own."""

    name: str
    dependency: Dependency
    is_linked: bool = False


@dataclass(frozen=True, slots=True)
class BuildFile:
    """What a build file says that only all build files of a tree settle: what is asked for, and what the work itself makes: `libraries` to link, `packages` that others may find, `spaces` of its targets.

    `projects` are the names by which the work calls itself there. `commands` are those of CMake. `wraps` say by which other names
    Meson finds what it builds in. `linkage` is how all is linked that a package manager brings (`static`, `shared`, or not said).
    """

    asked: tuple[AskedLibrary, ...] = ()
    libraries: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    spaces: frozenset[str] = frozenset()
    commands: CMakeScript | None = None
    wraps: dict[str, str] = field(default_factory=dict)
    linkage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFile:
    """What stands in one file.

    `graph` is there for lock files alone. `own` are names that the repository makes itself and never depends on,
    `license` what the file says of the repository's own licence, `bundler` what puts all that runs into one file (empty:
    nothing does). `complete` says that a lock file beside it adds nothing, `kernel` that the file is kernel code, `imports`
    what a source imports. `suppliers` are the authors that a manifest names, else the account of its repository. `registries` are private ones from which packages of a scope come ("": all packages).
    `build` is what a build file says that only the tree settles, and so is `project`.
    """

    dependencies: tuple[Dependency, ...] = ()
    findings: tuple[Finding, ...] = ()
    graph: Graph | None = None
    includes: tuple[Include, ...] = ()
    own: frozenset[str] = frozenset()
    license: Learned = UNLEARNED
    bundler: str = ""
    complete: bool = False
    kernel: bool = False
    imports: Imports | None = None
    registries: tuple[tuple[str, str], ...] = ()
    meant: tuple[ManifestEntry, ...] = ()
    suppliers: tuple[str, ...] = ()
    build: BuildFile | None = None
    project: MavenProject | None = None


Reader = Callable[[str, str], ParsedFile]
"""Takes a file's path and its text; raises ParseError where it is broken."""


class PackageDetails(TypedDict, total=False):
    """What only some files say of a dependency, as Dependency has it."""

    license: Learned
    direct: bool | None
    optional: bool
    version_range: str
    supplier: str | None
    download: str | None
    checksums: tuple[Checksum, ...]


def dependency_at(
    place: Place, name: str, version: str | None, purl: str | None, how: Usage, why: str, **more: Unpack[PackageDetails]
) -> Dependency:
    """A dependency as one place of a file names it; an empty version is none."""
    return Dependency(name=name, version=version or None, purl=purl, usage=how, why=why, places=(place,), **more)


def table(value: object) -> dict[Any, Any]:
    """The mapping that it is, else an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[Any]:
    """The list that it is, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """The text that it is, without what no encoding can write, else an empty one."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def texts(value: object) -> list[str]:
    """All that is text in a list; a single text is a list of one."""
    return [text(one) for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]


def said(words: object) -> str:
    """A line as it is kept beside a place: trimmed, in one line, of at most MAX_QUOTED_CHARACTERS."""
    return " ".join(text(words)[: MAX_QUOTED_CHARACTERS * 4].split())[:MAX_QUOTED_CHARACTERS]


def nearest(folder: str, known: Container[str]) -> str | None:
    """The folder itself, or the first one above it, that is one of these; None if none is."""
    parts = folder.split("/") if folder else []
    return next((at for n in range(len(parts), -1, -1) if (at := "/".join(parts[:n])) in known), None)


def first_lines(content: str, pattern: re.Pattern[str]) -> dict[str, int]:
    """The first line, from 1, of each text that the pattern's one group finds."""
    found: dict[str, int] = {}
    for number, line in enumerate(content.split("\n"), 1):
        for words in pattern.findall(line):
            found.setdefault(words, number)
    return found


def learned(expression: object, path: str, line: int | None, source: Source = Source.LOCK_FILE) -> Learned:
    """A licence that a file states; an empty one teaches nothing."""
    words = said(expression)
    return Learned(words, source, Place(path, line, words)) if words else UNLEARNED


def finding(code: str, path: str, line: int | None, message: str) -> Finding:
    """A finding at a line."""
    return Finding(code, Place(path, line), message)


def not_read(path: str, line: int | None, why: str) -> Finding:
    """That a build file or a manifest is not read, or only partly: `why` is a clause about the file, such as "computes what it requires".

    The verdict then never says that nothing is used.
    """
    return finding(NOT_READ, path, line, f"{why}: list what it names in the rulebook, or add an SBOM")
