"""The lines of a commit message that mean something: sign-offs, co-authors, remediations; one pass, no backtracking."""

from dataclasses import dataclass
from typing import Literal

from agreements.facts import Coauthor

_SIGNED = "signed-off-by: "
_INITIALS = ("S", "s", "ſ")  # all that fold to s
_INDIVIDUAL = "i, "
_BEHALF = "on behalf of "
_HEREBY = ">, hereby add my signed-off-by to this commit: "
_FOR = ">, i, "
_SPACE = "\t\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True, slots=True)
class Signed:
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
    """Every well-formed sign-off, anywhere in the message.

    Lines end at LF alone and begin unindented with `Signed-off-by: ` in any case; trailing Unicode white space is
    dropped; the address stands between the last ` <` and the final `>`. Source: the rules of cncf/dco2.
    """
    if "off" not in message and "OFF" not in message.upper():
        return ()
    lines = [line for line in message.split("\n") if line[:1] in _INITIALS]
    return tuple([found for line in lines if (found := _signed(line)) is not None])


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
    """The first line that looks like a sign-off but is none."""
    for line in message.split("\n"):
        if line.lstrip()[:13].casefold() == "signed-off-by" and _signed(line) is None:
            return _why(line)
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
    """Everybody in a `Co-authored-by` line, however it is spelled or indented, without accounts.

    A line may name several people; one without any address names nobody that could be judged.
    """
    if "author" not in message and "author" not in message.casefold():
        return ()
    found: list[Coauthor] = []
    for line in message.split("\n"):
        key, colon, value = line.partition(":")
        if colon and len(key) < 40 and _letters(key) == "coauthoredby":
            found += _people(value)
    return tuple(found)


def _letters(key: str) -> str:
    return "".join(char for char in key.casefold() if char.isalnum())


def _people(value: str) -> list[Coauthor]:
    """`A <a@x>, B <b@y>` as two people; without brackets, the first word with an `@` is the address."""
    people = []
    while "<" in value:
        name, _, rest = value.partition("<")
        email, _, value = rest.partition(">")
        people.append(Coauthor(name.strip(_SPACE + ",;&"), email.strip()))
    if not people and "@" in value:
        words = value.split()
        address = next(word for word in words if "@" in word)
        people.append(Coauthor(" ".join(word for word in words if word is not address), address.strip(",;()")))
    return people


def remediations(message: str) -> tuple[Remediation, ...]:
    """Every remediation line; the SHA is everything after the fixed words, untrimmed. Source: cncf/dco2's rules."""
    found = []
    for line in message.split("\n"):
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
