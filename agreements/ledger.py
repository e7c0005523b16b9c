"""The log as pure arithmetic: the commitment of an entry, the Merkle tree over all entries, and the signed checkpoint.

The tree is RFC 6962's (section 2.1), the checkpoint is C2SP's `tlog-checkpoint` in a `signed-note` with Ed25519.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple, Self

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_ED25519 = b"\x01"  # the signature type of C2SP's signed-note


class NoteInvalid(Exception):
    """The checkpoint is another log's, or was not signed by this key; the message is one line."""


class NoteMisshapen(NoteInvalid):
    """The text is no checkpoint at all; the message is one line."""


class RowChange(NamedTuple):
    """A row that a change wrote: its `table`, its `id`, and its hash (`sha256`); None when the change deleted it."""

    table: str
    id: str
    sha256: str | None


def canonical(value: object) -> bytes:
    """The one spelling of plain data as JSON: keys in order, no blanks, UTF-8; times in UTC, bytes in hexadecimal."""
    return orjson.dumps(value, default=_plain, option=_SPELLING)


def row_hash(columns: Mapping[str, object]) -> str:
    """SHA-256 of a row's columns in hexadecimal."""
    return hashlib.sha256(canonical(columns)).hexdigest()


def commitment(salt: bytes, detail: object) -> str:
    """The commitment to a detail that the log keeps."""
    return digest(salt, canonical(detail))  # Without the salt the detail can't be found by guessing.


def digest(salt: bytes, serialized_details: bytes) -> str:
    """The commitment to details that are in their one spelling already."""
    return hashlib.sha256(salt + serialized_details).hexdigest()


def rows_text(rows: Iterable[RowChange]) -> str:
    """The rows of an entry as they are stored."""
    return canonical([[row.table, row.id, row.sha256] for row in rows]).decode()


def rows_of(text: str) -> tuple[RowChange, ...]:
    """The inverse of `rows_text`. Raises ValueError for anything else."""
    found = orjson.loads(text)
    # Stored text may have been changed: other shapes are refused.
    if type(found) is not list or not all(type(row) is list and len(row) == 3 for row in found):
        raise ValueError("not the rows of an entry")
    return tuple(RowChange(*row) for row in found)


def leaf(columns: Mapping[str, object], previous: str) -> bytes:
    """The leaf of one entry: RFC 6962's hash over its columns and the `signed_hash` before it ("" for the first)."""
    # The newest signature stands for all older ones, so none of these needs to be checked. 0x00: a leaf, not a node.
    return hashlib.sha256(b"\x00" + canonical({**columns, "previous": previous})).digest()


def signed_hash(size: int, root: str, frontier: str, signature: bytes) -> str:
    """The hash of a stored checkpoint in the next leaf: SHA-256 of its columns, one a line, in hexadecimal."""
    return hashlib.sha256(f"{size}\n{root}\n{frontier}\n{signature.hex()}\n".encode()).hexdigest()


def _node(left: bytes, right: bytes) -> bytes:
    # 0x01: else two leaves could pass as a node (RFC 6962, 2.1).
    return hashlib.sha256(b"\x01" + left + right).digest()


class MerkleTree:
    """A Merkle tree that only grows: it keeps the roots of its full parts, the largest first, and no leaf."""

    def __init__(self, size: int = 0, frontier: Sequence[bytes] = ()) -> None:
        """An empty tree, or one whose `size` and `frontier` were kept. Raises ValueError when they do not fit."""
        if len(frontier) != size.bit_count():  # One full part for each bit of the size.
            raise ValueError("the frontier does not belong to a tree of that size")
        self.size = size
        self.frontier = list(frontier)
        self._spelled = [root.hex() for root in frontier]  # Hexadecimal is kept, too: it is asked for after each entry.

    def add(self, leaf_hash: bytes) -> Self:
        """Append one leaf."""
        node, size = leaf_hash, self.size
        # Each low bit that is set is a full part of that size: two equal parts become one.
        while size & 1:
            node, size = _node(self.frontier.pop(), node), size >> 1
            self._spelled.pop()
        self.frontier.append(node)
        self._spelled.append(node.hex())
        self.size += 1
        return self

    @classmethod
    def parse(cls, size: int, text: str) -> Self:
        """The inverse of `frontier_text`. Raises ValueError."""
        return cls(size, [bytes.fromhex(root) for root in text.split(",")])

    @property
    def frontier_text(self) -> str:
        """The roots of its full parts as they are stored: in hexadecimal, with commas between them."""
        return ",".join(self._spelled)

    @property
    def root(self) -> bytes:
        """The root hash (RFC 6962, 2.1); of no leaves the hash of nothing."""
        if not self.frontier:
            return hashlib.sha256(b"").digest()
        root = self.frontier[-1]
        for left in reversed(self.frontier[:-1]):
            root = _node(left, root)
        return root


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The `size` and `root` of the log `origin`, as the holder of the key says."""

    origin: str
    size: int
    root: bytes

    @property
    def body(self) -> str:
        """The signed text."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def origin(public_key: bytes) -> str:
    """The log's name, derived from its key alone, so that it stays the same wherever the log moves."""
    return f"countersign-ledger/{hashlib.sha256(public_key).hexdigest()[:16]}"


