"""What the repository makes itself, and so does not depend on: only what a file says to be local.

A name alone says nothing: anybody may call a folder like a package of a registry, and the registry's is still the one that is used.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from audit import usage
from audit.ecosystems import purls, workspaces
from audit.ecosystems.parsed_file import Read
from audit.facts import Dependency

_KINDS: Final = {
    "python": "pypi", "requirements": "pypi", "npm": "npm", "go": "golang", "rust": "cargo", "maven": "maven",
    "ruby": "gem", "php": "composer", "dotnet": "nuget", "swift": "swift", "dart": "pub", "elixir": "hex",
}  # fmt: skip
"""The type of a package URL by the family of files."""
_BUILDS: Final = ("CMakeLists.txt", ".cmake")
_LINKS: Final = "target_link_libraries("
"""CMake's command that takes a name for a target of the build before it takes it for a library."""


_PATTERNS: Final = 200
"""Patterns with a `*` that each folder is compared with; what only others would make a part is a dependency."""


@dataclass(slots=True)
class OwnPackages:
    """Names by type of package URL: of the parts that a workspace lists, and of those and the work at the root; CMake's targets.

    `members` are patterns of the parts' folders.
    """

    members: Collection[str]
    parts: dict[str, set[str]] = field(default_factory=dict)
    all: dict[str, set[str]] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)
    _patterns: list[str] = field(init=False)
    _near: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The members that are more than the name of one folder."""
        self._patterns = sorted(one for one in self.members if not {*"*?["}.isdisjoint(one))[:_PATTERNS]

    def add(self, path: str, family: str, read: Read) -> None:
        """The names that a manifest says to be its own."""
        folder, kind = path.rpartition("/")[0], _KINDS.get(family, "")
        if usage.aside(path):
            return
        if path.endswith(_BUILDS):
            self.targets.update(read.own)
        elif kind and read.graph is None and read.own:
            is_part = self._is_part(folder)
            if is_part:
                self.parts.setdefault(kind, set()).update(read.own)
            if is_part or not folder:
                self.all.setdefault(kind, set()).update(read.own)

    def has_local(self, one: Dependency, path: str, family: str, known: Collection[str]) -> bool:
        """Whether a manifest's dependency is the manifest's own work, or a part of the workspace to which that belongs.

        `known` are names that the manifest itself, or its lock file, says to be local.
        What is not shipped may name the work at the root, too: examples and documentation do.
        """
        if path.endswith(_BUILDS):
            return one.places[0].said.startswith(_LINKS) and (one.name in known or one.name in self.targets)
        names = _names(one)
        if not names.isdisjoint(known):
            return True
        kind = _KINDS.get(family, "")
        if purls.kind_of(one.purl) != kind or "_url=" in (one.purl or ""):
            return False
        if one.usage in usage.NOT_SHIPPED:
            return not names.isdisjoint(self.all.get(kind, ()))
        return not names.isdisjoint(self.parts.get(kind, ())) and self._is_near(path.rpartition("/")[0])

    def _is_part(self, folder: str) -> bool:
        return folder in self.members or workspaces.is_part(folder, self._patterns)

    def _is_near(self, folder: str) -> bool:
        """Whether a folder is a part, or lies above one: from there the workspace's parts are found."""
        if folder not in self._near:
            above = f"{folder}/" if folder else ""
            self._near[folder] = self._is_part(folder) or any(one.startswith(above) for one in self.members)
        return self._near[folder]

    def has_listed(self, one: Dependency) -> bool:
        """Whether an entry of an SBOM is the work at the root, or a part of it."""
        return not _names(one).isdisjoint(self.all.get(purls.kind_of(one.purl), ()))


def _names(one: Dependency) -> set[str]:
    """A package as it is written, and as its package URL normalizes that."""
    return {one.name, purls.without_version(one.purl).partition("/")[2]}


def named_by_lock(read: Read) -> frozenset[str]:
    """Names of which a lock file says that they are folders of the repository."""
    return read.own | frozenset(read.graph.own if read.graph else ())
