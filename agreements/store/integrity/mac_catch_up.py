"""Makes the codes of rows (`row_mac`) from the log, for entries of releases that made none; it verifies these entries first."""

from sqlalchemy import select
from sqlmodel import Session

from agreements import ledger
from agreements.ledger import RowChange
from agreements.ledger_chain import Chain, LogBroken, StoredCheckpoint
from agreements.store.ledger import row_macs
from agreements.store.ledger.ledger import public_key
from agreements.store.ledger.row_serialization import StoredColumns, as_it_is
from agreements.store.tables.declarations import table_of
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry
from agreements.vault import Vault

BATCH_ENTRIES = 2500
"""Entries whose codes are made at once, in one transaction of the caller."""

_ENTRY, _CHECKPOINT = (table_of(one) for one in (LedgerEntry, LedgerCheckpoint))
_SIGNED = [as_it_is(_CHECKPOINT.c[name]) for name in StoredCheckpoint._fields]


def catch_up(session: Session, vault: Vault) -> int:
    """Make the codes of the next `BATCH_ENTRIES` entries that were not followed yet; how many entries that were.

    0 when all were. Raises LogBroken where the log is not what its key signed: nothing of it then gets a code.
    """
    connection = session.connection()
    start = row_macs.followed(connection)
    key = public_key(session, vault)
    if key is None:
        return 0
    before = connection.execute(select(*_SIGNED).where(_CHECKPOINT.c.size == start)).one_or_none()
    if start and before is None:
        raise LogBroken(start - 1, "the signed root after it is missing")
    chain = Chain(key, after=None if before is None else StoredCheckpoint(*before))
    stored = StoredColumns(_ENTRY, connection.dialect.name)
    joined = _ENTRY.outerjoin(_CHECKPOINT, _CHECKPOINT.c.size == _ENTRY.c.number + 1)
    mine = (_ENTRY.c.number >= start, _ENTRY.c.number < start + BATCH_ENTRIES)
    query = select(*stored.wanted, *_SIGNED).select_from(joined).where(*mine).order_by(_ENTRY.c.number)
    named: dict[tuple[str, str], tuple[int, RowChange]] = {}
    for row in connection.execute(query).all():
        signed = StoredCheckpoint(*row[-len(_SIGNED) :])
        try:
            entry = stored.values(row)
            chain.follow(entry, None if signed.size is None else signed)
            named |= {(one.table, one.id): (entry["number"], one) for one in ledger.rows_of(entry["rows"])}
        except (TypeError, ValueError, AttributeError):  # what no release ever wrote
            raise LogBroken(chain.tree.size, "it was changed: it holds what no entry can hold") from None
    chain.end()
    if chain.tree.size > start:
        row_macs.follow(session, vault, named.values(), chain.tree.size)
    return chain.tree.size - start
