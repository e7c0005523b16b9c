"""What each registry's answer states of a package's licence; the answer is a stranger's JSON object, whatever is in it."""

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
    one,
    together,
    words,
)
from audit.scan.python_metadata import declared

OF_ALL: Final = "said of the package, not of this version"
"""The note of a licence that hex.pm states."""
_MINIFIED: Final = "composer/2.0"
_UNSET: Final = "__unset"


def pypi(answer: dict[str, Any]) -> DeclaredLicense:
    """PyPI: the fields of Python's core metadata."""
    info = table(answer.get("info"))
    return declared(info.get("license_expression"), info.get("license"), rows(info.get("classifiers")))


def npm(answer: dict[str, Any]) -> DeclaredLicense:
    """npm: `license` as a text or `{type}`; else `licenses`, of which npm's documentation says that one may choose."""
    stated = answer.get("license") or answer.get("licence")
    if isinstance(stated, str | dict):
        return one(_name(stated))
    return _choice(map(_name, rows(stated) or rows(answer.get("licenses"))), NO_LICENSE_NAME)


def _choice(listed: Iterable[object], unreadable: DeclaredLicense) -> DeclaredLicense:
    """Licences of which one may be chosen; `unreadable` where one of them is no licence's name."""
    named = [words(each) for each in listed]
    found = [each for each in named if each]
    if len(found) < len(named):
        return unreadable
    return DeclaredLicense(joined("OR", found) if len(found) > 1 else found[0]) if found else NOTHING_STATED


def _name(stated: object) -> object:
    """The licence of an object of npm's older form, or the text itself."""
    return table(stated).get("type") or table(stated).get("name") or stated


def crates(answer: dict[str, Any]) -> DeclaredLicense:
    """crates.io: the version's `license`, in which a stroke once meant a choice; a crate with a file of its own has none."""
    stated = table(answer.get("version")).get("license")
    return one(stated.replace("/", " OR ") if isinstance(stated, str) else None)


def rubygems(answer: dict[str, Any]) -> DeclaredLicense:
    """RubyGems: `licenses`; how several of them relate a gem's specification does not say, so all of them count."""
    return together(rows(answer.get("licenses")))


def hex_pm(answer: dict[str, Any]) -> DeclaredLicense:
    """hex.pm: the `licenses` of the newest version, for all versions; how several relate nobody says, so all count."""
    stated = together(rows(table(answer.get("meta")).get("licenses")))
    if stated.expression is None:
        return stated
    return replace(stated, note=f"{stated.note}; {OF_ALL}" if stated.note else OF_ALL)


def anaconda(answer: dict[str, Any]) -> DeclaredLicense:
    """anaconda.org: what each archive of a version has in its metadata; where they differ all of them count."""
    attributes = [table(table(each).get("attrs")) for each in rows(answer.get("distributions"))]
    return together(dict.fromkeys(said for each in attributes if isinstance(said := each.get("license"), str) and said))


def deps_dev(answer: dict[str, Any]) -> DeclaredLicense:
    """deps.dev: `licenses`; how several of them relate is unspecified, says its documentation, so all of them count.

    A licence without an id is `non-standard`: then the words that `licenseDetails` gives, where they are a licence's name.
    """
    details = [table(each) for each in rows(answer.get("licenseDetails"))]
    if details:
        return together(
            known(each.get("license")) if each.get("spdx") in (NO_ID, "") else each.get("spdx") for each in details
        )
    return together(rows(answer.get("licenses")))


def packagist(answer: dict[str, Any], version: str) -> DeclaredLicense:
    """Packagist: the `license` of that version; a list is a choice, says Composer's schema, and `v1.0` is `1.0`."""
    for each, stated in _versions(answer):
        if each.removeprefix("v") == version.removeprefix("v"):
            return _choice(stated if isinstance(stated, list) else [stated], NOTHING_STATED)
    return NOTHING_STATED


def _versions(answer: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Packagist's versions, each with its licence; in the short form only what differs from the version above stands."""
    minified = answer.get("minified") == _MINIFIED
    for listed in table(answer.get("packages")).values():
        stated: object = None
        for entry in map(table, rows(listed)):
            stated = entry.get("license", stated if minified else None)
            stated = None if stated == _UNSET else stated
            version = entry.get("version")
            if isinstance(version, str):
                yield version, stated
