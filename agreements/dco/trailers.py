"""The lines of a commit message that mean something: sign-offs, co-authors, remediations; one pass, no backtracking."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from agreements.dco.alphanumeric import is_alphanumeric
from agreements.facts import Coauthor, Identity
from agreements.github_server import GITHUB_COM, GitHubServer

_SIGNED = "signed-off-by: "
_IN_SIGNED = "igned-off-by"  # The first letter may be a long s, which `casefold` makes one.
_IN_COAUTHORED = "author"
_INDIVIDUAL = "i, "
_BEHALF = "on behalf of "
_HEREBY = ">, hereby add my signed-off-by to this commit: "
_IN_REMEDIATION = "hereby add my "  # The fixed words without an s: a long s would hide from `lower`.
_FOR = ">, i, "
WHITE_SPACE = "\t\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
# Case folding makes an s of a long s.
_LOWER = {**{upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}, ord("ſ"): ord("s")}
_AROUND = WHITE_SPACE + ",;&"  # Marks around a name in a list.


@dataclass(frozen=True, slots=True)
class Remediation:
    """A later sign-off `by` a person for the earlier commit `sha`; `behalf` is the person it is given for, None for oneself."""

    sha: str
    by: Identity
    behalf: Identity | None = None


def signoffs(message: str, *, folded: bool = False) -> tuple[Identity, ...]:
    r"""The people who signed off: every well-formed line, anywhere in the message, each once; untrimmed.

    Lines end at LF alone and begin unindented with `Signed-off-by: ` in any case; trailing Unicode white space is
    dropped; the address stands between the last ` <` and the final `>`. Source: the rules of cncf/dco2.
    `folded`: a line counts as well with the indented lines below it, as git reads its trailers.

    >>> [one.email for one in signoffs("Fix it\n\nSigned-off-by: Ada <ada@example.org>\nsigned-off-by: Bo <bo@example.org>")]
    ['ada@example.org', 'bo@example.org']
    >>> signoffs("Signed-off-by:Ada <ada@example.org>")  # a space is missing
    ()
    """
    lines = _lines_with(_IN_SIGNED, message)
    if folded and lines and ("\n " in message or "\n\t" in message):
        lines += _lines_with(_IN_SIGNED, _unfolded(message))
    return tuple(dict.fromkeys(found for line in lines if (found := _signed(line)) is not None))


def _unfolded(message: str) -> str:
    folds: list[list[str]] = []
    for line in message.split("\n"):  # Git joins an indented line to the one above (RFC 822 folding).
        text = line.strip(WHITE_SPACE)
        if text and line[0] in " \t" and folds:
            folds[-1].append(text)
        else:
            folds.append([line.rstrip(WHITE_SPACE)])
    return "\n".join(map(" ".join, folds))


def _lines_with(word: str, message: str) -> list[str]:
    if word not in message.lower():  # `lower` is one pass in C: a message without the word costs next to nothing.
        return []
    return [line for line in dict.fromkeys(message.split("\n")) if word in line.lower()]


def _signed(line: str) -> Identity | None:
    if line[:15].casefold() != _SIGNED:  # 15: the length of the fixed words
        return None
    line = line.rstrip(WHITE_SPACE)
    return _pair(line[15:-1]) if line[-1] == ">" else None


def _pair(text: str) -> Identity | None:
    name, bracket, email = text.rpartition(" <")
    return Identity(name, email) if bracket else None


def coauthors(message: str) -> tuple[Coauthor, ...]:
    """The people of all `Co-authored-by` lines, however they are spelled or folded; each once, without accounts."""
    if _IN_COAUTHORED not in message.lower():
        return ()
    found: dict[tuple[str, str], None] = {}
    ended = message.replace("\r\n", "\n").replace("\r", "\n")
    # CR is free now: it joins a line to those indented below.
    folded = ended.replace("\n ", "\r ").replace("\n\t", "\r\t")
    for lines in _lines_with(_IN_COAUTHORED, folded):
        for value in _values(lines.split("\r")):
            for person in _people(value):
                found[person] = None
    return tuple([Coauthor(name, email) for name, email in found])


def _values(lines: list[str]) -> list[str]:
    if len(lines) == 1 and lines[0].isascii():  # The usual case.
        key, _, value = lines[0].partition(":")
        return [value] if value and _names_coauthors(key.strip()) else []
    found: list[list[str]] = []
    for line in lines:
        key, colon, value = (
            line.replace("：", ":", 1).partition(":") if _IN_COAUTHORED in line.lower() else ("", "", "")
        )
        if colon and _names_coauthors(key.strip()):
            found.append([value])
        elif found and not line.isspace():
            found[-1].append(line)
    return [" ".join(parts) for parts in found]


@lru_cache(maxsize=1024)
def _names_coauthors(key: str) -> bool:
    # Nothing but the letters counts: hyphens, marks and spaces are typed in every way. 40 bounds the work.
    return len(key) < 40 and "".join(char for char in key.casefold() if char.isalnum()) == "coauthoredby"


def _people(value: str) -> list[tuple[str, str]]:
    """`A <a@x>, B <b@y>` as two names and addresses."""
    if value.count("<") == 1:  # The usual line.
        before, _, after = value.partition("<")
        return [(before.rpartition(">")[2].strip(_AROUND), after.partition(">")[0].strip())]
    people = [
        (before.rpartition(">")[2].strip(_AROUND), after.partition(">")[0].strip())
        for before, after in dict.fromkeys(pairwise(value.split("<")))
    ]
    if not people and "@" in value:  # Without brackets the first word with an `@` is the address.
        words = value.split()
        address = next(word for word in words if "@" in word)
        words.remove(address)
        people.append((" ".join(words), address.strip(",;()<>")))
    return people


def remediations(message: str) -> tuple[Remediation, ...]:
    """Every remediation line; the SHA is everything after the fixed words, untrimmed. Source: cncf/dco2's rules."""
    found = []
    for line in _lines_with(_IN_REMEDIATION, message):
        lower = line.lower() if line.isascii() else line.translate(_LOWER)
        if lower.startswith(_BEHALF):
            found.append(_third_party(line, lower))
        elif lower.startswith(_INDIVIDUAL):
            before = len(lower.rpartition(_HEREBY)[0])
            by = _pair(line[len(_INDIVIDUAL) : before])
            found.append(None if by is None else Remediation(line[before + len(_HEREBY) :], by))
    return tuple(remediation for remediation in found if remediation is not None)


