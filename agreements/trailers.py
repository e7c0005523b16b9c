"""The lines of a commit message that mean something: sign-offs, co-authors, remediations; one pass, no backtracking."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agreements.facts import Coauthor

_SIGNED = "signed-off-by: "
_IN_SIGNED = "igned-off-by"  # the first letter may be a long s
_IN_COAUTHORED = "author"
_INDIVIDUAL = "i, "
_BEHALF = "on behalf of "
_HEREBY = ">, hereby add my signed-off-by to this commit: "
_IN_REMEDIATION = _HEREBY[3:]
_FOR = ">, i, "
_SPACE = "\t\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_BRACKETED = re.compile(
    r"([^<]*)<([^>]*)(?:>|\Z)"
)  # linear where a bracket is ahead: neither part can hold what ends it


class Signed(NamedTuple):
    """A well-formed sign-off: name and address as they stand there, untrimmed."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that means to be a sign-off and is none, and why."""

    line: str
    why: Literal["no-space", "after-address", "shape"]


@dataclass(frozen=True, slots=True)
class Remediation:
    """Somebody's later word for an earlier commit; `behalf` is the person it is given for, None for oneself."""

    sha: str
    by: Signed
    behalf: Signed | None = None


def signoffs(message: str) -> tuple[Signed, ...]:
    """Every well-formed sign-off, anywhere in the message, each once.

    Lines end at LF alone and begin unindented with `Signed-off-by: ` in any case; trailing Unicode white space is
    dropped; the address stands between the last ` <` and the final `>`. Source: the rules of cncf/dco2.
    """
    lines = dict.fromkeys(_lines_with(_IN_SIGNED, message))
    return tuple([found for line in lines if (found := _signed(line)) is not None])


def _lines_with(word: str, message: str) -> Iterator[str]:
    """The lines that hold the lower-case ASCII word in any case; the others cost next to nothing."""
    lower = message.lower()
    if len(lower) != len(message):  # a letter such as U+0130 became two: places in one are not places in the other
        yield from (line for line in message.split("\n") if word in line.lower())
        return
    place = lower.find(word)
    while place >= 0:
        end = _place(message, "\n", place)
        yield message[message.rfind("\n", 0, place) + 1 : end]
        place = lower.find(word, end)


def _place(text: str, char: str, start: int) -> int:
    """Where the character comes next, or the end."""
    found = text.find(char, start)
    return len(text) if found < 0 else found


def _signed(line: str) -> Signed | None:
    if line[:15].casefold() != _SIGNED:
        return None
    rest = line[15:].rstrip(_SPACE)
    return _pair(rest[:-1]) if rest.endswith(">") else None


def _pair(text: str) -> Signed | None:
    """`NAME <EMAIL` cut at the last ` <`."""
    name, bracket, email = text.rpartition(" <")
    return Signed(name, email) if bracket else None


def malformed(message: str) -> Malformed | None:
    """The first line that means to be a sign-off but is none."""
    for line in dict.fromkeys(_lines_with(_IN_SIGNED, message)):
        if line.lstrip()[:13].casefold() == "signed-off-by" and _signed(line) is None and (found := _why(line)):
            return found
    return None


def _why(line: str) -> Malformed | None:
    """None for a word such as `Signed-off-by-line`, which no one meant as a sign-off."""
    rest = line.lstrip()[13:]
    value = rest.lstrip()
    if value[:1] not in (":", "："):
        return None
    value = value[1:]
    if line[:1].isspace() or rest[:1] != ":" or "<" not in value or "@" not in value:
        return Malformed(line, "shape")
    if not value.startswith(" "):
        return Malformed(line, "no-space")
    after = value.rpartition(">")[2].strip() if ">" in value else ""
    return Malformed(line, "after-address" if after else "shape")


def coauthors(message: str) -> tuple[Coauthor, ...]:
    """Everybody in a `Co-authored-by` line, however it is spelled or indented, each once, without accounts.

    A line may name several people; one without any address names nobody that could be judged.
    """
    found: dict[tuple[str, str], None] = {}
    for line in dict.fromkeys(_lines_with(_IN_COAUTHORED, message)):
        key, colon, value = line.partition(":")
        if colon and len(key) < 40 and (key.lower() == "co-authored-by" or _letters(key) == "coauthoredby"):
            found.update(dict.fromkeys(_people(value)))
    return tuple([Coauthor(name, email) for name, email in found])


def _letters(key: str) -> str:
    return "".join(char for char in key.casefold() if char.isalnum())


def _people(value: str) -> list[tuple[str, str]]:
    """`A <a@x>, B <b@y>` as two names and addresses; without brackets, the first word with an `@` is the address."""
    end = _place(value, ">", value.rfind("<")) + 1 if "<" in value else 0
    people = [
        (name.strip(_SPACE + ",;&"), email.strip()) for name, email in dict.fromkeys(_BRACKETED.findall(value, 0, end))
    ]
    if not people and "@" in value:
        words = value.split()
        address = next(word for word in words if "@" in word)
        people.append((" ".join(word for word in words if word is not address), address.strip(",;()")))
    return people


def remediations(message: str) -> tuple[Remediation, ...]:
    """Every remediation line; the SHA is everything after the fixed words, untrimmed. Source: cncf/dco2's rules."""
    found = []
    for line in dict.fromkeys(_lines_with(_IN_REMEDIATION, message)):
        start = line[:13].translate(_LOWER)
        if start == _BEHALF:
            found.append(_third_party(line, line.translate(_LOWER)))
        elif start.startswith(_INDIVIDUAL):
            found.append(_individual(line, line.translate(_LOWER)))
    return tuple(remediation for remediation in found if remediation is not None)


def _individual(line: str, lower: str) -> Remediation | None:
    end = lower.rfind(_HEREBY)
    by = _pair(line[len(_INDIVIDUAL) : end]) if end >= 0 else None
    return None if by is None else Remediation(line[end + len(_HEREBY) :], by)


def _third_party(line: str, lower: str) -> Remediation | None:
    end = lower.rfind(_HEREBY)
    bracket = lower.rfind(" <", 0, end) if end >= 0 else -1
    middle = lower.rfind(_FOR, 0, bracket) if bracket >= 0 else -1
    if middle < 0:
        return None
    behalf = _pair(line[len(_BEHALF) : middle])
    by = Signed(line[middle + len(_FOR) : bracket], line[bracket + 2 : end])
    return None if behalf is None else Remediation(line[end + len(_HEREBY) :], by, behalf)
