"""A change of the records: its transaction, the keys, the account that makes it, the moment, and its entries in the log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session, SQLModel

from agreements.store.ledger import log_subjects, log_writer, pending_people
from agreements.store.ledger.log_writer import EntryDraft
from agreements.store.ledger.pending_people import PendingPerson
from agreements.store.ledger.stored_ledger import SERVER, Change, LedgerSubject
from agreements.store.lookup import NewId, account_key
from agreements.vault import Vault

SECOND_CLICK: Final = timedelta(seconds=10)
"""The time within which the same form again is the second click of an impatient person."""


@dataclass(frozen=True, slots=True)
class RecordContext:
    """The means of a change of the records; they are handed to every function that writes."""

    session: Session
    """The transaction; the caller commits it."""
    vault: Vault
    """Opens and seals what is personal."""
    by: int | None
    """The account that makes the change; None for a change by time alone, or because GitHub answered."""
    at: datetime
    """The moment of the change."""
    new_id: NewId
    """Makes the id of each new row and entry."""

    @property
    def actor(self) -> int:
        """The account that makes the change. Raises ValueError where no account does."""
        return account_key(self.by)

    def log(
        self,
        kind: str,
        about: int | LedgerSubject = SERVER,
        *,
        rows: Sequence[SQLModel] = (),
        deleted: Sequence[tuple[str, str]] = (),
        details: Mapping[str, object] | None = None,
    ) -> None:
        """Write the entry; `details` are sealed for the subject `about`: account number, subject, or server."""
        subject = (
            about if isinstance(about, LedgerSubject) else log_subjects.subject_of(self.session, self.vault, about)
        )
        self.append(
            Change(kind=kind, actor_id=self.by, subject=subject, rows=rows, deleted=deleted, details=details or {})
        )

    def append(self, *changes: Change) -> int:
        """Write an entry for each, and the signed root; the last entry's number. Call it last in a transaction."""
        # Others wait for the log until the transaction ends, and a row locked after it could be locked by one of them.
        drafts = [EntryDraft(change, self.new_id(), self.at) for change in changes]
        return log_writer.append(self.session, self.vault, drafts)

    def note_person(self, person_id: str, kind: str) -> None:
        """Note that the person's row was written: the next entry names it, or one of that `kind` at the end."""
        pending_people.note(self.session, person_id, PendingPerson(kind, self.vault, self.at, self.new_id))
