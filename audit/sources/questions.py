"""Whom to ask about a package, by its package URL; and whom never, since a question tells what somebody uses."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Final

from packageurl import PackageURL

from audit.facts import Source
from audit.licenses.declared_license import Stated
from audit.sources import anaconda, crates, deps_dev, hex_pm, npm, packagist, pypi, rubygems, version_lists
from audit.sources.answers import NO_VERSION_FITS
from audit.version_range import newest


class Registry(StrEnum):
    """Who is asked."""

    PYPI = "pypi"
    NPM = "npm"
    CRATES = "crates"
    RUBYGEMS = "rubygems"
    PACKAGIST = "packagist"
    HEX = "hex"
    ANACONDA = "anaconda"
    DEPS_DEV = "deps.dev"


PUBLIC: Final[Mapping[Registry, str]] = {
    Registry.PYPI: "https://pypi.org",
    Registry.NPM: "https://registry.npmjs.org",
    Registry.CRATES: "https://crates.io",
    Registry.RUBYGEMS: "https://rubygems.org",
    Registry.PACKAGIST: "https://repo.packagist.org",
    Registry.HEX: "https://hex.pm",
    Registry.ANACONDA: "https://api.anaconda.org",
    Registry.DEPS_DEV: "https://api.deps.dev",
}
"""Where they are."""


class Unasked(StrEnum):
    """Why nobody is asked about a package."""

    NO_REGISTRY = "of a kind that no registry is asked about"
    NO_VERSION = "without a version"
    NO_CHANNEL = "of no known channel"
    ELSEWHERE = "from another registry"
    PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class Question:
    """One request: to whom, the parts of its path, what reads the answer, and the form in which that is wanted."""

    registry: Registry
    path: tuple[str, ...]
    read: Callable[[dict[str, Any]], Stated]
    accept: str = "application/json"

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
    "gem": (Registry.RUBYGEMS, rubygems.path, rubygems.read),
    "hex": (Registry.HEX, hex_pm.path, hex_pm.read),
    "conda": (Registry.ANACONDA, anaconda.path, anaconda.read),
}
_LISTS: Final[
    Mapping[str, tuple[Registry, Callable[[str], tuple[str, ...]], Callable[[dict[str, Any]], list[str]], str]]
] = {
    "pypi": (Registry.PYPI, version_lists.pypi_path, version_lists.pypi, version_lists.PYPI_ACCEPT),
    "npm": (Registry.NPM, version_lists.npm_path, version_lists.npm, version_lists.NPM_ACCEPT),
    "cargo": (Registry.CRATES, version_lists.crates_path, version_lists.crates, "application/json"),
}
"""Who lists all versions of a package; of the other kinds deps.dev does."""
_COMPOSER: Final = "composer"
"""Packagist answers for all versions at once."""
_OTHERS: Final = frozenset({"repository_url", "vcs_url", "download_url"})
_NAME: Final = re.compile(r"[A-Za-z0-9@_~][A-Za-z0-9@._~+!/-]{0,299}")
_ALIKE: Final = re.compile(r"[-_.]+")
_DOTS: Final = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")


def questions(
    purl: str, private: tuple[str, ...] = (), own: Mapping[Registry, str] = PUBLIC, wanted: str = ""
) -> tuple[Question, ...] | Unasked:
    """Its own registry first, then deps.dev; or why nobody is asked.

    Of a package without a version, of which a range is `wanted`, the answer is the newest version that fits. `private` are
    patterns of names (see `is_private`) about which nobody is ever asked. A package that is said to come from another
    registry is asked about there alone, where it is one of `own`, the hosts that are asked.
    """
    try:
        one = PackageURL.from_string(purl)
    except ValueError:
        return Unasked.NO_REGISTRY
    full = f"{one.namespace}/{one.name}" if one.namespace else one.name
    elsewhere = {str(value) for key, value in dict(one.qualifiers or {}).items() if key in _OTHERS}
    why = _unasked(one, full, private)
    if why is not None and not (why is Unasked.NO_VERSION and wanted):
        return why
    name = full.replace("/", ":") if one.type == "maven" else full
    if not one.version and not (one.type in _LISTS or one.type in deps_dev.SYSTEMS):
        return Unasked.NO_VERSION
    asked = tuple(_releases(one, name) if one.version else _lists(one.type, name, wanted))
    if not elsewhere:
        return asked
    its_own = bool(asked) and asked[0].registry is not Registry.DEPS_DEV
    return asked[:1] if its_own and elsewhere == {own.get(asked[0].registry)} else Unasked.ELSEWHERE


def _releases(one: PackageURL, name: str) -> Iterator[Question]:
    """Who says under which licence a version is: the registry of its own that a kind of package has, then deps.dev."""
    version = str(one.version)
    if one.type == _COMPOSER:
        yield Question(Registry.PACKAGIST, packagist.path(name, version), partial(packagist.read, version=version))
    elif one.type in _OWN:
        registry, path, read = _OWN[one.type]
        yield Question(registry, path(f"{_channel(one)}/{name}" if one.type == "conda" else name, version), read)
    if one.type in deps_dev.SYSTEMS:
        yield Question(Registry.DEPS_DEV, deps_dev.path(one.type, name, version), deps_dev.read)


def _lists(kind: str, name: str, wanted: str) -> Iterator[Question]:
    """Who lists its versions; the answer is the newest of them that fits."""

    def fitting(listed: Callable[[dict[str, Any]], list[str]]) -> Callable[[dict[str, Any]], Stated]:
        def read(answer: dict[str, Any]) -> Stated:
            found = newest(kind, wanted, listed(answer))
            return NO_VERSION_FITS if found is None else Stated(found)

        return read

    if kind in _LISTS:
        registry, path, listed, accept = _LISTS[kind]
        yield Question(registry, path(name), fitting(listed), accept)
    yield Question(Registry.DEPS_DEV, version_lists.deps_dev_path(kind, name), fitting(version_lists.deps_dev))


def _channel(one: PackageURL) -> str:
    """The channel of a Conda package; empty where nobody says."""
    return str(dict(one.qualifiers or {}).get("channel", ""))


def _unasked(one: PackageURL, full: str, private: tuple[str, ...]) -> Unasked | None:
    """Why nobody is asked; None: somebody is. A name that no registry could have makes no address."""
    if one.type not in deps_dev.SYSTEMS and one.type not in _OWN and one.type != _COMPOSER:
        return Unasked.NO_REGISTRY
    if is_private(full, private):
        return Unasked.PRIVATE
    sound = all(_NAME.fullmatch(text) and not _DOTS.search(text) for text in (full, one.version or "0"))
    if sound and not one.version:
        return Unasked.NO_VERSION
    if one.type == "conda" and not _channel(one):
        return Unasked.NO_CHANNEL
    sound = sound and (one.type != "conda" or bool(_NAME.fullmatch(_channel(one)) and not _DOTS.search(_channel(one))))
    if (one.type == _COMPOSER and full.count("/") != 1) or (one.type == "conda" and "/" in _channel(one)):
        return Unasked.NO_REGISTRY
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
