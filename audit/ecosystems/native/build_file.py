"""What a build file of C or C++ says that only all the build files of a tree settle together."""

from dataclasses import dataclass, field

from audit.ecosystems.native.cmake_commands import CMakeScript
from audit.facts import Dependency


@dataclass(frozen=True, slots=True)
class AskedLibrary:
    """A library that a build asks for, by the name that it writes; `is_linked` for a word of the linker's, which may be a target of the tree's own."""

    name: str
    dependency: Dependency
    is_linked: bool = False


@dataclass(frozen=True, slots=True)
class BuildFile:
    """What is asked for, and what the work itself makes: `libraries` to link, `packages` that others may find, `spaces` of its targets.

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
