"""Matches package URLs of the rulebook with dependencies: any version, from anywhere, unless the URL names one."""

import re
from typing import Final

from packageurl import PackageURL

_PYPI: Final = "pkg:pypi/"
_RUN: Final = re.compile(r"[-_.]+")  # PyPI's normal form of a name (PEP 503).
_VERSION: Final = re.compile(r"(?<!/)@")  # A scope of npm's begins a part; a version may hold strokes.
_FROM: Final = "?repository_url="


def pattern(purl: str) -> tuple[str, str]:
    """The package as a person wrote it, with its repository if one is named, and the version ("": any), canonical."""
    try:
        return sourced(PackageURL.from_string(purl).to_string())
    except ValueError:
        return purl, ""  # It then means nothing but itself.


def sourced(purl: str) -> tuple[str, str]:
    """The package with the repository that its URL names, and the version."""
    package, version = parts(purl)
    if "repository_url=" not in purl:  # Nearly all: parsing takes much longer.
        return package, version
    try:
        named = str(dict(PackageURL.from_string(purl).qualifiers or {}).get("repository_url", ""))
    except ValueError:
        return package, version
    # A server is named with its scheme and without.
    where = named.casefold().removeprefix("https://").removeprefix("http://").rstrip("/")
    return (f"{package}{_FROM}{where}" if where else package), version


def meanings(package: str) -> tuple[str, ...]:
    """The packages of patterns that mean this one: it from anywhere, and it from its repository."""
    plain = package.partition(_FROM)[0]
    return (plain,) if plain == package else (plain, package)


def parts(purl: str) -> tuple[str, str]:
    """The package and the version ("": none) of a canonical package URL, qualifiers and subpath left out."""
    package, version = divided(purl)
    if package.startswith(_PYPI):  # The index takes `a.b` and `a-b` for one name, package URLs do not.
        package = _PYPI + _RUN.sub("-", package.removeprefix(_PYPI))
    return package, version


def divided(purl: str) -> tuple[str, str]:
    """The same of any package URL, as it is written there."""
    package, *version = _VERSION.split(purl.partition("#")[0].partition("?")[0], maxsplit=1)
    return package, "".join(version)
