"""Whether a key ring is that of a database, or of the one in a backup: looked at before anything is written for good."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, text

from agreements.vault import DecryptionFailed, KeyDestroyed, Vault, WrappedKey, place

_LOG: Final = ("ledger_key", "SELECT id, sealed FROM ledger_key")
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
    """Raises AnotherKeyRing. `tables` are those of the backup; `query` reads them, in whatever schema they are.

    One thing that opens is enough: what else does not was changed, which verifying the log tells. A database in which
    nothing is recorded yet fits every ring.
    """
    there = {name.rpartition(".")[2] for name in tables}
    found = [
        is_opened for name, sql in (_LOG, _PERSON) if name in there for is_opened in _tried(vault, name, query(sql))
    ]
    if found and not any(found):
        raise AnotherKeyRing


def problem(connection: Connection, vault: Vault) -> str | None:
    """Why that ring cannot be the one of a database that is in use; None where it can. Raises SQLAlchemyError."""
    try:
        check(vault, (_LOG[0], _PERSON[0]), lambda sql: connection.execute(text(sql)).all())
    except AnotherKeyRing:
        return ANOTHER_RING
    return None


def _tried(vault: Vault, table: str, rows: Iterable[Sequence[Any]]) -> Iterator[bool]:
    for row_id, *held in rows:
        try:
            if table == _PERSON[0]:
                vault.unwrap(WrappedKey(*held), table, row_id)
            else:
                vault.decrypt_for_server(held[0], place(table, "sealed", row_id))
        except KeyDestroyed:  # the ring's part was opened, what is left is the erasure keys'
            yield True
        except (DecryptionFailed, TypeError, ValueError):  # the last two: what was changed need not even be bytes
            yield False
        else:
            yield True
