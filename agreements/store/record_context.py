"""What a change of the records needs: the transaction, the keys, who does it, when, and the log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, SQLModel

from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import SERVER, Change, LedgerSubject
from agreements.store.lookup import NewId, account_key
from agreements.store.people import person_rows
from agreements.vault import Vault


@dataclass(frozen=True, slots=True)
class RecordContext:
    """`by` is the account that does it; None where nobody does: by time alone, or because GitHub answered."""

    session: Session
    vault: Vault
    by: int | None
    at: datetime
    new_id: NewId

    @property
    def actor(self) -> int:
        """Who does it. Raises ValueError where nobody does."""
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
        """Write the entry, with `details` sealed for whom it is `about`: an account's number, a subject, else this site."""
        subject = about if isinstance(about, LedgerSubject) else person_rows.subject_of(self.session, self.vault, about)
        self.append(
            Change(kind=kind, actor_id=self.by, subject=subject, rows=rows, deleted=deleted, details=details or {})
        )

    def append(self, *changes: Change) -> None:
        """Write an entry for each.

        Call it last in a transaction: what is locked after it could be locked by somebody who waits for it.
        """
        ledger.append_all(self.session, self.vault, [(one, self.new_id()) for one in changes], at=self.at)
