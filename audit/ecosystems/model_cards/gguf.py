"""The header of a GGUF file: keys and values before the weights, `general.license` among them (github.com/ggml-org/ggml, docs/gguf.md)."""

import struct
from typing import Final

from audit.ecosystems.model_cards.card_statement import NOTHING, CardStatement, NamedSource, sources, stated
from audit.facts import Place

MAGIC: Final = b"GGUF"
HEADER_BYTES: Final = 65_536  # Writers put the general keys first, before the vocabulary.
MAX_FILES: Final = 100  # Of one repository: a model is quantised into some twenty.
_MAX_KEYS: Final = 500
_MAX_STRING_BYTES: Final = 4_096
_MAX_DEPTH: Final = 10  # Of arrays within arrays, which the format allows and no writer is known to make.
_STRING_TYPE: Final = 8
_ARRAY_TYPE: Final = 9
_SIZES: Final = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # Bytes of a value by type.


class _End(Exception):
    """The header goes on beyond the bytes that were read, or is none."""


class _Header:
    """A header and how far it was read."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 4  # Behind the magic.

    def number(self, kind: str) -> int:
        """The next number, in the format of `struct`, little-endian."""
        value: int = struct.unpack(f"<{kind}", self.bytes(struct.calcsize(f"<{kind}")))[0]
        return value

    def bytes(self, size: int) -> bytes:
        """The next `size` bytes. Raises _End if the header has not so many."""
        found = self._data[self._at : self._at + size]
        if len(found) < size:
            raise _End
        self._at += size
        return found

    def string(self) -> str:
        """A string; empty for one that is longer than names and addresses are."""
        # A length has 64 bits and may be a lie: only as much is taken as was read.
        data = self.bytes(self.number("Q"))
        return data.decode("utf-8", "replace") if len(data) <= _MAX_STRING_BYTES else ""

    def value(self) -> str:
        """A value that is a string; any other one is passed over."""
        kind = self.number("I")
        if kind == _STRING_TYPE:
            return self.string()
        self._pass_over(kind, 0)
        return ""

    def _pass_over(self, kind: int, depth: int) -> None:
        if kind in _SIZES:
            self.bytes(_SIZES[kind])
        elif kind == _STRING_TYPE:
            self.bytes(self.number("Q"))
        elif kind == _ARRAY_TYPE and depth < _MAX_DEPTH:
            inner, count = self.number("I"), self.number("Q")
            if inner in _SIZES:
                self.bytes(_SIZES[inner] * count)
            else:  # Each string or array takes bytes, so the end of what was read ends any count.
                for _ in range(count):
                    self._pass_over(inner, depth + 1)
        else:
            raise _End


def read(path: str, data: bytes) -> CardStatement:
    """The statements in the first bytes of a file; nothing for GGUF before version 2, and other files."""
    if not data.startswith(MAGIC):
        return NOTHING
    found = _general(_Header(data))
    names = [
        value for key, value in found.items() if key.startswith("general.base_model.") and key.endswith(".repo_url")
    ]
    place = Place(path)
    bases: tuple[NamedSource, ...] = sources(names, place)
    named = found.get("general.license.name", ""), found.get("general.license.link", "")
    return CardStatement(license=stated(place, found.get("general.license"), *named), base_models=bases, is_model=True)


def _general(header: _Header) -> dict[str, str]:
    """The general keys whose values are strings, as far as the header was read."""
    found: dict[str, str] = {}
    try:
        if header.number("I") < 2:  # Version 1 had lengths of 32 bits.
            return found
        header.number("Q")  # The number of tensors.
        for _ in range(min(header.number("Q"), _MAX_KEYS)):
            key, value = header.string(), header.value()
            if key.startswith("general.") and value:
                found[key] = value
    except _End:
        pass  # What is read here stands at the beginning, as a rule.
    return found
