"""Whom to ask about a package, by its package URL; and whom never, since a question tells what somebody uses."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any, Final

from packageurl import PackageURL

from audit.facts import Source
from audit.sources import crates, deps_dev, npm, pypi
from audit.sources.answers import Stated


class Registry(StrEnum):
    """Who is asked."""

    PYPI = "pypi"
    NPM = "npm"
    CRATES = "crates"
    DEPS_DEV = "deps.dev"


PUBLIC: Final[Mapping[Registry, str]] = {
    Registry.PYPI: "https://pypi.org",
    Registry.NPM: "https://registry.npmjs.org",
    Registry.CRATES: "https://crates.io",
    Registry.DEPS_DEV: "https://api.deps.dev",
}
"""Where they are."""


class Unasked(StrEnum):
    """Why nobody is asked about a package."""

    NO_REGISTRY = "of a kind that no registry is asked about"
    NO_VERSION = "without a version"
    ELSEWHERE = "from another registry"
    PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class Question:
    """One request: to whom, the parts of its path, and what reads the answer."""

    registry: Registry
    path: tuple[str, ...]
    read: Callable[[dict[str, Any]], Stated]

    @property
    def source(self) -> Source:
        """As whom the answer is told."""
        return Source.DEPS_DEV if self.registry is Registry.DEPS_DEV else Source.REGISTRY


_OWN: Final[
    Mapping[str, tuple[Registry, Callable[[str, str], tuple[str, ...]], Callable[[dict[str, Any]], Stated]]]
] = {
    "pypi": (Registry.PYPI, pypi.path, pypi.read),
    "npm": (Registry.NPM, npm.path, npm.read),
    "cargo": (Registry.CRATES, crates.path, crates.read),
}
_OTHERS: Final = frozenset({"repository_url", "vcs_url", "download_url"})
_NAME: Final = re.compile(r"[A-Za-z0-9@_~][A-Za-z0-9@._~+!/-]{0,299}")
_ALIKE: Final = re.compile(r"[-_.]+")
_DOTS: Final = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")


def questions(
    purl: str, private: tuple[str, ...] = (), own: Mapping[Registry, str] = PUBLIC
) -> tuple[Question, ...] | Unasked:
    """Its own registry first, then deps.dev; or why nobody is asked.

    `private` are patterns of names (see `is_private`) about which nobody is ever asked. A package that is said to come
    from another registry is asked about there alone, where it is one of `own`, the hosts that are asked.
    """
    try:
        one = PackageURL.from_string(purl)
    except ValueError:
        return Unasked.NO_REGISTRY
    full = f"{one.namespace}/{one.name}" if one.namespace else one.name
    elsewhere = {str(value) for key, value in dict(one.qualifiers or {}).items() if key in _OTHERS}
    why = _unasked(one, full, private)
    if why is not None:
        return why
    version = str(one.version)
    name = full.replace("/", ":") if one.type == "maven" else full
    last = Question(Registry.DEPS_DEV, deps_dev.path(one.type, name, version), deps_dev.read)
    if one.type not in _OWN:
        return Unasked.ELSEWHERE if elsewhere else (last,)
    registry, path, read = _OWN[one.type]
    first = Question(registry, path(name, version), read)
    if elsewhere:
        return (first,) if elsewhere == {own.get(registry)} else Unasked.ELSEWHERE
    return (first, last)


def _unasked(one: PackageURL, full: str, private: tuple[str, ...]) -> Unasked | None:
    """Why nobody is asked; None: somebody is. A name that no registry could have makes no address."""
    if one.type not in deps_dev.SYSTEMS:
        return Unasked.NO_REGISTRY
    if is_private(full, private):
        return Unasked.PRIVATE
    if not one.version:
        return Unasked.NO_VERSION
    sound = all(_NAME.fullmatch(text) and not _DOTS.search(text) for text in (full, one.version))
    return None if sound else Unasked.NO_REGISTRY


def is_private(full: str, patterns: tuple[str, ...]) -> bool:
    """Whether a name (`@scope/name`, `host/path`, `group/artifact`), in any case, fits one of the patterns.

    With a star a pattern is a shell pattern of the whole name; without one it is a name, or what names begin with
    before a stroke or, Maven's groups, a dot. `-`, `_` and `.` count for the same as well: PyPI makes them so.
    """
    plain = full.casefold()
    for pattern in patterns:
        wanted = pattern.casefold().replace(":", "/").rstrip("/")
        if _fits(plain, wanted) or _fits(_ALIKE.sub("-", plain), _ALIKE.sub("-", wanted)):
            return True
    return False


def _fits(name: str, wanted: str) -> bool:
    if "*" in wanted or "?" in wanted:
        return fnmatchcase(name, wanted.replace("[", "[[]"))
    return name == wanted or name.startswith((f"{wanted}/", f"{wanted}."))
