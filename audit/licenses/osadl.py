"""OSADL's compatibility matrix: may work under one licence take in source under another; packed small and read back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cache
from html import unescape
from typing import Any, Final

from audit.licenses.spdx import data_file

_FIRST: Final = ord("0")  # The letter of the first kind of cell.
_MAX_KINDS: Final = 20_000  # Kinds of cells, a letter each: far below the surrogates, which UTF-8 cannot hold.
_MAX_LICENSES: Final = 1_000  # OSADL's matrix has 115.
_MAX_TEXT_CHARACTERS: Final = 5_000


class OsadlAnswer(StrEnum):
    """OSADL's answers on a pair: the row is the licence of the whole, the column that of what is taken in."""

    SAME = "Same"
    YES = "Yes"
    NO = "No"
    UNKNOWN = "Unknown"
    CHECK = "Check dependency"


class MatrixInvalid(ValueError):
    """The data is no OSADL matrix; the text says why, in one clause."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """The matrix as it is looked up; it compares by identity, so that judgements can be remembered by it.

    `timestamp` is the moment of the data as OSADL writes it, `names` gives each licence's row and column. A letter in
    `rows` stands for a pair of answer and explanation in `kinds`, with `{O}` and `{I}` for the names of the two
    licences.
    """

    timestamp: str
    names: Mapping[str, int] = field(repr=False)
    rows: tuple[str, ...] = field(repr=False)
    kinds: tuple[tuple[OsadlAnswer, str], ...] = field(repr=False)

    @property
    def date(self) -> str:
        """The day of the data, `2024-11-04`: the data version of every judgement."""
        return self.timestamp[:10]

    @property
    def moment(self) -> datetime:
        """When the data was made."""
        return _moment(self.timestamp)

    def answer(self, outbound: str, inbound: str) -> OsadlAnswer | None:
        """OSADL's answer on taking `inbound` into `outbound`; None when it does not know one of the two."""
        row, column = self.names.get(outbound), self.names.get(inbound)
        return None if row is None or column is None else self.kinds[ord(self.rows[row][column]) - _FIRST][0]


@cache
def shipped() -> Matrix:
    """The matrix that comes with Countersign (audit/data/README.md says from where)."""
    return unpack(data_file("osadl-matrix.json"))


@cache
def copyleft() -> Mapping[str, str]:
    """OSADL's word on each licence's copyleft: `No`, `Yes`, `Yes (restricted)` or `Questionable`."""
    values: dict[str, str] = data_file("osadl-copyleft.json")["copyleft"]
    return values


def pack(raw: object) -> dict[str, Any]:
    """OSADL's file `matrixseqexpl.json`, parsed, as this module stores it. Raises MatrixInvalid."""
    timestamp, entries = _text(_entry(raw, "timestamp")), _list(_entry(raw, "licenses"))
    _moment(timestamp)
    if not 1 <= len(entries) <= _MAX_LICENSES:
        raise MatrixInvalid(f"it holds {len(entries)} licences, not 1 to {_MAX_LICENSES}")
    names = [_text(_entry(entry, "name")) for entry in entries]
    if len(set(names)) != len(names):
        raise MatrixInvalid("a licence stands twice in it")
    kinds: dict[tuple[str, str], int] = {}
    rows = ["".join(_letters(entry, names, kinds)) for entry in entries]
    return {"timestamp": timestamp, "licenses": names, "kinds": [list(kind) for kind in kinds], "rows": rows}


def _letters(entry: object, names: list[str], kinds: dict[tuple[str, str], int]) -> Iterator[str]:
    outbound = _text(_entry(entry, "name"))
    cells = {_text(_entry(cell, "name")): cell for cell in _list(_entry(entry, "compatibilities"))}
    # Each row answers for each licence, so that no answer is missing when it is looked up.
    if set(cells) != set(names):
        raise MatrixInvalid(f"the row of {outbound[:60]} does not name just the licences of the matrix")
    for inbound in names:
        cell = cells[inbound]
        # OSADL writes its explanations with HTML's entities.
        words = _template(unescape(_text(_entry(cell, "explanation"))), outbound, inbound)
        kind = (_answer(_entry(cell, "compatibility")).value, words)
        if len(kinds) >= _MAX_KINDS and kind not in kinds:
            raise MatrixInvalid(f"it gives more than {_MAX_KINDS} different explanations")
        yield chr(_FIRST + kinds.setdefault(kind, len(kinds)))


def _template(words: str, outbound: str, inbound: str) -> str:
    # Marks in its own words would be filled with names when it is read.
    if "{O}" in words or "{I}" in words:
        raise MatrixInvalid("an explanation holds {O} or {I}")
    # The longer name first: it may hold the shorter.
    for name, mark in sorted(((outbound, "{O}"), (inbound, "{I}")), key=lambda pair: -len(pair[0])):
        words = words.replace(name, mark)
    return words


def unpack(packed: object) -> Matrix:
    """The matrix that `pack` stored. Raises MatrixInvalid."""
    timestamp = _text(_entry(packed, "timestamp"))
    _moment(timestamp)
    names = {_text(name): index for index, name in enumerate(_list(_entry(packed, "licenses")))}
    kinds = []
    for kind in _list(_entry(packed, "kinds")):
        pair = _list(kind)
        if len(pair) != 2:
            raise MatrixInvalid("a kind is not an answer and an explanation")
        kinds.append((_answer(pair[0]), _text(pair[1])))
    rows = tuple(_text(row, len(names)) for row in _list(_entry(packed, "rows")))
    last = _FIRST + len(kinds)
    if len(rows) != len(names) or any(len(row) != len(names) for row in rows):
        raise MatrixInvalid("it is not square")
    if any(not _FIRST <= ord(letter) < last for row in rows for letter in set(row)):
        raise MatrixInvalid("a cell names a kind that is not there")
    return Matrix(timestamp, names, rows, tuple(kinds))


def _entry(value: object, key: str) -> object:
    if not isinstance(value, Mapping) or key not in value:
        raise MatrixInvalid(f"{key!r} is missing")
    return value[key]


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise MatrixInvalid(f"a list is wanted, not {type(value).__name__}")
    return value


def _text(value: object, longest: int = _MAX_TEXT_CHARACTERS) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise MatrixInvalid(f"a text of at most {longest} characters is wanted")
    return value


def _answer(value: object) -> OsadlAnswer:
    try:
        return OsadlAnswer(_text(value))
    except ValueError:
        raise MatrixInvalid(f"{str(value)[:60]!r} is no answer; known: {', '.join(OsadlAnswer)}") from None


def _moment(timestamp: str) -> datetime:
    try:
        return datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%S%z")
    except ValueError:
        raise MatrixInvalid(f"{timestamp[:60]!r} is no timestamp such as 2024-11-04T13:45:00+0000") from None
