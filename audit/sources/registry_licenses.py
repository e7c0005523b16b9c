"""The licence that each registry's answer states of a package; the answer is a JSON object of any content."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from audit.ecosystems.parsed_file import rows, table
from audit.licenses.declared_license import (
    NO_ID,
    NO_LICENSE_NAME,
    NOTHING_STATED,
    DeclaredLicense,
    joined,
    known,
    single,
    together,
    words,
)
from audit.scan.python_metadata import declared
from audit.sources.answers import MISSING

OF_ALL: Final = "said of the package, not of this version"  # The note of a licence of hex.pm.
_MINIFIED: Final = "composer/2.0"  # Each version has only what differs from the one above.
_UNSET: Final = "__unset"  # Composer's word for a key that ends there.
_NUGET_LICENSES: Final = "https://licenses.nuget.org/"  # Older clients are led there: an expression follows.
_ESCAPED: Final = re.compile(r"%([0-7][0-9A-Fa-f])")


def pypi(answer: dict[str, Any]) -> DeclaredLicense:
    """PyPI: the fields of Python's core metadata."""
    info = table(answer.get("info"))
    return declared(info.get("license_expression"), info.get("license"), rows(info.get("classifiers")))


def npm(answer: dict[str, Any]) -> DeclaredLicense:
    """npm: `license` as a text or `{type}`; else `licenses`, of which npm's documentation says that one may choose."""
    stated = answer.get("license") or answer.get("licence")
    if isinstance(stated, str | dict):
        return single(_name(stated))
    return _choice(map(_name, rows(stated) or rows(answer.get("licenses"))), NO_LICENSE_NAME)


def npm_version(answer: dict[str, Any], version: str) -> DeclaredLicense:
    """The same of one version in npm's answer about all of them, for registries that answer about no single one."""
    versions = table(answer.get("versions"))
    return npm(table(versions[version])) if version in versions else MISSING


def _choice(listed: Iterable[object], unreadable: DeclaredLicense) -> DeclaredLicense:
    """Licences of which one may be chosen; `unreadable` where one of them is no licence's name."""
    named = [words(each) for each in listed]
    found = [each for each in named if each]
    # A choice that is read in part would be another choice.
    if len(found) < len(named):
        return unreadable
    return DeclaredLicense(joined("OR", found) if len(found) > 1 else found[0]) if found else NOTHING_STATED


def _name(stated: object) -> object:
    """The licence of an object of npm's older form, or the text itself."""
    return table(stated).get("type") or table(stated).get("name") or stated


def crates(answer: dict[str, Any]) -> DeclaredLicense:
    """crates.io: the version's `license`, in which a stroke once meant a choice; a crate with a file of its own has none."""
    stated = table(answer.get("version")).get("license")
    return single(stated.replace("/", " OR ") if isinstance(stated, str) else None)


def rubygems(answer: dict[str, Any]) -> DeclaredLicense:
    """RubyGems: `licenses`; how several of them relate a gem's specification does not say, so all of them count."""
    return together(rows(answer.get("licenses")))


def hex_pm(answer: dict[str, Any]) -> DeclaredLicense:
    """hex.pm: the `licenses` of the newest version, for all versions; how several relate is not stated, so all count."""
    stated = together(rows(table(answer.get("meta")).get("licenses")))
    if stated.expression is None:
        return stated
    return replace(stated, note=f"{stated.note}; {OF_ALL}" if stated.note else OF_ALL)


def anaconda(answer: dict[str, Any]) -> DeclaredLicense:
    """anaconda.org: the licence in the metadata of each archive of a version; where they differ all of them count."""
    attributes = [table(table(each).get("attrs")) for each in rows(answer.get("distributions"))]
    return together(dict.fromkeys(said for each in attributes if isinstance(said := each.get("license"), str) and said))


def deps_dev(answer: dict[str, Any], *, choice: bool = False) -> DeclaredLicense:
    """deps.dev: `licenses`; several are a `choice` only where their format makes them one."""
    details = [table(each) for each in rows(answer.get("licenseDetails"))]
    # A licence without an id is `non-standard`: its words in `licenseDetails` count where they are a licence's name.
    listed = [
        known(each.get("license")) if each.get("spdx") in (NO_ID, "") else each.get("spdx") for each in details
    ] or rows(answer.get("licenses"))
    # How several relate is unspecified, says its documentation: all of them count.
    return _choice(listed, NO_LICENSE_NAME) if choice else together(listed)


def maven(answer: dict[str, Any]) -> DeclaredLicense:
    """A POM: `licenses`; of several "the user can select any of them", says the schema of POMs (4.0.0)."""
    return _choice(map(known, rows(answer.get("licenses"))), NO_LICENSE_NAME)


def nuget(answer: dict[str, Any]) -> DeclaredLicense:
    """A nuspec: an expression; else the older address, where it is that of a licence. A file of the package is not read."""
    if answer.get("type") == "expression":
        return single(answer.get("license"))
    address = str(answer.get("url") or "")
    expression = address.removeprefix(_NUGET_LICENSES)
    if answer.get("type") != "file" and expression != address:
        # Escaped, as in any address.
        return single(_ESCAPED.sub(lambda found: chr(int(found[1], 16)), expression.replace("+", " ")))
    return single(known(address) or ((address or answer.get("license")) and NO_ID))


def packagist(answer: dict[str, Any], version: str) -> DeclaredLicense:
    """Packagist: the `license` of that version; a list is a choice, says Composer's schema, and `v1.0` is `1.0`."""
    for each, stated in _versions(answer):
        if each.removeprefix("v") == version.removeprefix("v"):
            return _choice(stated if isinstance(stated, list) else [stated], NOTHING_STATED)
    return NOTHING_STATED


def _versions(answer: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Packagist's versions, each with its licence."""
    minified = answer.get("minified") == _MINIFIED
    for listed in table(answer.get("packages")).values():
        stated: object = None
        for entry in map(table, rows(listed)):
            stated = entry.get("license", stated if minified else None)
            stated = None if stated == _UNSET else stated
            version = entry.get("version")
            if isinstance(version, str):
                yield version, stated
