"""The licence that a registry's answer states: the text of a stranger, read within bounds, or nothing."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from audit.facts import Learned, Place, Source, Unknown
from audit.licenses.declared_license import NOTHING_STATED, UNREADABLE, DeclaredLicense

MAX_ANSWER_BYTES: Final = 8_000_000  # The longest honest ones, with a hundred files of a release, have a tenth of it.

MAX_LIST_BYTES: Final = 32_000_000  # npm's answer about all versions of `next` has 21,000,000 (November 2026).


class GarbledAnswer(Exception):
    """An answer that is not what the registry's interface promises, and why."""


RANGE_SEPARATOR: Final = " "  # Between a package URL and a range: the URL holds none.
AT_ONCE: Final = datetime.min.replace(tzinfo=UTC)  # The question is asked again at once.
# Private, withdrawn, or never there.
MISSING: Final = DeclaredLicense(None, "knows no such package, or not this version")
NO_VERSION_FITS: Final = DeclaredLicense(None, "lists no version that fits")  # Though it knows the package.
NO_METADATA: Final = DeclaredLicense(None, "hands out no metadata of it")  # It may have only source archives.
# 401 or 403, from a registry that answers others.
REFUSED: Final = DeclaredLicense(None, "refuses to say anything of it")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer about one package: the licence `stated`, with `source` and `address`, or why there was none (`failed`).

    One that was REFUSED has `failed` until it is known whether its registry answers for other packages. `until` is the
    moment from which the question is asked again; what was asked only just now has none yet.
    """

    stated: DeclaredLicense = NOTHING_STATED
    source: Source = Source.UNSTATED
    address: str = ""
    failed: str = ""
    # Answers that say the same are equal, though each has its own time.
    until: datetime = field(default=AT_ONCE, compare=False)

    @property
    def learned(self) -> Learned:
        """The same as a licence that was learned, or why none was."""
        if self.stated.expression is not None:
            return Learned(self.stated.expression, self.source, Place(self.address, None, self.stated.note))
        unknown, said = self._unknown()
        return Learned(None, Source.UNSTATED, Place(self.address or "registries", None, said), unknown)

    @property
    def is_known_package(self) -> bool:
        """Whether the registry that was asked has this version of the package, with or without a licence."""
        return bool(self.address) and not self.failed and self.stated not in (MISSING, REFUSED)

    @property
    def weight(self) -> int:
        """An answer's weight without a licence; the heaviest says why: a failure, then one about a known package."""
        if self.failed and self.stated != REFUSED:
            return 4
        if not self.address:
            return 0
        return {MISSING.note: 1, REFUSED.note: 1, UNREADABLE: 3}.get(self.stated.note, 2)

    def _unknown(self) -> tuple[Unknown, str]:
        host = self.address.partition("://")[2].partition("/")[0].rpartition("@")[2]  # The address may have a password.
        if self.failed:
            return Unknown.UNREACHABLE, self.failed
        if not self.address:
            return Unknown.OFFLINE, "the settings let none of its registries be asked"
        if self.stated == NO_VERSION_FITS:
            return Unknown.NOT_PINNED, f"{host} {self.stated.note} the range"
        if self.stated in (MISSING, REFUSED, NO_METADATA):
            why = Unknown.UNREADABLE if self.stated == NO_METADATA else Unknown.PRIVATE
            return why, f"{host} {self.stated.note}"
        if self.stated.note == UNREADABLE:
            return Unknown.UNREADABLE, f"{host} states it"
        return Unknown.NOT_STATED, f"{host} knows it and names none"


def parsed(data: bytes, most: int = MAX_ANSWER_BYTES) -> dict[str, Any]:
    """The JSON object that an answer of `most` bytes is. Raises GarbledAnswer."""
    if len(data) > most:
        raise GarbledAnswer(f"more than {most:,} bytes")
    try:
        found = json.loads(data)
    except RecursionError:
        raise GarbledAnswer("nested too deeply") from None
    except ValueError:  # No JSON, no UTF-8, a number of very many digits.
        raise GarbledAnswer("no JSON") from None
    if not isinstance(found, dict):
        raise GarbledAnswer("no object")
    return found
