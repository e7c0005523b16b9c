"""Verifies the log's hash chain from its first entry to its last: every number, hash and signed root must be as it was."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from agreements import ledger
from agreements.ledger import Checkpoint, MerkleTree


class StoredCheckpoint(NamedTuple):
    """A stored checkpoint (`size`, `root`, `frontier`, `signature`) as it was read: an attacker may have put any value into it."""

    size: Any
    root: Any
    frontier: Any
    signature: Any


class LogBroken(Exception):
    """The log is not as it was signed; `entry` is the number of the first bad entry, `what` the complaint."""

    def __init__(self, entry: int, what: str) -> None:
        self.entry, self.what = entry, what
        super().__init__(f"entry {entry}: {what}")


class Chain:
    """The part of the log that was followed so far. `kept` is a checkpoint of this log's key that was kept elsewhere.

    `after` is the stored checkpoint to go on from (None: from the first entry); the caller has followed the log up to it.
    """

    def __init__(
        self, public_key: bytes, kept: Checkpoint | None = None, after: StoredCheckpoint | None = None
    ) -> None:
        self.tree = MerkleTree() if after is None else MerkleTree.parse(after.size, after.frontier)
        self._public_key, self._kept = public_key, kept
        self._origin = ledger.origin(public_key)
        self._last = after
        self._previous = "" if after is None else ledger.signed_hash(*after)

    def follow(self, entry: Mapping[str, object], signed: StoredCheckpoint | None) -> None:
        """Check the next entry with the signed root after it. Raises LogBroken."""
        tree = self.tree
        number = tree.size
        if entry["number"] != number:
            raise LogBroken(number, f"it is missing: the next one has the number {entry['number']}")
        tree.add(ledger.leaf(entry, self._previous))
        if signed is None:
            raise LogBroken(number, "the signed root after it is missing")
        # Roots and signatures in between need no check: each leaf holds the checkpoint before it.
        if signed.frontier != tree.frontier_text:
            raise self._blame(number, signed)
        if not isinstance(signed.signature, bytes) or not isinstance(signed.root, str):
            raise LogBroken(number, "the signed root after it was changed")
        if self._kept is not None:
            self.compare(tree)
        self._last, self._previous = signed, ledger.signed_hash(*signed)

    def compare(self, tree: MerkleTree) -> None:
        """Raises LogBroken when that is the size of the checkpoint that was kept, and not its root."""
        if self._kept is not None and self._kept.size == tree.size and self._kept.root != tree.root:
            raise LogBroken(tree.size - 1, "it, or one before it, is not what the checkpoint that was kept had signed")

    def end(self) -> None:
        """Check the end of the log. Raises LogBroken unless the last root is signed and the kept one is reached."""
        size = self.tree.size
        if self._last is not None and not (self._last.root == self.tree.root.hex() and self._signed(self._last)):
            raise LogBroken(size - 1, "the root after it was not signed by the key of this log")
        if self._kept is not None and self._kept.size > size:  # The end of the log was cut off.
            raise LogBroken(size, f"it is missing: the checkpoint that was kept counts {self._kept.size} entries")

    def _blame(self, number: int, signed: StoredCheckpoint) -> LogBroken:
        """The error that names the changed row."""
        if self._last is not None and not self._signed(self._last):  # Only now: signatures are slow to verify.
            return LogBroken(number - 1, "the signed root after it was changed")
        if self._signed(signed._replace(root=self.tree.root.hex())):
            return LogBroken(number, "the signed root after it was changed")
        return LogBroken(number, "it was changed, or is not in its place")

    def _signed(self, signed: StoredCheckpoint) -> bool:
        size, root, _, signature = signed
        if not (isinstance(size, int) and isinstance(root, str) and isinstance(signature, bytes)):
            return False
        try:
            body = Checkpoint(self._origin, size, bytes.fromhex(root)).body
        except ValueError:
            return False
        return ledger.valid_signature(self._public_key, signature, body.encode())
