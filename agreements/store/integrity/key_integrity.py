"""Verifies the wrapped data keys: no hash covers them, as a rotation of the key ring writes them anew, so each must open in its place."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, not_, select
from sqlmodel import SQLModel

from agreements.store.key_rotation import DATA_KEY_TABLES
from agreements.store.ledger.row_serialization import as_it_is
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.vault import DecryptionFailed, Vault, WrappedKey

_ENTRY = SQLModel.metadata.tables[str(LedgerEntry.__tablename__)]


def lost(connection: Connection, vault: Vault) -> Iterator[str]:
    """What is wrong with each person's and each company's key that does not open as theirs.

    Those whom an entry is about are left out: its details were opened with that key, or there is another complaint. After
    an erasure details need not open, so whoever came back is looked at.
    """
    for owned in DATA_KEY_TABLES:
        table = SQLModel.metadata.tables[str(owned.table.__tablename__)]
        for row_id, ring_key_id, wrapped in connection.execute(_unused(table, owned.purpose)):
            try:
                if not wrapped and not ring_key_id:  # whose key was destroyed
                    continue
                vault.unwrap(WrappedKey(ring_key_id, wrapped), owned.purpose, row_id)
            except (DecryptionFailed, TypeError, ValueError, AttributeError):
                yield f"the key of the {owned.purpose} {row_id} was changed: it does not decrypt with the key ring"


def _unused(table: Table, purpose: str) -> Select[Any]:
    """The id, the key of the ring and the wrapped key of each that no entry's details were opened with."""
    used = (_ENTRY.c.subject_kind == purpose) & (_ENTRY.c.subject_id == table.c.id)
    is_used: ColumnElement[bool] = select(_ENTRY.c.number).where(used).exists()
    if "erased_at" in table.c:
        is_used = is_used & table.c.erased_at.is_(None)
    columns = (as_it_is(table.c[name]) for name in ("id", "ring_key_id", "wrapped_key"))
    return select(*columns).where(not_(is_used))
