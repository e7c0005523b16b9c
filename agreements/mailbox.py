"""Whether an address is well formed by the grammar of the DCO bots, which admits more than mail servers do."""

from functools import lru_cache

_ATOM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~")
_BOT = "[bot]@users.noreply.github.com"
_LONGEST_LOCAL = 64  # octets, RFC 5321 section 4.5.3.1.1


@lru_cache(maxsize=65536)
def well_formed(address: str) -> bool:
    """True for a bot's noreply address, and for `local@domain` with a local part of 1 to 64 octets.

    The local part is dot-separated atoms (non-ASCII allowed) or a quoted string, the domain a `[literal]` or
    dot-separated labels of atom characters; one label is enough. Source: the crate email_address, which cncf/dco2 uses.
    """
    if address.endswith(_BOT):
        return True
    local, at, domain = address.rpartition("@")
    if not at or not 0 < len(local.encode(errors="replace")) <= _LONGEST_LOCAL:
        return False
    return (_dotted(local) or _quoted(local)) and (_dotted(domain) or _literal(domain))


def _dotted(text: str) -> bool:
    return all(part and all(_is_atom(char) for char in part) for part in text.split("."))


def _is_atom(char: str) -> bool:
    return char in _ATOM or ord(char) > 127


def _quoted(text: str) -> bool:
    """A quoted string that is not empty: a backslash makes the next character plain, none of them is a control character."""
    if len(text) < 3 or text[0] != '"' or text[-1] != '"':
        return False
    escaped = False
    for char in text[1:-1]:
        if escaped and not "!" <= char <= "~":
            return False
        if not escaped and (char == '"' or (char < " " and char != "\t") or char == "\x7f"):
            return False
        escaped = char == "\\" and not escaped
    return not escaped


def _literal(text: str) -> bool:
    """An address in brackets, which may be empty; what stands there is not looked at further."""
    return (
        text[:1] == "[" and text[-1:] == "]" and all("!" <= char <= "~" and char not in "[]\\" for char in text[1:-1])
    )
