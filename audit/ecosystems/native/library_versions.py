"""Libraries of the table in a certain version: an older one may have had another licence."""

import re
from typing import Final

from audit.ecosystems.native import known_libraries
from audit.ecosystems.native.known_libraries import KnownLibrary

_MAJOR: Final = re.compile(r"\D{0,3}?(\d{1,9})")


def known_at(name: str, version: str | None) -> KnownLibrary | None:
    """The library of that name, unless the version is of an earlier major number than the one whose licence the table has.

    OpenSSL 1.1 is not under OpenSSL 3's licence, nor readline 5 under readline 8's.
    """
    known = known_libraries.by_name(name)
    asked, stated = _major(version), _major(known.source.rpartition(" ")[2]) if known else None
    return None if asked is not None and stated is not None and asked < stated else known


def _major(version: str | None) -> int | None:
    found = _MAJOR.match((version or "").rpartition(":")[2])
    return int(found[1]) if found else None
