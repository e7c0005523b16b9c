"""Libraries of C and C++ by the names under which builds know them: whose they are, and their licence as a distribution states it.

The table is audit/data/native-libraries.json, made of Debian's packages: each library by the names for the linker (`-lX`), its
pkg-config modules and the headers that are included. It has a library's licence as it is linked, not that of its tools and tests.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Unpack

from audit import usage
from audit.ecosystems.parsed_file import PackageDetails, dependency_at
from audit.ecosystems.purls import purl
from audit.facts import Dependency, Learned, Place, Source, Usage
from audit.licenses.spdx import data_file

_VERSIONED: Final = re.compile(
    # Versions and variants are in the name: `-lpython3.11`, `-lboost_thread-mt`.
    r"(perl|python|ruby|tcl|tk|lua|tclstub)[0-9][0-9.]{0,8}[dmt]{0,2}|([A-Za-z0-9_+.-]{1,80}?)(?:-([0-9][0-9.]{0,10}))?(?:-mt)?"
)
_MAJOR: Final = re.compile(r"\D{0,3}?(\d{1,9})")
_COMMIT: Final = re.compile(r"[0-9a-f]{7,64}")
_PUNCTUATION: Final = str.maketrans("", "", "-_. ")


@dataclass(frozen=True, slots=True)
class KnownLibrary:
    """A library of the table: its `name`, its `license` (empty: several, or none that an id says), and its `source`.

    `source` is in words, for people ("Debian 12.11, readline 8.2-1.3"). `header_only` says that there is nothing to link.
    """

    name: str
    license: str
    source: str
    header_only: bool = False


def by_link_name(name: str) -> KnownLibrary | None:
    """The library that `-lNAME` links; None for one that the table does not have."""
    links = table()["links"]
    versioned = _VERSIONED.fullmatch(name)
    if name in links or versioned is None:
        return links.get(name)
    if versioned[2] == "db" and not (versioned[3] or "4").startswith(("4", "5")):
        return None  # Berkeley DB is under another licence from 6 on.
    return links.get(versioned[1] or versioned[2])


def by_pkg_config(module: str) -> KnownLibrary | None:
    """The library of a pkg-config module (`glib-2.0`); None for one that the table does not have."""
    return table()["modules"].get(module)


def by_header(header: str) -> KnownLibrary | None:
    """The library whose header is included so (`readline/readline.h`), by its file or its own folder; None: unknown."""
    headers = table()["headers"]
    found = headers.get(header)
    folder = header
    while found is None and "/" in folder:
        folder = folder.rpartition("/")[0]  # The nearest folder decides.
        found = headers.get(f"{folder}/")
    return found


def by_name(name: str) -> KnownLibrary | None:
    """The library that people, CMake's find modules and wraps call so (`OpenSSL`, `libxml2`), in any case."""
    names = table()["names"]
    language = _VERSIONED.fullmatch(name.lower())
    return names.get(_plain(name)) or (names.get(language[1]) if language and language[1] else None)


def linked_as(name: str) -> KnownLibrary | None:
    """The library that `-lNAME` links, else the one that is called so."""
    return by_link_name(name) or by_name(name)


def by_module(name: str) -> KnownLibrary | None:
    """The library of a pkg-config module, else the one that is called so."""
    return by_pkg_config(name) or by_name(name)


def known_at(name: str, version: str | None) -> KnownLibrary | None:
    """The library of that name, unless the version is of an earlier major number than that of the table's licence."""
    known = by_name(name)
    asked, stated = _major(version), _major(known.source.rpartition(" ")[2]) if known else None
    # OpenSSL 1.1 is not under OpenSSL 3's licence, nor readline 5 under readline 8's.
    return None if asked is not None and stated is not None and asked < stated else known


def _major(version: str | None) -> int | None:
    if version and _COMMIT.fullmatch(version):
        return None
    found = _MAJOR.match((version or "").rpartition(":")[2])  # Debian's epoch is before the colon.
    return int(found[1]) if found else None


def learned(known: KnownLibrary, place: Place) -> Learned:
    """The library's licence, with who states it; a library of several licences has none that could be judged."""
    said = replace(place, said=f"{known.name}: {known.source}")
    return Learned(known.license or None, Source.DISTRIBUTION if known.license else Source.UNSTATED, said)


def dependency(
    name: str, known: KnownLibrary | None, how: Usage | None, why: str, place: Place, **more: Unpack[PackageDetails]
) -> Dependency:
    """A library as a build names it, under the table's name and licence where it is known, else under its own and no licence.

    `how` is None where the build does not say how it is linked: what the table or its name tells, else it is not known.
    """
    called = known.name if known else name
    if known and "license" not in more:
        more["license"] = learned(known, place)
    url = purl("generic", called.lower())
    return dependency_at(
        place, called, None, url, usage_of(name, known, how), why, **(PackageDetails(direct=True) | more)
    )


def usage_of(name: str, known: KnownLibrary | None, how: Usage | None) -> Usage:
    """The usage of a library: test frameworks and libraries of headers alone as such, all others as the build says."""
    if known and known.header_only:
        return Usage.HEADER_ONLY
    said = usage.by_name(name)
    if said is Usage.TEST_ONLY or (said is Usage.BUILD_TOOL and how is None):
        return said
    return how or (Usage.UNKNOWN if known else said or Usage.UNKNOWN)


def _plain(name: str) -> str:
    said = name.casefold().translate(_PUNCTUATION)
    return said[3:] if said.startswith("lib") and len(said) > 5 else said  # Not of `libxy`: two letters say too little.


@cache
def table() -> Mapping[str, Mapping[str, KnownLibrary]]:
    """All that is known: by kind of name (`links`, `modules`, `headers`, `names`), from names to libraries."""
    data: dict[str, Any] = data_file("native-libraries.json")
    found: dict[str, dict[str, KnownLibrary]] = {"links": {}, "modules": {}, "headers": {}, "names": {}}
    for name, entry in data.items():
        known = KnownLibrary(name, entry.get("license", ""), entry["source"], entry.get("header_only", False))
        for kind in ("links", "modules", "headers"):
            found[kind] |= dict.fromkeys(entry.get(kind, ()), known)
        for other in (*entry.get("modules", ()), *entry.get("links", ())):
            if len(other) > 1:  # A letter without regard to case says too little: R is a library, r is anything.
                found["names"].setdefault(_plain(other), known)
    for name, entry in data.items():  # Its own name counts before what something else is linked by.
        known = KnownLibrary(name, entry.get("license", ""), entry["source"], entry.get("header_only", False))
        found["names"] |= {_plain(other): known for other in (name, *entry.get("names", ()))}
    return found
