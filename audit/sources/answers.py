"""What a registry's answer says of a licence: the text of a stranger, read within bounds, or nothing."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from audit.aliases import FAMILIES
from audit.aliases import known as ids
from audit.expression import USUAL, atoms, read
from audit.facts import Learned, Place, Source

LARGEST: Final = 8_000_000
"""Bytes of an answer; the longest honest ones, with a hundred files of a release, have a tenth of it."""
_MOST: Final = 20
"""Licences that one answer may list; more are no statement."""
NO_ID: Final = "non-standard"
"""What crates.io and deps.dev say where there is a licence, and it has no id."""
ALL_OF_THEM: Final = "lists several licences and not how they relate: all of them count"


class Garbled(Exception):  # noqa: N818 - reads as what happened
    """An answer that is not what the registry's interface promises, and why."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A licence as a registry states it (None: it states none that can be read), and what is to be said of that."""

    expression: str | None = None
    note: str = ""


SILENT: Final = Stated()
"""The registry says nothing that could be read as a licence."""


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


def words(value: object) -> str | None:
    """A licence in the words in which it is stated; None for what is no text, too long for one, or can't be read as a licence."""
    if not isinstance(value, str) or len(value) > USUAL:
        return None
    plain = " ".join(value.split())
    if plain.casefold() == NO_ID or not plain.isprintable() or not _writable(plain):
        return None
    return plain if read(plain) is not None else None


def known(value: object) -> str | None:
    """The same where only free text is asked for: every name in it must be that of a licence, or of a family of licences."""
    plain = words(value)
    found = read(plain)
    if found is None or any(atom.license not in ids() and atom.license not in FAMILIES for atom in atoms(found)):
        return None
    return plain


def one(value: object) -> Stated:
    """A licence that is stated in one piece."""
    return Stated(words(value))


def together(values: Iterable[object]) -> Stated:
    """Several licences whose relation nobody states: all count, so that nothing passes which should not."""
    found: list[str] = []
    for value in values:
        plain = words(value)
        if plain is None or len(found) >= _MOST:
            return SILENT  # one that can't be read may be the one that matters
        if plain not in found:
            found.append(plain)
    if len(found) < 2:
        return Stated(found[0]) if found else SILENT
    return Stated(joined("AND", found), ALL_OF_THEM)


def joined(operator: str, names: list[str]) -> str | None:
    """Several licences as one expression, each in SPDX's spelling: names of several words would run together."""
    spelled = [str(read(name)) for name in names]
    return words(f" {operator} ".join(f"({one})" if " " in one else one for one in spelled))


def table(value: object) -> dict[Any, Any]:
    """The object that it is, else an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[Any]:
    """The list that it is, else an empty one."""
    return value if isinstance(value, list) else []


def _writable(text: str) -> bool:
    """Whether every letter of it can be written: JSON may hold halves of letters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
