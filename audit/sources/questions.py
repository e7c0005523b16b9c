"""The registry to ask about a package, by its package URL; some are never asked, since a question tells what is used."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Final

from packageurl import PackageURL

from audit.facts import Source
from audit.licenses.declared_license import NOTHING_STATED, DeclaredLicense
from audit.sources import registry_licenses, version_lists
from audit.sources.answer_forms import index, metadata, nuspec, pom
from audit.sources.answers import MAX_ANSWER_BYTES, MAX_LIST_BYTES, MISSING, NO_METADATA, NO_VERSION_FITS, parsed
from audit.version_range import newest


class Registry(StrEnum):
    """The registries that are asked."""

    PYPI = "pypi"
    NPM = "npm"
    CRATES = "crates"
    RUBYGEMS = "rubygems"
    PACKAGIST = "packagist"
    HEX = "hex"
    ANACONDA = "anaconda"
    MAVEN = "maven"
    NUGET = "nuget"
    DEPS_DEV = "deps.dev"


PUBLIC: Final[Mapping[Registry, str]] = {  # The addresses of those that all share.
    Registry.PYPI: "https://pypi.org",
    Registry.NPM: "https://registry.npmjs.org",
    Registry.CRATES: "https://crates.io",
    Registry.RUBYGEMS: "https://rubygems.org",
    Registry.PACKAGIST: "https://repo.packagist.org",
    Registry.HEX: "https://hex.pm",
    Registry.ANACONDA: "https://api.anaconda.org",
    Registry.MAVEN: "https://repo1.maven.org/maven2",
    Registry.NUGET: "https://api.nuget.org/v3-flatcontainer",
    Registry.DEPS_DEV: "https://api.deps.dev",
}


class UnaskedReason(StrEnum):
    """The reasons for asking no registry about a package."""

    NO_REGISTRY = "of a kind that no registry is asked about"
    NO_VERSION = "without a version"
    NO_CHANNEL = "of no known channel"
    ELSEWHERE = "from another registry"
    PRIVATE = "private"


@dataclass(frozen=True, slots=True)
class LicenseQuestion:
    """One request to `registry`, by the parts of a `path`; `accept` is the form of the answer that `decode` takes apart.

    `read` gives another question where the answer only says where the licence stands: one of the same registry. `address` is
    where a page names a file (empty: `path` leads to it). An answer has at most `most` bytes; where
    there is none, `missing` is what that says. One that is `spare` is put only
    where who was asked before does not know the package, or did not answer.
    """

    registry: Registry
    path: tuple[str, ...]
    read: "Callable[[dict[str, Any]], DeclaredLicense | LicenseQuestion]"
    accept: str = "application/json"
    decode: Callable[[bytes], dict[str, Any]] = parsed
    address: str = ""
    most: int = MAX_ANSWER_BYTES
    missing: DeclaredLicense = MISSING
    spare: bool = False

    @property
    def source(self) -> Source:
        """The source as which the answer is told."""
        return Source.DEPS_DEV if self.registry is Registry.DEPS_DEV else Source.REGISTRY


_Reading = DeclaredLicense | LicenseQuestion
_Read = Callable[[dict[str, Any]], DeclaredLicense]
_List = Callable[[dict[str, Any]], list[str]]
_SYSTEMS: Final = {  # deps.dev's names for the types of package URLs.
    "cargo": "cargo", "gem": "rubygems", "golang": "go", "maven": "maven", "npm": "npm", "nuget": "nuget", "pypi": "pypi",
}  # fmt: skip
# By type of package URL: the registry, its path for one version, the reader. A name is one part of the path.
_OWN: Final[Mapping[str, tuple[Registry, str, _Read]]] = {
    "pypi": (Registry.PYPI, "pypi/{name}/{version}/json", registry_licenses.pypi),
    "npm": (Registry.NPM, "{name}/{version}", registry_licenses.npm),
    "cargo": (Registry.CRATES, "api/v1/crates/{name}/{version}", registry_licenses.crates),
    "gem": (Registry.RUBYGEMS, "api/v2/rubygems/{name}/versions/{version}.json", registry_licenses.rubygems),
    "hex": (Registry.HEX, "api/packages/{name}", registry_licenses.hex_pm),
    "conda": (Registry.ANACONDA, "release/{channel}/{name}/{version}", registry_licenses.anaconda),
}
_DEPS_DEV: Final = "v3/systems/{system}/packages/{name}/versions/{version}"
_INDEX_ACCEPT: Final = f"{version_lists.PYPI_ACCEPT}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_XML_ACCEPT: Final = "application/xml, text/xml, */*;q=0.1"
_MAX_PARENTS: Final = 8  # Asked for one after the other: a licence may stand in a parent.
_COMPOSER: Final = "composer"  # Packagist answers for all versions at once.
# They say that a package comes from elsewhere.
_OTHERS: Final = frozenset({"repository_url", "vcs_url", "download_url"})
_NAME: Final = re.compile(r"[A-Za-z0-9@_~][A-Za-z0-9@._~+!/-]{0,299}")
_ALIKE: Final = re.compile(r"[-_.]+")
_DOTS: Final = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")  # `..` would leave the path.


def questions(
    purl: str, private: tuple[str, ...] = (), own: Mapping[Registry, str] = PUBLIC, wanted: str = ""
) -> tuple[LicenseQuestion, ...] | UnaskedReason:
    """Its own registry first, then deps.dev; or why no registry is asked.

    Of a package without a version, of which a range is `wanted`, the answer is the newest version that fits. `private` are
    patterns of names (see `is_private`) about which no registry is ever asked. A package that is said to come from another
    registry is asked about there alone, where it is one of `own`, the hosts that are asked.
    """
    try:
        package = PackageURL.from_string(purl)
    except ValueError:
        return UnaskedReason.NO_REGISTRY
    full = f"{package.namespace}/{package.name}" if package.namespace else package.name
    elsewhere = {str(value) for key, value in dict(package.qualifiers or {}).items() if key in _OTHERS}
    why = _unasked(package, full, private)
    if why in {UnaskedReason.NO_VERSION, UnaskedReason.NO_CHANNEL} and elsewhere and not wanted:
        return UnaskedReason.ELSEWHERE  # Neither would help.
    if why is not None and not (why is UnaskedReason.NO_VERSION and wanted):
        return why
    name = full.replace("/", ":") if package.type == "maven" else full  # deps.dev's spelling.
    if not package.version and package.type not in {*_SYSTEMS, _COMPOSER}:
        return UnaskedReason.NO_VERSION
    asked = tuple(_releases(package, name) if package.version else _lists(package.type, name, wanted))
    if not elsewhere:
        return asked
    # deps.dev knows public registries alone.
    its_own = tuple(each for each in asked if each.registry is not Registry.DEPS_DEV)
    return its_own if its_own and elsewhere == {own.get(its_own[0].registry)} else UnaskedReason.ELSEWHERE


def _releases(package: PackageURL, name: str) -> Iterator[LicenseQuestion]:
    """Questions for a version's licence: to the registry that its kind of package has, then to deps.dev."""
    version = str(package.version)
    if package.type == _COMPOSER:
        # Branches stand in a file of their own.
        branch = "~dev" if version.startswith("dev-") or version.endswith("-dev") else ""
        path = ("p2", *f"{name}{branch}.json".split("/"))
        yield LicenseQuestion(Registry.PACKAGIST, path, partial(registry_licenses.packagist, version=version))
    elif package.type in _OWN:
        registry, template, read = _OWN[package.type]
        yield LicenseQuestion(registry, _path(template, name=name, version=version, channel=_channel(package)), read)
    if package.type == "npm":
        # Some registries answer about no single version.
        every = partial(registry_licenses.npm_version, version=version)
        yield LicenseQuestion(Registry.NPM, (name,), every, decode=_long, most=MAX_LIST_BYTES, spare=True)
    elif package.type == "pypi":
        # A mirror often has the simple index and not the JSON (PEP 503, PEP 691).
        path = ("simple", name, "")
        yield LicenseQuestion(
            Registry.PYPI, path, partial(_of_wheel, version=version), _INDEX_ACCEPT, index, spare=True
        )
    if package.type in _SYSTEMS:
        path = _path(_DEPS_DEV, system=_SYSTEMS[package.type], name=name, version=version)
        # It has what the POM says, where several are a choice.
        read = (
            partial(registry_licenses.deps_dev, choice=True) if package.type == "maven" else registry_licenses.deps_dev
        )
        yield LicenseQuestion(Registry.DEPS_DEV, path, read)
    # For where deps.dev is out of reach.
    if package.type == "maven":
        yield from _pom(package.namespace or "", package.name, version)
    elif package.type == "nuget":
        path = _path("{name}/{version}/{name}.nuspec", name=name.lower(), version=version.lower())
        yield LicenseQuestion(Registry.NUGET, path, registry_licenses.nuget, _XML_ACCEPT, nuspec, spare=True)


