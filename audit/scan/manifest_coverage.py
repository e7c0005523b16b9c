"""Manifests that speak for sources: whether one does by what it says, for which folder, and which packages they name."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from audit.ecosystems import FILE_READERS
from audit.ecosystems.parsed_file import NOT_READ, ParsedFile
from audit.usage import NOT_SHIPPED

# Without a dependency these files, too, say how all that lies below is built, and so what that needs.
_BUILDS: Final = frozenset({
    "setup.py", "pom.xml", "*.gradle", "*.gradle.kts", "*.csproj", "*.fsproj", "*.vbproj", "mix.exs", "composer.json", "Package.swift",
    "config/importmap.rb",
})  # fmt: skip
# Of these families a file says by being there that it knows what lies below: only marks of them are looked for.
_BY_PRESENCE: Final = frozenset({"bazel", "unsupported"})
# Folders that are named for lists of packages, or for what installs them: the work that needs these lies around.
_LISTS: Final = frozenset(
    {"requirements", "requirement", "reqs", "conda", "envs", "environments", "binder", "docker", "packaging"}
)
_UNREAD: Final = frozenset({NOT_READ, "file/broken", "file/refused", "file/too-large", "dependency/unreadable"})
_SEPARATORS: Final = re.compile(r"[-_.]")
_LEAST_CHARACTERS: Final = 3  # Of a name that is looked for in longer ones.


def speaks(at: int, found: ParsedFile | None) -> bool:
    """Whether a manifest of row `at` says what the sources at its folder and below need; None: it could not be read.

    Tools' settings (`[tool.black]`, `.npmrc`) and lists of tools alone do not. A finding that the file is not read, or
    only partly, says itself that not all is known.
    """
    pattern, family, _ = FILE_READERS[at]
    if found is None or family in _BY_PRESENCE or pattern in _BUILDS:
        return True
    runs = any(dependency.usage not in NOT_SHIPPED for dependency in found.dependencies)
    return bool(runs or found.own or any(finding.code in _UNREAD for finding in found.findings))


def folder_of(path: str, at: int) -> str:
    """The folder for which a manifest speaks: its own, or the one around where the name's pattern has folders, too."""
    parts = path.split("/")[: -1 - FILE_READERS[at][0].count("/")]
    while parts and (parts[-1].lower() in _LISTS or parts[-1].endswith(".xcodeproj")):
        parts.pop()
    return "/".join(parts)


@dataclass
class NamedPackages:
    """The packages that any file names, as sources may spell them."""

    names: set[str] = field(default_factory=set)
    """In small letters; of an archive of Java's its group, in two parts."""

    def add(self, names: Iterable[str]) -> None:
        """Notes the names of dependencies."""
        for name in names:
            group, colon, _ = name.lower().partition(":")
            # Java's packages are called like the group of their archive, in the first two parts.
            self.names.add(".".join(group.split(".")[:2]) if colon else group)

    def has(self, name: str, *, in_part: bool) -> bool:
        """Whether a package is called so; `in_part`: or has the name at one of its ends, as `pyyaml` has `yaml`."""
        if name.lower() in self.names:
            return True
        plain = _SEPARATORS.sub("", name.lower())
        if not in_part or len(plain) < _LEAST_CHARACTERS:
            return False
        return _begins(self._sorted, plain) or _begins(self._reversed, plain[::-1])

    # Both are made when all files were read.
    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(_SEPARATORS.sub("", name) for name in self.names)

    @cached_property
    def _reversed(self) -> list[str]:
        return sorted(name[::-1] for name in self._sorted)


def _begins(listed: list[str], start: str) -> bool:
    at = bisect_left(listed, start)
    return at < len(listed) and listed[at].startswith(start)
