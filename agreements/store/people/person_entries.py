"""The log entries of people who are made, renamed or come back where nothing else is recorded, as when somebody signs in.

Who writes a person's row notes it here. The next entry of the same transaction names the row; where there is none, the
transaction ends with an entry of its own, written last so that the log is locked as shortly as possible.
"""

from contextlib import suppress
from datetime import datetime

from sqlalchemy import event
from sqlmodel import Session

from agreements.store.ledger import ledger, pending_rows
from agreements.store.ledger.ledger import SERVER, Change, LedgerSubject
from agreements.store.ledger.pending_rows import PendingRow
from agreements.store.tables.records import PersonRecord
from agreements.vault import DecryptionFailed, Vault, WrappedKey


def note(session: Session, vault: Vault, person_id: str, kind: str, *, at: datetime, entry_id: str) -> None:
    """This person's row was written: the transaction's next entry names it, or one of that kind and id at its end."""
    pending_rows.note(session, PendingRow(person_id, kind, vault, at, entry_id))


@event.listens_for(Session, "before_commit")
def _log_those_left(session: Session) -> None:
    """An entry for each person whom no entry of the transaction named."""
    if session.in_nested_transaction():  # the end of a savepoint
        return
    left = pending_rows.take(session)
    if not left:
        return
    session.flush()
    changes = []
    for one in left:
        person = session.get(PersonRecord, one.row_id)
        if person is not None:  # another session had made the same person, or a savepoint was rolled back
            changes.append((_change(one, person), one.entry_id))
    if changes:
        ledger.append_all(session, left[0].vault, changes, at=left[0].at)


def _change(noted: PendingRow, person: PersonRecord) -> Change:
    subject = SERVER
    with suppress(DecryptionFailed):  # whose key was destroyed, or is not of this ring
        key = noted.vault.unwrap(WrappedKey(person.ring_key_id, person.wrapped_key), "person", person.id)
        subject = LedgerSubject("person", person.id, key)
    return Change(kind=noted.kind, actor_id=None, subject=subject, rows=[person])
