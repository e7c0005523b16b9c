"""Names records that are older than the log in a new log: once, and only when an operator asks for it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, true
from sqlmodel import Session, SQLModel, select

from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import SERVER, Change
from agreements.store.lookup.keys import NewId
from agreements.store.tables.declarations import table_of
from agreements.store.tables.ledger_records import LedgerEntry, LedgerKey, RowMac
from agreements.vault import Vault

WITHOUT_LOG = (
    "there are records and no log of them: if a release that keeps a log wrote them, it was taken away: restore a backup "
    "(docs/reference/ledger.md); if none ever did, countersign migrate --begin-log takes them into it"
)
"""Said instead of beginning a log on one's own: whoever took the log away would have it begun anew, over what they changed."""
ADOPTED = "records.adopted"
"""The kind of the entries about rows that are older than they; of what the rows were before they say nothing."""
_BATCH_ROWS = 2000


def needed(session: Session, tables: Sequence[type[SQLModel]]) -> bool:
    """Whether there are rows and no log. A log that lost all its entries still has its key: that is none of ours."""
    if any(_has_rows(session, one) for one in (LedgerEntry, LedgerKey)):
        return False
    return any(_has_rows(session, table) for table in tables)


def _has_rows(session: Session, table: type[SQLModel]) -> bool:
    return session.exec(select(true()).select_from(table).limit(1)).first() is not None


def adopt(session: Session, vault: Vault, tables: Sequence[type[SQLModel]], *, at: datetime, new_id: NewId) -> int:
    """Name all rows in the log if that is needed; how many. Others who write to the log wait until it is done."""
    ledger.lock(session)
    if not needed(session, tables):
        return 0
    session.execute(delete(RowMac))  # codes of a log that was taken away would stand against the new entries
    named = 0
    for lot in _lots(session, tables):
        details = {"rows": len(lot)}
        change = Change(kind=ADOPTED, actor_id=None, subject=SERVER, rows=lot, details=details)
        ledger.append(session, vault, change, at=at, new_id=new_id())
        named += len(lot)
        session.expunge_all()
    return named


def _lots(session: Session, tables: Sequence[type[SQLModel]]) -> Iterator[list[SQLModel]]:
    """All rows, in the order of their keys, some thousand at a time."""
    for table in tables:
        keys: tuple[Any, ...] = tuple(table_of(table).primary_key.columns)
        start = 0
        while lot := list(session.exec(select(table).order_by(*keys).offset(start).limit(_BATCH_ROWS))):
            yield lot
            start += len(lot)
