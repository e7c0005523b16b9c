"""Whether an address is well formed: by a wide grammar of mail, and by that of cncf/dco2 to the letter.

Both admit more than mail servers do. Source of the second: the crate email_address 0.2.9, which dco2 uses.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from agreements.dco.alphanumeric import is_alphanumeric
from agreements.dco.trailers import WHITE_SPACE
from agreements.github_server import GITHUB_COM, GitHubServer

_ATOM: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~")
_MAX_LOCAL_OCTETS: Final = 64  # octets, RFC 5321 section 4.5.3.1.1
_MAX_DOMAIN_OCTETS: Final = 254  # octets
_MAX_LABEL_OCTETS: Final = 63  # octets, RFC 1035 section 2.3.4


class _Letters(NamedTuple):
    """Which characters beyond ASCII may stand in an atom, in a quoted string, in a `[literal]`."""

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
    """The same as dco2 sees it.

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
    return domain[0] == "[" or all(_is_label(one) for one in domain.split("."))


def _is_label(text: str) -> bool:
    return is_alphanumeric(text[0]) and is_alphanumeric(text[-1]) and _octets(text) <= _MAX_LABEL_OCTETS


def _any(char: str) -> bool:
    return ord(char) > 127


def _none(_char: str) -> bool:
    return False


def _stray(char: str) -> bool:
    """The crate looks for the octets of UTF-8 in the number of the character itself: true for some Hangul alone."""
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
    return len(text.encode(errors="replace"))


def _dotted(text: str, beyond: Callable[[str], bool]) -> bool:
    return all(part and all(char in _ATOM or beyond(char) for char in part) for part in text.split("."))


def _quoted(text: str, beyond: Callable[[str], bool]) -> bool:
    """A quoted string that is not empty: a backslash makes the next character plain, none of them is a control character."""
    if len(text) < 3 or text[0] != '"' or text[-1] != '"':
        return False
    escaped = False
    for char in text[1:-1]:
        plain = "!" <= char <= "~"
        if escaped and not plain:
            return False
        if not escaped and (char == '"' or not (plain or char in " \t" or beyond(char))):
            return False
        escaped = char == "\\" and not escaped
    return not escaped


def _literal(text: str, beyond: Callable[[str], bool]) -> bool:
    """An address in brackets, which may be empty; what stands there is not looked at further."""
    inside = text[1:-1]
    return (
        text[:1] == "["
        and text[-1:] == "]"
        and all(("!" <= char <= "~" and char not in "[]\\") or beyond(char) for char in inside)
    )
