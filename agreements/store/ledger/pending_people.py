"""People whose rows a transaction has written and no entry of the log has named yet.

A transaction that makes, renames or revives a person notes the person here. `log_writer` names them in the transaction's
next entry; without another entry, the transaction ends with one of its own.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import event
from sqlalchemy.orm import SessionTransaction
from sqlmodel import Session, col, select

from agreements.store.lookup import NewId, text_chunks
from agreements.store.tables.records import PersonRecord
from agreements.vault import Vault

_PENDING = "pending rows of the log"


@dataclass(frozen=True, slots=True)
class PendingPerson:
    """A person's row that an entry has to name, and what it takes to write an entry of its own."""

    kind: str
    """The kind of that entry."""
    vault: Vault
    at: datetime
    """The moment at which the row was written."""
    new_id: NewId


def note(session: Session, person_id: str, pending: PendingPerson) -> None:
    """Note the person, unless that is done: the first note says more, "added" before "renamed"."""
    noted: dict[str, PendingPerson] = session.info.setdefault(_PENDING, {})
    noted.setdefault(person_id, pending)


def take(session: Session) -> dict[str, PendingPerson]:
    """The people noted that no entry has named yet, by id; from now on they count as named."""
    noted: dict[str, PendingPerson] = session.info.pop(_PENDING, {})
    return noted


def rows(session: Session, person_ids: Iterable[str]) -> Iterator[PersonRecord]:
    """The rows of these people, as far as they are there."""
    # One may not be there: another session made the same one, or a savepoint was rolled back.
    for chunk in text_chunks([*person_ids]):
        yield from session.exec(select(PersonRecord).where(col(PersonRecord.id).in_(chunk)))


@event.listens_for(Session, "after_transaction_end")
def _forget(session: Session, transaction: SessionTransaction) -> None:
    """Drop the notes of a transaction that was rolled back."""
    if transaction.parent is None:  # A savepoint's notes stay: rows that are gone are left out when they are named.
        take(session)
