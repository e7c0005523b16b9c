"""A commit as git stores it: the bytes of the object in, the noun of the decision out."""

import codecs
from datetime import UTC, datetime

from agreements.dco.trailers import coauthors
from agreements.facts import Commit, Identity

_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"})
"""Python's encodings that no terminal has: slow for long texts, or able to write what is not there."""


def read(sha: str, data: bytes) -> Commit:
    """The commit in an object's bytes; nothing here fails for any bytes.

    The message ends at a NUL, as git shows it. A byte that is no text of the commit's `encoding` becomes one character
    that no text has (U+DC80 to U+DCFF, PEP 383), so that names are compared byte by byte.
    """
    head, _, body = data.partition(b"\n\n")
    parents: list[str] = []
    fields: dict[bytes, bytes] = {}
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"parent":
            parents.append(_ascii(value))
        elif key:  # a line that begins with a space continues the one before, such as a signature
            fields.setdefault(key, value)
    charset = _charset(fields.get(b"encoding", b""))
    message = _text(body.partition(b"\0")[0], charset)
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
    """The name of Python's codec; UTF-8 for none, for one that is not known and for one that is no charset."""
    if not name:
        return "utf-8"
    try:
        known = codecs.lookup(_ascii(name)).name
        b"x".decode(known, "replace")
    except (LookupError, ValueError):
        return "utf-8"
    return "utf-8" if known in _NO_CHARSETS else known


def _identity(line: bytes | None, charset: str) -> Identity | None:
    """`NAME <EMAIL> SECONDS ZONE`, cut where git cuts it; without brackets there is no address."""
    if line is None:
        return None
    name, _, rest = line.partition(b"<")
    email = rest.partition(b">")[0] if b">" in rest else b""
    return Identity(_text(name.strip(), charset), _text(email, charset))


def _text(data: bytes, charset: str) -> str:
    try:
        return data.decode(charset, "surrogateescape")
    except UnicodeDecodeError:  # half an escape sequence or half a UTF-16 letter: ASCII that is no text
        return data.decode(charset, "replace")


def _moment(line: bytes) -> datetime | None:
    """When it was written; None for a time that no calendar has."""
    seconds = line.rpartition(b">")[2].split()[:1]
    try:
        return datetime.fromtimestamp(int(seconds[0]), UTC) if seconds else None
    except (ValueError, OverflowError, OSError):
        return None


def _ascii(value: bytes) -> str:
    return value.decode("ascii", "replace")
