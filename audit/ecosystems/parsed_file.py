"""The results of readers, and the small checks that let them read any input."""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypedDict, Unpack

from audit.ecosystems.native.cmake_commands import CMakeScript
from audit.facts import UNLEARNED, Checksum, Dependency, Finding, Learned, Place, Source, Usage

MAX_QUOTED_CHARACTERS: Final = 200  # Kept of a line.

NOT_READ: Final = "file/unsupported"  # Dependencies are named in it and not read, all of them or some.


class ParseError(Exception):
    """A file that can't be read on: why, and its line where that is known; `code` is the finding's."""

    def __init__(self, why: str, line: int | None = None, code: str = "file/broken") -> None:
        super().__init__(why)
        self.why, self.line, self.code = why, line, code


@dataclass(frozen=True, slots=True)
class GraphRoot:
    """A beginning of a lock file's graph: the `key` of an entry used directly, its `usage`, `why`, if `optional`."""

    key: str
    usage: Usage
    why: str
    optional: bool = False


@dataclass(slots=True)
class Graph:
    """The needs in a lock file: for each dependency its `keys`, and the keys that it `needs`; the graph begins at `roots`.

    `decided` says that the entries' usages stand in the file itself. `own` are keys of the repository's own packages.
    `catalogue` says that an entry counts only where a manifest asks for it: a list of versions for several projects.
    `resolved` says that each entry was taken from elsewhere, under any name; parts of the repository are left out. `tools`
    are keys, with reasons, of packages that only help to build what needs them, unless a manifest asks otherwise.
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
        """Add a dependency."""
        self.keys.append(keys)
        self.needs.append(tuple(needs))


@dataclass(frozen=True, slots=True)
class Include:
    """Another file that belongs to this one: its `path` below the root, the `place` that names it, its `family` of readers.

    `optional` says that it may be missing, as a part of a Makefile that the build makes. `or_at` is another path where it
    may lie: the folder from which a container is built is not known, and a file may be made within it. `assumed` says that a
    variable has its folder, of which the file does not say which it is: then a missing one is not read.
    """

    path: str
    place: Place
    family: str = "requirements"
    optional: bool = False
    or_at: str = ""
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Imports:
    """The imports of one file, the `paths` of packages, and its own `usage`: STATIC_LINK, TEST_ONLY or BUILD_TOOL.

    `complete` is False for a file that was cut off before its imports ended.
    """

    paths: frozenset[str]
    usage: Usage
    complete: bool = True


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """The `dependency` that a `name` means in manifests at the folder and below, if `asked` so (None: by any range).

    `is_replacement` says that it takes that place also where other packages ask for the name, which no manifest tells.
    """

    name: str
    dependency: Dependency
    asked: str | None = None
    is_replacement: bool = False

    @property
    def key(self) -> tuple[str | None, ...]:
        """The part by which it is told from others."""
        return (self.name, self.asked, self.dependency.purl)


@dataclass(frozen=True, slots=True, kw_only=True)
class MavenProject:
    """A pom.xml as others of its tree need it: `name` and `parent` (`group:name`), folders of `modules`, `properties`.

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
    """A library that a build asks for: the `name` that it writes, its `dependency`, `is_linked` for a linker's word."""

    name: str
    dependency: Dependency
    is_linked: bool = False  # Then it may be a target of the tree's own.


@dataclass(frozen=True, slots=True)
class BuildFile:
    """A build file as the whole tree settles it: what is `asked` for, and the names that the work makes.

    `libraries` are to link, `packages` for others to find, `spaces` its targets', `projects` its own. `commands` are CMake's.
    `wraps` say by which other names Meson finds what it builds in. `linkage` is how all is linked that a package manager
    brings (`static`, `shared`, or not said).
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
    """The content of one file: `dependencies`, `findings`, files that it `includes`, and entries `meant` for other files.

    `graph` is there for lock files alone. `own` are names that the repository makes itself and never depends on,
    `license` what the file says of the repository's own licence, `bundler` what puts all that runs into one file (empty:
    nothing does). `complete` says that a lock file beside it adds nothing, `kernel` that the file is kernel code. `imports`
    are a source's. `suppliers` are the authors that a manifest names, else the account of its repository. `registries`
    are private ones, by scope ("": all packages). `build` and `project` are settled with all files of the tree.
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


Reader = Callable[[str, str], ParsedFile]  # Path and text in; raises ParseError where it is broken.


class PackageDetails(TypedDict, total=False):
    """The fields of a dependency that only some files say."""

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
    """The text that it is, as UTF-8 can write it, else an empty one."""
    if not isinstance(value, str):
        return ""
    # JSON may escape half of a surrogate pair, which no encoding can write.
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def texts(value: object) -> list[str]:
    """All that is text in a list; a single text is a list of one."""
    return [text(member) for member in (value if isinstance(value, list) else [value]) if isinstance(member, str)]


def said(words: object) -> str:
    """A line as it is kept beside a place: trimmed, in one line, of at most MAX_QUOTED_CHARACTERS."""
    # Cut before it is split: a line may have megabytes.
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
    """A finding for a build file or a manifest that is not read, or only partly; `why` is a clause about the file.

    The verdict then never says that nothing is used.
    """
    return finding(NOT_READ, path, line, f"{why}: list what it names in the rulebook, or add an SBOM")
