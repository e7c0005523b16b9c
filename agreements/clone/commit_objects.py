"""A commit as git stores it: the bytes of the object in, the noun of the decision out."""

import codecs
from datetime import UTC, datetime

from agreements.dco.trailers import coauthors
from agreements.facts import Commit, Identity

_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"})
"""Python's encodings that no terminal has: slow for long texts, or able to write what is not there."""


def read(sha: str, data: bytes) -> Commit:
    """The commit in an object's bytes; nothing here fails for any bytes."""
    head, _, body = data.partition(b"\n\n")
    parents: list[str] = []
    fields: dict[bytes, bytes] = {}
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"parent":
            parents.append(_ascii(value))
        elif key:  # A line that begins with a space continues the one before, such as a signature.
            fields.setdefault(key, value)  # git takes the first of two.
    charset = _charset(fields.get(b"encoding", b""))
    message = _text(body.partition(b"\0")[0], charset)  # git shows a message up to a NUL.
    return Commit(
        sha=sha,
        message=message,
        parents=tuple(parents),
        authored_at=_moment(fields.get(b"author", b"")),
        author=_identity(fields.get(b"author"), charset),
        committer=_identity(fields.get(b"committer"), charset),
        coauthors=coauthors(message),
    )


def _charset(name: bytes) -> str:
    """The name of Python's codec; UTF-8 for none, for an unknown one and for one that is no charset."""
    if not name:
        return "utf-8"
    try:
        known = codecs.lookup(_ascii(name)).name
        b"x".decode(known, "replace")  # codecs such as `hex` are known, but give no text
    except (LookupError, ValueError):
        return "utf-8"
    return "utf-8" if known in _NO_CHARSETS else known


def _identity(line: bytes | None, charset: str) -> Identity | None:
    """The person of `NAME <EMAIL> SECONDS ZONE`; without brackets there is no address."""
    if line is None:
        return None
    name, _, rest = line.partition(b"<")  # git cuts at the first bracket, too
    email = rest.partition(b">")[0] if b">" in rest else b""
    return Identity(_text(name.strip(), charset), _text(email, charset))


def _text(data: bytes, charset: str) -> str:
    # A byte that is not of the `encoding` becomes U+DC80 to U+DCFF (PEP 383), so that names are compared byte by byte.
    try:
        return data.decode(charset, "surrogateescape")
    except UnicodeDecodeError:  # Half an escape sequence or half a UTF-16 letter: ASCII that is no text.
        return data.decode(charset, "replace")


def _moment(line: bytes) -> datetime | None:
    """The moment of writing; None for a time that no calendar has."""
    seconds = line.rpartition(b">")[2].split()[:1]
    try:
        return datetime.fromtimestamp(int(seconds[0]), UTC) if seconds else None
    except (ValueError, OverflowError, OSError):
        return None


def _ascii(value: bytes) -> str:
    return value.decode("ascii", "replace")