def _long(data: bytes) -> dict[str, Any]:
    return parsed(data, MAX_LIST_BYTES)


def _of_wheel(answer: dict[str, Any], version: str) -> _Reading:
    """The question for the metadata beside a wheel of that version, which the index lists."""
    address = version_lists.wheel(answer, version)
    if not address:
        return MISSING if address is None else NO_METADATA
    read = registry_licenses.pypi
    return LicenseQuestion(Registry.PYPI, (), read, "*/*", metadata, address, missing=NO_METADATA)


def _pom(group: str, name: str, version: str, parents: int = 0) -> Iterator[LicenseQuestion]:
    """The question for a POM; nothing for coordinates of which no address can be made."""

    def read(answer: dict[str, Any]) -> _Reading:
        stated = registry_licenses.maven(answer)
        if answer["licenses"] or not answer["parent"] or parents == _MAX_PARENTS:
            return stated
        above, called, of = answer["parent"]
        return next(_pom(above, called, of, parents + 1), stated)

    # A parent's coordinates are a stranger's words: they must not lead to another path.
    if all(_NAME.fullmatch(part) and "/" not in part and not _DOTS.search(part) for part in (group, name, version)):
        path = (*group.split("."), name, version, f"{name}-{version}.pom")
        missing = NOTHING_STATED if parents else MISSING  # The POM below is there.
        yield LicenseQuestion(Registry.MAVEN, path, read, _XML_ACCEPT, pom, missing=missing, spare=True)


