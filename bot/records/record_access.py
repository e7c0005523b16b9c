"""Access to the records, handed once to all that reads and changes them: transactions, keys, clock, new ids, our address."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from agreements.store.lookup import NewId
from agreements.store.record_context import RecordContext
from agreements.vault import Vault
from bot import clock as shared_clock
from bot.clock import Clock
from bot.db import Sessions


@dataclass(frozen=True, slots=True)
class RecordAccess:
    """Everything that a part of the program needs to read and change the records, and to write e-mails about them."""

    sessions: Sessions
    """Makes a transaction for each `with`."""
    vault: Vault
    """Opens and seals what is personal."""
    clock: Clock = shared_clock.now
    """Tells the moment of a change."""
    new_id: NewId = shared_clock.new_id
    """Makes the id of a new row."""
    url: str = ""
    """Our public address, to which e-mails lead; "" where none is written."""

    @contextmanager
    def change(self, by: int | None = None) -> Iterator[RecordContext]:
        """A transaction in which that account changes the records; None: no account does it."""
        with self.sessions() as session:
            yield RecordContext(session, self.vault, by, self.clock(), self.new_id)  # One moment for all of it.
