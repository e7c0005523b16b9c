"""Rows that a transaction wrote before it knew what its log entry would be: the next entry of the transaction names them."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import event
from sqlalchemy.orm import SessionTransaction
from sqlmodel import Session

from agreements.vault import Vault

_INFO = "pending rows of the log"


@dataclass(frozen=True, slots=True)
class PendingRow:
    """One row by its id, and the entry that is written for it alone when the transaction writes no other."""

    row_id: str
    kind: str
    vault: Vault
    at: datetime
    entry_id: str


def note(session: Session, row: PendingRow) -> None:
    """The transaction's next entry must name this row; of a row that is noted already the first note stays."""
    noted: dict[str, PendingRow] = session.info.setdefault(_INFO, {})
    noted.setdefault(row.row_id, row)


def take(session: Session) -> list[PendingRow]:
    """What was noted and no entry has named yet; from now on it counts as named."""
    return list(session.info.pop(_INFO, {}).values())


@event.listens_for(Session, "after_transaction_end")
def _forget(session: Session, transaction: SessionTransaction) -> None:
    """What was rolled back needs no entry. A savepoint's notes stay: rows that are gone are left out when they are named."""
    if transaction.parent is None:
        session.info.pop(_INFO, None)
