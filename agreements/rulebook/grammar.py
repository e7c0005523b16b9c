"""Walks plain data by its keys and collects every mistake with the path to it, instead of stopping at the first."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from itertools import islice
from typing import TypeVar

from agreements.domains.masking import masked_text
from agreements.moments import moment_or_day

Path = tuple[str | int, ...]
Mistake = tuple[Path, str, str]
_T = TypeVar("_T", bound=str)
_MAX_TEXT_CHARACTERS = 1000
_MAX_KEY_CHARACTERS = 60
_MAX_MISTAKES = 1000  # To guess what a million unknown keys may have meant takes minutes.
"""The most mistakes noted in one place."""
_JOINERS = re.compile(
    r"(?<=[^\x00-\x7f\u200c\u200d])[\u200c\u200d]"
)  # Part of names in Persian and in scripts of India.
_MAX_ID = 2**63 - 1  # GitHub's ids have 64 bits, and so have both databases' numbers.


class Node:
    """A value at its key path; asking for the wrong thing notes a mistake and gives the default."""

    __slots__ = ("mistakes", "path", "value")

    def __init__(self, value: object, path: Path = (), mistakes: list[Mistake] | None = None) -> None:
        self.value = value
        self.path = path
        self.mistakes: list[Mistake] = [] if mistakes is None else mistakes

    def wrong(self, message: str, hint: str = "") -> None:
        """Note a mistake here."""
        self.mistakes.append((self.path, message, hint))

    def section(self, *keys: str, renamed: Mapping[str, str] | None = None) -> "Section":
        """This value as a mapping with these keys; `renamed` maps what people write elsewhere to the key here."""
        if not isinstance(self.value, Mapping):
            self.wrong(f"must be a mapping, not {kind(self.value)}")
            return Section({}, self.path, self.mistakes)
        for key in islice((key for key in self.value if key not in keys), _MAX_MISTAKES):
            self._unknown(key, keys, renamed or {})
        return Section({k: v for k, v in self.value.items() if k in keys}, self.path, self.mistakes)

    def _unknown(self, key: object, keys: Sequence[str], renamed: Mapping[str, str]) -> None:
        whole = str(key)  # Cut before it is masked, an address would leave its local part.
        name = (
            whole[:_MAX_KEY_CHARACTERS]
            if "@" not in whole[_MAX_KEY_CHARACTERS:]
            else masked_text(whole)[:_MAX_KEY_CHARACTERS]
        )
        # A control character could break the line of the message.
        name = "".join(char if char.isprintable() else "?" for char in name)
        known = renamed.get(name) or next(iter(get_close_matches(name, keys, n=1, cutoff=0.6)), None)
        hint = f"did you mean {known}?" if known else f"known here: {', '.join(sorted(keys))}"
        self.mistakes.append(((*self.path, name), "unknown key", hint))

    def items(self) -> Iterator["Node"]:
        """The items of a list; after too many mistakes no more of them."""
        if not isinstance(self.value, Sequence) or isinstance(self.value, str | bytes):
            self.wrong(f"must be a list, not {kind(self.value)}", "write it in brackets: [a, b]")
            return
        for index, value in enumerate(self.value):
            if len(self.mistakes) >= _MAX_MISTAKES:  # A repository's own file is read, too, and may be of any length.
                return
            yield Node(value, (*self.path, index), self.mistakes)

    def text(self) -> str:
        """A text with something in it, on one line."""
        if not isinstance(self.value, str):
            hint = "write it in quotes" if _is_number(self.value) else ""  # Not its value: 2.10 came here as 2.1.
            self.wrong(f"must be a text, not {kind(self.value)}", hint)
        elif not self.value.strip():
            self.wrong("must not be empty")
        elif len(self.value) > _MAX_TEXT_CHARACTERS:
            self.wrong(f"has more than {_MAX_TEXT_CHARACTERS} characters")
        elif not self.value.isprintable():
            self._wrong_character(next(char for char in self.value if not char.isprintable()))
        else:
            return str(self.value)
        return ""

    def _wrong_character(self, char: str) -> None:
        if char in "\n\r":
            self.wrong("must be one line of text")
        else:  # Copied from a page, or typed in Chinese: the line looks right, so the character is named.
            self.wrong(f"contains U+{ord(char):04X}, which cannot be used here", "use a plain space or remove it")

    def folded_text(self) -> str:
        """As `text`, for a name that is compared with its white space folded: line ends and wide spaces are spaces, too.

        Joiners may stand after letters of the scripts that write with them.
        """
        if not isinstance(self.value, str) or self.value.isprintable():
            return self.text()  # Unchanged: agreements were shown with this name.
        folded = " ".join(self.value.split())
        rest = Node(_JOINERS.sub("", folded), self.path, self.mistakes)
        return folded if rest.text() else ""

    def choice(self, options: Sequence[_T]) -> _T | None:
        """One of the options, or None with a mistake."""
        for option in options:
            if isinstance(self.value, str) and self.value == option:
                return option
        text = self.value[:60].lower() if isinstance(self.value, str) else ""
        near = get_close_matches(text, options, n=1, cutoff=0.6)
        hint = f"did you mean {near[0]}?" if near else ""
        self.wrong(f"must be one of {', '.join(options)}", hint)
        return None

    def flag(self) -> bool:
        """True or false."""
        # YAML 1.1 reads `yes` as true, other readers as text: only a boolean will do.
        if not isinstance(self.value, bool):
            self.wrong(f"must be true or false, not {kind(self.value)}")
        return self.value is True

    def number(self) -> int | None:
        """A GitHub id: a whole number above zero that fits in 64 bits; null is None."""
        if self.value is None:
            return None
        # `True` is an int.
        if not _is_number(self.value) or not isinstance(self.value, int) or not 0 < self.value <= _MAX_ID:
            self.wrong("must be a whole number above zero")
            return None
        return int(self.value)

    def moment(self) -> datetime | None:
        """A day, or a moment with its zone; null is None."""
        if self.value is None:
            return None
        found = moment_or_day(self.value)
        if found is None:
            # Without a zone it would be another moment in each place.
            self.wrong("must be a date, or a date and time with a zone", "write 2026-01-31 or 2026-01-31T12:00:00Z")
        return found


class Section:
    """A mapping whose keys are known."""

    __slots__ = ("mistakes", "path", "values")

    def __init__(self, values: Mapping[str, object], path: Path, mistakes: list[Mistake]) -> None:
        self.values = values
        self.path = path
        self.mistakes = mistakes

    def get(self, key: str) -> Node | None:
        """The value under the key, None when the key is missing."""
        return Node(self.values[key], (*self.path, key), self.mistakes) if key in self.values else None

    def needed(self, key: str) -> Node | None:
        """As `get`, and a missing key is a mistake."""
        if key not in self.values:
            self.mistakes.append(((*self.path, key), "is missing", ""))
        return self.get(key)

    def inside(self, key: str, *keys: str) -> "Section":
        """The mapping under the key, read as `Node.section` does; an empty one when it is missing."""
        node = self.get(key)
        if node is None:
            return Section({}, (*self.path, key), self.mistakes)
        return node.section(*keys)

    def choice(self, key: str, options: Sequence[_T], default: _T) -> _T:
        """One of the options; the default when the key is missing or wrong."""
        node = self.get(key)
        return default if node is None else node.choice(options) or default

    def text(self, key: str, default: str) -> str:
        """A text; the default when the key is missing."""
        node = self.get(key)
        return default if node is None else node.text()

    def flag(self, key: str) -> bool:
        """True or false; false when the key is missing."""
        node = self.get(key)
        return False if node is None else node.flag()

    def items(self, key: str) -> Iterator[Node]:
        """The items of the list under the key; none when it is missing."""
        node = self.get(key)
        return iter(()) if node is None else node.items()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def kind(value: object) -> str:
    """The kind of a value, in words for people."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true or false"
    if _is_number(value):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, Sequence) else f"a {type(value).__name__}"
