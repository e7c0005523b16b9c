"""The archives that a Python lock file lists of a package: the one of which an address and a checksum can be said."""

import re
from typing import Final

from audit.ecosystems import artifacts
from audit.ecosystems.parsed_file import PackageDetails

_PAIR: Final = re.compile(
    r"(url|file|name|path|hash|sha(?:256|384|512))[ \t]*+=[ \t]*+(?:\"([^\"\\\n]*+)\"|'([^'\n]*+)')"
)
_MAX_CHECKSUMS: Final = 8
"""Digests that are kept of one archive."""
_BEFORE: Final = frozenset("{, \t\n")
"""What stands before a key."""
_Listed = tuple[str, list[tuple[str, str]]]
_ANY: Final = ("-none-any.whl",)
_SOURCE: Final = (".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz")


def chosen(section: str) -> PackageDetails:
    """Of all archives that an entry of a lock file lists: the only one, else the wheel for every system, else the sources.

    Which wheel of several is installed depends on the machine, so nothing is said of them.
    """
    listed = _listed(section)
    groups = (listed, _ending(listed, _ANY), _ending(listed, _SOURCE))
    one = next((group[0] for group in groups if len(group) == 1), None)
    if one is None:
        return {}
    said = (artifacts.prefixed(each) if key == "hash" else artifacts.checksum(key, each) for key, each in one[1])
    sums = tuple(dict.fromkeys(each for found in said for each in found))
    return {"download": artifacts.address(one[0]), "checksums": sums} if sums else {}


def first_address(section: str) -> str:
    """The first address of an archive that an entry lists; empty where it lists none, but names of files."""
    return next((pair[2] or pair[3] or "" for pair in _PAIR.finditer(section) if pair[1] == "url"), "")


def _ending(listed: list[_Listed], ends: tuple[str, ...]) -> list[_Listed]:
    return [one for one in listed if one[0].partition("#")[0].partition("?")[0].endswith(ends)]


def _listed(section: str) -> list[_Listed]:
    """Address or name of each archive of which a digest is written, with the digests by the names of their algorithms."""
    found: list[_Listed] = []
    for pair in _PAIR.finditer(section):
        key, value = pair[1], pair[2] or pair[3] or ""
        if section[pair.start() - 1 : pair.start()] not in _BEFORE:
            continue
        if key in {"url", "file", "path", "name"}:
            if key == "url" and found and not found[-1][1] and found[-1][0].endswith(value.rpartition("/")[2]):
                found.pop()  # PEP 751 writes an archive's name before its address
            found.append((value, []))
        elif found and len(found[-1][1]) < _MAX_CHECKSUMS:
            found[-1][1].append((key, value))
    return [one for one in found if one[1]]