def _path(template: str, **values: str) -> tuple[str, ...]:
    return tuple(part.format(**values) for part in template.split("/"))


def _lists(kind: str, name: str, wanted: str) -> Iterator[LicenseQuestion]:
    """Questions for a package's versions; the answer is the newest of them that fits."""

    def fitting(listed: _List) -> _Read:
        def read(answer: dict[str, Any]) -> DeclaredLicense:
            found = newest(kind, wanted, listed(answer))
            return NO_VERSION_FITS if found is None else DeclaredLicense(found)

        return read

    if kind == "npm":  # The version that npm installs where it fits, in a thousandth of the bytes.
        yield LicenseQuestion(Registry.NPM, (name, "latest"), fitting(version_lists.npm_latest))
        read = fitting(version_lists.npm)
        accept = version_lists.NPM_ACCEPT
        yield LicenseQuestion(Registry.NPM, (name,), read, accept, _long, most=MAX_LIST_BYTES)
    elif kind == "pypi":
        yield LicenseQuestion(Registry.PYPI, ("simple", name, ""), fitting(version_lists.pypi), _INDEX_ACCEPT, index)
    elif kind == "gem":
        yield LicenseQuestion(Registry.RUBYGEMS, ("api", "v1", "gems", f"{name}.json"), fitting(version_lists.latest))
    elif kind == _COMPOSER:
        path = ("p2", *f"{name}.json".split("/"))
        yield LicenseQuestion(Registry.PACKAGIST, path, fitting(version_lists.packagist))
        return  # deps.dev does not know Packagist.
    elif kind == "cargo":
        yield LicenseQuestion(Registry.CRATES, ("api", "v1", "crates", name), fitting(version_lists.crates))
    path = _path(_DEPS_DEV.removesuffix("/versions/{version}"), system=_SYSTEMS[kind], name=name)
    yield LicenseQuestion(Registry.DEPS_DEV, path, fitting(version_lists.deps_dev))
    if kind == "nuget":
        listed = version_lists.nuget
        yield LicenseQuestion(Registry.NUGET, (name.lower(), "index.json"), fitting(listed), spare=True)


def _channel(package: PackageURL) -> str:
    return str(dict(package.qualifiers or {}).get("channel", ""))


def _unasked(package: PackageURL, full: str, private: tuple[str, ...]) -> UnaskedReason | None:
    """The reason for asking no registry; None: one is asked. A name that no registry could have makes no address."""
    is_misnamed = package.type == _COMPOSER and full.count("/") != 1
    if is_misnamed or package.type not in {*_SYSTEMS, *_OWN, _COMPOSER}:
        return UnaskedReason.NO_REGISTRY
    if is_private(full, private):
        return UnaskedReason.PRIVATE
    sound = all(_NAME.fullmatch(text) and not _DOTS.search(text) for text in (full, package.version or "0"))
    if sound and not package.version:
        return UnaskedReason.NO_VERSION
    if package.type == "conda":
        channel = _channel(package)
        if not channel:
            return UnaskedReason.NO_CHANNEL
        sound = sound and bool(_NAME.fullmatch(channel) and not _DOTS.search(channel) and "/" not in channel)
    return None if sound else UnaskedReason.NO_REGISTRY


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
        return fnmatchcase(name, wanted.replace("[", "[[]"))  # Patterns have no sets.
    return name == wanted or name.startswith((f"{wanted}/", f"{wanted}."))
