"""The archives that a Python lock file lists of a package: the one of which an address and a checksum can be said."""

import re
from typing import Final

from audit.ecosystems import artifacts
from audit.ecosystems.artifacts import NOWHERE, Archive
from audit.facts import Checksum

_PAIR: Final = re.compile(
    r"(?:^|[{,\s])(url|file|name|path|hash|sha256|sha384|sha512)[ \t]*+=[ \t]*+(?:\"([^\"\\\n]*+)\"|'([^'\n]*+)')"
)
_ANY: Final = ("-none-any.whl",)
_SOURCE: Final = (".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz")


def chosen(section: str, download: str | None = None) -> Archive:
    """Of all archives that an entry of a lock file lists: the only one, else the wheel for every system, else the sources.

    Which wheel of several is installed depends on the machine, so nothing is said of them. `download`: where a package
    comes from that is no archive.
    """
    if download:
        return {"download": download, "checksums": ()}
    listed = _listed(section)
    groups = (listed, _ending(listed, _ANY), _ending(listed, _SOURCE))
    one = next((group[0] for group in groups if len(group) == 1), None)
    return {"download": artifacts.address(one[0]), "checksums": one[1]} if one else NOWHERE


def _ending(
    listed: list[tuple[str, tuple[Checksum, ...]]], ends: tuple[str, ...]
) -> list[tuple[str, tuple[Checksum, ...]]]:
    return [one for one in listed if one[0].partition("#")[0].partition("?")[0].endswith(ends)]


def _listed(section: str) -> list[tuple[str, tuple[Checksum, ...]]]:
    """Address or name, and checksums, of each archive that has a checksum."""
    found: list[tuple[str, tuple[Checksum, ...]]] = []
    for pair in _PAIR.finditer(section):
        key, value = pair[1], pair[2] or pair[3] or ""
        if key in {"url", "file", "path", "name"}:
            if key == "url" and found and not found[-1][1] and found[-1][0].endswith(value.rpartition("/")[2]):
                found.pop()  # PEP 751 writes an archive's name before its address
            found.append((value, ()))
        elif found:
            said = artifacts.prefixed(value) if key == "hash" else artifacts.checksum(key, value)
            found[-1] = (found[-1][0], (*found[-1][1], *said))
    return [one for one in found if one[1]]
