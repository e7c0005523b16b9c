"""Python's requirement specifiers (PEP 508): a name, and a version where just one fits."""

import re
from dataclasses import dataclass
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement

from audit.ecosystems.origins import is_archive, of_archive
from audit.ecosystems.parsed_file import PackageDetails, dependency_at, said
from audit.ecosystems.purls import name_of_address, of_address, purl
from audit.facts import Dependency, Place, Usage

MAX_SPECIFIER_CHARACTERS: Final = 4_000  # Real ones have a few hundred.
_RUN: Final = re.compile(r"[-_.]+")
# Most specifiers are this plain, and `packaging` takes much longer.
_PLAIN: Final = re.compile(
    r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)[ \t]*+(?:==[ \t]*+([A-Za-z0-9.+!_-]++))?[ \t]*+"
)
_EDITABLE: Final = re.compile(r"(?:-e|--editable)(?:[ \t]++|=)")
_EGG: Final = re.compile(r"[#&]egg=([A-Za-z0-9._-]++)")
_TAG: Final = re.compile(r"\.git@([^#/@]++)|/[^/@]++@([^#/@]++)(?:#|$)")
_ARCHIVE: Final = re.compile(r"([A-Za-z0-9._]++(?:-[A-Za-z][A-Za-z0-9._]*+)*+)-(\d[A-Za-z0-9.+!_]*+)")


@dataclass(frozen=True, slots=True)
class RequestedVersion:
    """A specifier's `name` and `url`; `version` only where it names just one, else the `range` (`*`: any)."""

    name: str
    version: str | None = None
    url: str = ""
    range: str = ""


def normalize(name: str) -> str:
    """A project's name as the Python index compares it."""
    return _RUN.sub("-", name).lower()  # PEP 503.


def asked(words: str) -> RequestedVersion | None:
    """The package that a specifier or an address asks for, also an editable one; None if it is neither."""
    words = _EDITABLE.sub("", words.strip())
    if len(words) > MAX_SPECIFIER_CHARACTERS or words.startswith("-"):  # Another option names no package.
        return None
    plain = _PLAIN.fullmatch(words)
    if plain and (plain[2] or not is_archive(words)):  # `a-1.0.whl` is a file.
        return RequestedVersion(plain[1], plain[2], range="" if plain[2] else "*")
    bare = words.partition(";")[0]
    # `name @ address` is a specifier.
    if ("://" in bare or is_archive(bare)) and not re.match(r"[A-Za-z0-9._-]+\s*(\[[^\]]*\]\s*)?@", words):
        return _address(words.partition(" ")[0])
    try:
        requirement = Requirement(words)
    except (InvalidRequirement, RecursionError):
        return None
    exact = [specifier.version for specifier in requirement.specifier if specifier.operator in {"==", "==="}]
    version = exact[0] if len(exact) == 1 and not exact[0].endswith("*") else None  # `==1.*` is a range.
    if requirement.url:
        return RequestedVersion(requirement.name, version or _address(requirement.url).version, requirement.url)
    return RequestedVersion(requirement.name, version, range="" if version else str(requirement.specifier) or "*")


def _address(url: str) -> RequestedVersion:
    egg, tag = _EGG.search(url), _TAG.search(url)
    # The tag or commit behind `@` is no part of the name.
    name = name_of_address(re.sub(r"@[^/@]*$", "", url.partition("#")[0]) if tag else url)
    archive = _ARCHIVE.match(name)
    if archive and not tag:
        return RequestedVersion(egg[1] if egg else archive[1], archive[2], url)
    return RequestedVersion(egg[1] if egg else name, (tag[1] or tag[2]) if tag else None, url)


def package_url(request: RequestedVersion) -> str | None:
    """The package URL of the index's project, of an address's repository, or of an archive that only has that name."""
    if request.url.startswith("git+"):
        front = request.url.partition("#")[0]
        return of_address(
            front[: front.rindex("@")] if "@" in front.rpartition("/")[2] else front, request.version, request.name
        )
    return of_archive(purl("pypi", normalize(request.name), request.version), request.url) if request.name else None


def dependency(words: str, usage: Usage, why: str, place: Place, *, optional: bool = False) -> Dependency | None:
    """The direct dependency that a specifier makes; None if it is none."""
    request = asked(words)
    if request is None or not request.name:
        return None
    more = PackageDetails(direct=True, optional=optional, version_range=request.range)
    spot = Place(place.path, place.line, said(words))
    return dependency_at(spot, request.name, request.version, package_url(request), usage, why, **more)
