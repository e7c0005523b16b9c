"""Whether a key ring, a kept checkpoint and a list of erasures are those of a database, or of the one in a backup.

That is looked at before anything is written for good.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, text

from agreements import ledger
from agreements.ledger import NoteInvalid, NoteMisshapen
from agreements.store.ledger.stored_ledger import KEY_ID
from agreements.vault import WRAPPED_BYTES, DecryptionFailed, KeyDestroyed, Vault, WrappedKey, place

_LOG: Final = ("ledger_key", "SELECT id, sealed FROM ledger_key")
# An erased person has an empty key, which no ring opens.
_PERSON: Final = ("person", "SELECT id, ring_key_id, wrapped_key FROM person WHERE length(wrapped_key) > 0 LIMIT 20")

ANOTHER_RING: Final = (
    "COUNTERSIGN_KEYS opens nothing in this database, so it is the key ring of another one:"
    " set it to the ring of this database, or add the missing keys to it"
)

Query = Callable[[str], Sequence[Sequence[Any]]]
"""Gives the rows of a SELECT in the copy."""


class AnotherKeyRing(Exception):
    """The ring opens nothing that it would have to."""


def check(vault: Vault, tables: Iterable[str], query: Query) -> None:
    """Raises AnotherKeyRing. `tables` are those of the backup; `query` reads them, in any schema."""
    there = {name.rpartition(".")[2] for name in tables}
    found = [
        is_opened for name, sql in (_LOG, _PERSON) if name in there for is_opened in _tried(vault, name, query(sql))
    ]
    # One that opens is enough: what else does not was changed, which verifying the log tells.
    if found and not any(found):
        raise AnotherKeyRing


def problem(connection: Connection, vault: Vault) -> str | None:
    """The reason why that ring cannot be the one of a database in use; None where it can. Raises SQLAlchemyError."""
    try:
        check(vault, (_LOG[0], _PERSON[0]), lambda sql: connection.execute(text(sql)).all())
    except AnotherKeyRing:
        return ANOTHER_RING
    return None  # Also without any record: an empty database fits every ring.


def _tried(vault: Vault, table: str, rows: Iterable[Sequence[Any]]) -> Iterator[bool]:
    for row_id, *held in rows:
        try:
            if table == _PERSON[0]:
                vault.unwrap(WrappedKey(*held), table, row_id)
            else:
                vault.decrypt_for_server(held[0], place(table, "sealed", row_id))
        except KeyDestroyed:  # The ring's part was opened, what is left is the erasure keys'
            yield True
        except (DecryptionFailed, TypeError, ValueError):  # The last two: what was changed need not even be bytes
            yield False
        else:
            yield True


def people_with_erasure_keys(tables: Iterable[str], query: Query) -> frozenset[str]:
    """The ids of people in the backup whose data keys open only with an erasure key."""
    if "person" not in {name.rpartition(".")[2] for name in tables}:
        return frozenset()
    found = query(f"SELECT id FROM person WHERE length(wrapped_key) > {WRAPPED_BYTES:d}")  # noqa: S608 - a number of ours
    return frozenset(str(row[0]) for row in found)


_KEY: Final = ("ledger_key", f"SELECT public_key FROM ledger_key WHERE id = '{KEY_ID}'")  # noqa: S608 - a constant
_SIZE: Final = ("ledger_checkpoint", "SELECT max(size) FROM ledger_checkpoint")
_ROOT: Final = "SELECT root FROM ledger_checkpoint WHERE size = {size:d}"


class OtherLog(Exception):
    """The log of the backup is not the one that it is compared with; the message says why, as one clause."""


@dataclass(frozen=True, slots=True)
class CheckpointMatch:
    """The log of the backup has `entries`; `kept` is the number that a checkpoint of the same log counts."""

    entries: int
    kept: int

    @property
    def missing(self) -> int:
        """The number of entries that the backup lacks; 0 where it holds all that the checkpoint signed."""
        return max(self.kept - self.entries, 0)


def compare(note: str, tables: Iterable[str], query: Query) -> CheckpointMatch:
    """Compare the stored roots of the backup with a checkpoint. Raises OtherLog, and NoteMisshapen for what is none."""
    there = {name.rpartition(".")[2] for name in tables}
    keys = query(_KEY[1]) if _KEY[0] in there else ()
    try:
        kept = ledger.read_note(note, bytes(keys[0][0]) if keys else b"")
    except NoteMisshapen:  # A NoteInvalid, too, but no fault of the backup.
        raise
    except NoteInvalid as error:
        raise OtherLog(str(error) if keys else "the backup has no log yet") from None
    entries = int(query(_SIZE[1])[0][0] or 0) if _SIZE[0] in there else 0
    match = CheckpointMatch(entries, kept.size)
    # A shorter log cannot contradict it: a checkpoint holds no root of fewer entries.
    if kept.size and not match.missing:
        # Whether a stored root is that of the entries is found out by verifying the log.
        roots = query(_ROOT.format(size=kept.size))
        if not roots or roots[0][0] != kept.root.hex():
            raise OtherLog(
                f"its first {kept.size:,} entries are not those that the checkpoint signed: the log was rewritten"
            )
    return match


def check_log_name(name: str, tables: Iterable[str], query: Query) -> None:
    """Raises OtherLog unless the log of the backup has this name, or has none yet."""
    is_begun = _KEY[0] in {table.rpartition(".")[2] for table in tables}
    keys = query(_KEY[1]) if is_begun else ()
    if keys and ledger.origin(bytes(keys[0][0])) != name:
        raise OtherLog(f"it is of another log ({name or 'none'}) than the backup")