def sign(checkpoint: Checkpoint, key: Ed25519PrivateKey) -> bytes:
    """The signature over a checkpoint, 64 bytes."""
    return key.sign(checkpoint.body.encode())


def note(checkpoint: Checkpoint, public_key: bytes, signature: bytes) -> str:
    """The signed note, ready to be published."""
    name = _key_id(checkpoint.origin, public_key)
    return f"{checkpoint.body}\n— {checkpoint.origin} {base64.b64encode(name + signature).decode()}\n"


def verifier_key(public_key: bytes) -> str:
    """The public key as C2SP's signed-note writes it: `origin+hash+key`."""
    name = origin(public_key)
    return f"{name}+{_key_id(name, public_key).hex()}+{base64.b64encode(_ED25519 + public_key).decode()}"


def read_verifier_key(text: str) -> bytes:
    """The inverse of `verifier_key`. Raises ValueError, with one line, for a mistyped key or another kind of key."""
    try:
        key = base64.b64decode(text.strip().split("+", 2)[2], validate=True)[1:]  # Base64 may hold `+`, too.
    except (IndexError, ValueError):
        key = b""
    if len(key) != 32 or verifier_key(key) != text.strip():  # Its hash finds a key that was mistyped.
        raise ValueError("this is not the public key of a log, origin+hash+key as `countersign ledger key` prints it")
    return key


def read_note(text: str, public_key: bytes) -> Checkpoint:
    """The checkpoint of a signed note. Raises NoteInvalid unless the key signed it."""
    body, found, signatures = text.partition("\n\n")
    lines = body.split("\n")
    if not found or len(lines) < 3 or not lines[1].isascii() or not lines[1].isdigit():
        raise NoteMisshapen("this is not a checkpoint: it needs an origin, a size, a root and a signature")
    if lines[0] != origin(public_key):
        raise NoteInvalid(f"this checkpoint is of another log: {lines[0][:80]!r}")
    for line in signatures.splitlines():  # A note may have signatures of witnesses, too.
        if _signed(line, lines[0], f"{body}\n".encode(), public_key):
            return Checkpoint(lines[0], int(lines[1]), _base64(lines[2]))
    raise NoteInvalid("this checkpoint was not signed by the key of this log")


def _signed(line: str, name: str, body: bytes, public_key: bytes) -> bool:
    words = line.split(" ")
    if len(words) != 3 or words[0] != "—" or words[1] != name:
        return False
    found = _base64(words[2])  # the first 4 bytes name the key
    if found[:4] != _key_id(name, public_key):
        return False
    return valid_signature(public_key, found[4:], body)


def valid_signature(public_key: bytes, signature: bytes, body: bytes) -> bool:
    """Whether that key signed those bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, body)
    except (InvalidSignature, ValueError):
        return False
    return True


def _key_id(name: str, public_key: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + _ED25519 + public_key).digest()[:4]


def _base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise NoteMisshapen("this checkpoint holds something that is not base64") from None


def _plain(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime):
        # Orjson's own spelling leaves out zero microseconds.
        return (value if value.tzinfo is UTC else value.astimezone(UTC)).isoformat(timespec="microseconds")
    raise TypeError(f"{type(value).__name__} has no place in the log")


_SPELLING = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS
