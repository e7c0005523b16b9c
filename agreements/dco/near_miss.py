"""Lines that mean to be a sign-off and are none: the spellings that people type, and the mistake in each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agreements.dco.trailers import signoffs

_KEY = "signedoffby"
_NEAR_KEYS = frozenset({"signoffby", "signedoff", "signoff", "signedby", "signby", "signedofby", "signoffedby"})
_MAX_KEY_CHARACTERS = 60  # Characters before the colon, list marks and prefixes such as `ONE-DCO-1.0-` included.
_MARKS = " \t*_`~>#|/+-\"'.0123456789()[]"  # Marks that mark-up, lists and quotations put around the words.

Why = Literal["no-space", "after-address", "shape", "spelling", "prefix", "no-colon", "wrapped", "address"]


@dataclass(frozen=True, slots=True)
class Malformed:
    """A `line` that means to be a sign-off and is none, and `why`; of one that is split, both halves."""

    line: str
    why: Why


def malformed(message: str) -> Malformed | None:
    """The first line that means to be a sign-off but is none."""
    if not _may_sign(message):
        return None
    lines = message.split("\n")
    for place, line in enumerate(lines):
        if _may_sign(line) and not signoffs(line):
            found = _near(line, lines[place + 1] if place + 1 < len(lines) else "")
            if found is not None:
                return found
    return None


def _may_sign(text: str) -> bool:
    lower = text.lower()  # Some letters may be exchanged; most texts hold neither, and cost no more than this.
    return "ign" in lower or "sing" in lower


def meant_address(text: str) -> str:
    """The address in the other ways in which people write it: `<a@x>`, `mailto:a@x`, `a at x`, `a(at)x`, `a [at] x`."""
    plain = text.strip(" <>").removeprefix("mailto:")
    for other in (" at ", "(at)", "[at]", " AT ", " @ ", "＠"):
        plain = plain.replace(other, "@")
    return "".join(plain.split())


def _near(line: str, following: str) -> Malformed | None:
    start, text = _without_escapes(line)
    for key, colon, value in _parts(text):
        letters = "".join(char for char in key.casefold() if char.isalpha())
        exact = key.strip(_MARKS).casefold() == "signed-off-by"
        is_prefixed = letters.endswith(_KEY) and not any(char.isspace() for char in key.strip(_MARKS))
        if not (exact or letters == _KEY or letters in _NEAR_KEYS or is_prefixed or _is_typo(letters)):
            continue
        # Prose is no sign-off: other words need an address behind them.
        if not _has_address(value) and not (exact and colon):
            continue
        return _told(line, following, (key, colon, value), is_moved=bool(start))
    return None


def _without_escapes(line: str) -> tuple[str, str]:
    # In a shell, `git commit -m "a\nb"` makes no line break: a backslash and an n stay.
    before, escape, text = line.rpartition("\\n")
    return (before + escape, text) if escape and "ign" in text.lower() else ("", line)


def _parts(text: str) -> Iterator[tuple[str, str, str]]:
    """The words of a trailer, its colon and what follows; for words without a colon, the first that can be them."""
    head = text[:_MAX_KEY_CHARACTERS].replace("：", ":")  # A Chinese keyboard writes a wide colon.
    key, colon, _ = head.partition(":")
    if colon:
        yield key, ":", text[len(key) + 1 :]
    letters = 0  # Without a colon: the first words that can be them.
    for place, char in enumerate(head):
        letters += char.isalpha()
        if letters == len(_KEY):
            yield text[: place + 1], "", text[place + 1 :]
            return


def _is_typo(letters: str) -> bool:
    """Whether the letters are those of the words, but for one that is missing, added or another, or two exchanged."""
    if abs(len(letters) - len(_KEY)) > 1 or len(letters) < len(_KEY) - 1:
        return False
    same = next((place for place, pair in enumerate(zip(letters, _KEY, strict=False)) if pair[0] != pair[1]), len(_KEY))
    rest, wanted = letters[same:], _KEY[same:]
    return (
        rest[1:] in (wanted, wanted[1:]) or rest == wanted[1:] or (rest[:2] == wanted[1::-1] and rest[2:] == wanted[2:])
    )


def _has_address(value: str) -> bool:
    return "@" in value or ("<" in value and ">" in value) or "&lt;" in value


def _told(line: str, following: str, parts: tuple[str, str, str], *, is_moved: bool) -> Malformed:
    key, colon, value = parts
    if not colon:  # The first mistake alone: each correction is one step.
        return Malformed(line, "no-colon")
    if key.strip(_MARKS).casefold() != "signed-off-by":
        return Malformed(line, "spelling")
    if is_moved or key[:1] in _MARKS:
        return Malformed(line, "prefix")
    # An editor or a mail program broke the line.
    if not _has_address(value) and following.lstrip()[:1] == "<" and _has_address(following):
        return Malformed(f"{line.rstrip()} {following.strip()}", "wrapped")
    return Malformed(line, _of_value(key, value))


def _of_value(key: str, value: str) -> Why:
    if key.casefold() != "signed-off-by" or "<" not in value or "@" not in value:
        return "shape"
    if not value.startswith(" "):
        return "no-space"
    return "after-address" if ">" in value and value.rpartition(">")[2].strip() else "shape"
