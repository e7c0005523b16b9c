"""JSON as it is written to files: an entry a line, so that it is small, quick and good to read in a diff."""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final

_LONG: Final = ("cells", "results")  # Lists in an entry that are long.
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
# Characters that steer a terminal or the direction of writing show something else than what is there.
_UNSEEN: Final = re.compile("[\\x80-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]")


def line(value: object) -> str:
    """A value on one line; what steers a terminal or the direction of writing is written as its escape."""
    said = _encode(value)
    return said if said.isascii() else _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", said)


def digest(text: str) -> str:
    """SHA-256 in hexadecimal of any text, also of one that no encoding can write."""
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def written(document: Mapping[str, object]) -> str:
    """The document, keys in the order given; the items of its lists stand on a line each.

    Half a letter (a lone surrogate, which only JSON can hold) is written as its escape, so all of it is valid UTF-8.
    """
    return closed(members(document))


def members(document: Mapping[str, object]) -> str:
    """The members of a document alone: its content is written once, though a number that follows from it stands before it."""
    return ",\n".join(_member(name, value) for name, value in document.items())


def closed(*parts: str) -> str:
    """The document that these members make."""
    whole = "{\n" + ",\n".join(parts) + "\n}\n"
    return whole.encode("utf-8", "backslashreplace").decode()  # Half of a surrogate pair becomes its escape.


def _member(name: str, value: object) -> str:
    if isinstance(value, list | tuple) and value:
        return f"{line(name)}: [\n" + ",\n".join(_items(value)) + "\n]"
    return f"{line(name)}: {line(value)}"


def _items(values: list[object] | tuple[object, ...]) -> Iterator[str]:
    """An entry that holds a list called `cells` or `results` goes over several lines itself."""
    for entry in values:
        long = next((name for name in _LONG if entry.get(name)), None) if isinstance(entry, Mapping) else None
        if long and isinstance(entry, Mapping):
            rest = line({name: value for name, value in entry.items() if name != long})
            yield f"{rest[:-1]}, " + _member(long, entry[long]) + "}"
        else:
            yield line(entry)
