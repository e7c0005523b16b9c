"""What a registry's answer says of a licence: the text of a stranger, read within bounds, or nothing."""

import json
from dataclasses import dataclass
from typing import Any, Final

from audit.declared_license import (
    ALL_OF_THEM,
    NO_ID,
    NO_LICENSE_NAME,
    SILENT,
    Stated,
    joined,
    known,
    one,
    together,
    words,
)
from audit.facts import Learned, Place, Source

__all__ = [
    "ALL_OF_THEM", "LARGEST", "NO_ID", "NO_LICENSE_NAME", "SILENT", "Answer", "Garbled", "Stated", "joined", "known", "one", "parsed", "rows",
    "table", "together", "words",
]  # fmt: skip

LARGEST: Final = 8_000_000
"""Bytes of an answer; the longest honest ones, with a hundred files of a release, have a tenth of it."""


class Garbled(Exception):  # noqa: N818 - reads as what happened
    """An answer that is not what the registry's interface promises, and why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking about one package: a licence; or that nobody states one; or why nobody could say (`failed`)."""

    stated: Stated = SILENT
    source: Source = Source.NOBODY
    address: str = ""
    failed: str = ""

    @property
    def learned(self) -> Learned:
        """The same as a licence that was learned."""
        if self.stated.expression is None:
            return Learned()
        return Learned(self.stated.expression, self.source, Place(self.address, None, self.stated.note))


def parsed(data: bytes) -> dict[str, Any]:
    """The JSON object that an answer is. Raises Garbled."""
    if len(data) > LARGEST:
        raise Garbled(f"more than {LARGEST:,} bytes")
    try:
        found = json.loads(data)
    except RecursionError:
        raise Garbled("nested too deeply") from None
    except ValueError:  # no JSON, no UTF-8, a number of very many digits
        raise Garbled("no JSON") from None
    if not isinstance(found, dict):
        raise Garbled("no object")
    return found


def table(value: object) -> dict[Any, Any]:
    """The object that it is, else an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[Any]:
    """The list that it is, else an empty one."""
    return value if isinstance(value, list) else []