def _third_party(line: str, lower: str) -> Remediation | None:
    # As dco2 does: the last of the fixed words, of the brackets before, of the words before those.
    both = lower.rpartition(_HEREBY)[0]
    name = both.rpartition(" <")[0]
    first = len(name.rpartition(_FOR)[0])
    behalf = _pair(line[len(_BEHALF) : first])
    by = Identity(line[first + len(_FOR) : len(name)], line[len(name) + 2 : len(both)])
    return None if behalf is None else Remediation(line[len(both) + len(_HEREBY) :], by, behalf)


_ATOM: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~")
_MAX_LOCAL_OCTETS: Final = 64  # RFC 5321, 4.5.3.1.1.
_MAX_DOMAIN_OCTETS: Final = 254  # As dco2 has it.
_MAX_LABEL_OCTETS: Final = 63  # RFC 1035, 2.3.4.


class _Letters(NamedTuple):
    """The characters beyond ASCII that may stand in an atom (`atom`), in a quoted string (`quoted`), in a `[literal]` (`literal`)."""

    atom: Callable[[str], bool]
    quoted: Callable[[str], bool]
    literal: Callable[[str], bool]


@lru_cache(maxsize=65536)
def well_formed(address: str, server: GitHubServer) -> bool:
    """True for a bot's noreply address, and for `local@domain` with a local part of 1 to 64 octets.

    The local part is dot-separated atoms (non-ASCII allowed) or a quoted string, the domain a `[literal]` or
    dot-separated labels of atom characters; one label is enough.
    """
    return address.endswith(server.bot_suffixes) or _mailbox(address, _ANY)


@lru_cache(maxsize=65536)
def well_formed_in_dco2(address: str) -> bool:
    """Whether dco2 takes the address for well-formed.

    Beyond ASCII only letters and digits count, in atoms alone. A label begins and ends with one and has at most 63
    octets, a domain at most 254. A name may stand before the address in brackets.
    """
    if address.endswith(GITHUB_COM.bot_suffixes):
        return True
    if " <" in address:
        address = address.rpartition(" <")[2].strip(WHITE_SPACE + "\n")
        if not address.endswith(">"):
            return False
        address = address[:-1]
    domain = address.rpartition("@")[2]
    if not _mailbox(address, _DCO2) or _octets(domain) > _MAX_DOMAIN_OCTETS:
        return False
    return domain[0] == "[" or all(_is_label(label) for label in domain.split("."))


def _is_label(text: str) -> bool:
    return is_alphanumeric(text[0]) and is_alphanumeric(text[-1]) and _octets(text) <= _MAX_LABEL_OCTETS


def _any(char: str) -> bool:
    return ord(char) > 127


def _none(_char: str) -> bool:
    return False


def _stray(char: str) -> bool:
    # The crate looks for the octets of UTF-8 in the number of the character itself: true for some Hangul alone.
    return 0xC2 <= ord(char) >> 8 <= 0xDF and 0x80 <= ord(char) & 0xFF <= 0xBF


def _letter(char: str) -> bool:
    return is_alphanumeric(char) or _stray(char)


_ANY: Final = _Letters(_any, _any, _none)
_DCO2: Final = _Letters(_letter, _stray, _stray)


def _mailbox(address: str, letters: _Letters) -> bool:
    local, at, domain = address.rpartition("@")
    if not at or not 0 < _octets(local) <= _MAX_LOCAL_OCTETS:
        return False
    return (_dotted(local, letters.atom) or _quoted(local, letters.quoted)) and (
        _dotted(domain, letters.atom) or _literal(domain, letters.literal)
    )


def _octets(text: str) -> int:
    return len(text.encode(errors="replace"))  # A lone surrogate has no UTF-8.


def _dotted(text: str, beyond: Callable[[str], bool]) -> bool:
    return all(part and all(char in _ATOM or beyond(char) for char in part) for part in text.split("."))


def _quoted(text: str, beyond: Callable[[str], bool]) -> bool:
    """Whether the text is a quoted string that is not empty."""
    if len(text) < 3 or text[0] != '"' or text[-1] != '"':
        return False
    escaped = False
    for char in text[1:-1]:
        # A backslash makes the next character plain; none is a control character (RFC 5321, 4.1.2).
        plain = "!" <= char <= "~"
        if escaped and not plain:
            return False
        if not escaped and (char == '"' or not (plain or char in " \t" or beyond(char))):
            return False
        escaped = char == "\\" and not escaped
    return not escaped


def _literal(text: str, beyond: Callable[[str], bool]) -> bool:
    """Whether the text is an address in brackets, which may be empty; its content is not looked at further."""
    inside = text[1:-1]
    return (
        text[:1] == "["
        and text[-1:] == "]"
        and all(("!" <= char <= "~" and char not in "[]\\") or beyond(char) for char in inside)
    )
