"""SQLite's writers take turns in the order of who waits for them: webhooks first, then pages, then jobs.

A connection takes its turn at its first write and gives it back when its transaction ends. Reading needs no turn.
"""

import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

# Most urgent first: GitHub waits ten seconds and does not ask again, a person waits at a page.
Writer = Literal["webhook", "page", "job"]

# A writer that has waited for so long goes on without a turn, and SQLite decides: a second session in one thread
# would else wait for the first for ever.
TIMEOUT_SECONDS = 15.0
# A writer is passed over so often in a row by more urgent ones that came later; then the longest waiting is next.
MAX_TIMES_PASSED_OVER = 8

_URGENCY: dict[Writer, int] = {"webhook": 0, "page": 1, "job": 2}
_READS = ("SELECT", "PRAGMA", "EXPLAIN", "WITH", "VALUES", "SAVEPOINT", "RELEASE", "ROLLBACK", "COMMIT", "END", "BEGIN")
_WRITING_BEGINS = ("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE")


@dataclass(eq=False, slots=True)
class _Ticket:
    """A waiting writer of that `urgency`, the least first; `called` when its turn has come."""

    urgency: int
    called: threading.Event = field(default_factory=threading.Event)


# SQLite lets writers ask again and again: the one that asks at the right moment is next, so that under load a writer
# may wait for seconds.
class WriteLock:
    """The lock for writers to one database file in this process."""

    def __init__(self, patience: float = TIMEOUT_SECONDS) -> None:
        self._patience = patience
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: list[_Ticket] = []  # In the order they came.
        self._passed_over = 0

    def acquire(self, writer: Writer) -> bool:
        """Wait for one's turn; False when that took too long."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            ticket = _Ticket(_URGENCY[writer])
            self._waiting.append(ticket)
        if ticket.called.wait(self._patience):
            return True
        with self._guard:
            # The turn may have come between the end of the wait and this lock.
            if ticket.called.is_set():
                return True
            self._waiting.remove(ticket)
            return False

    def release(self) -> None:
        """Give the turn to the next."""
        with self._guard:
            # The turn is handed over, never freed in between: a newcomer must not overtake.
            self._taken = bool(self._waiting)
            if self._waiting:
                self._next().called.set()

    def _next(self) -> _Ticket:
        urgent = min(self._waiting, key=lambda ticket: ticket.urgency)
        chosen = self._waiting[0] if self._passed_over >= MAX_TIMES_PASSED_OVER else urgent
        self._passed_over = 0 if chosen is self._waiting[0] else self._passed_over + 1
        self._waiting.remove(chosen)
        return chosen


class WriteQueueConnection(sqlite3.Connection):
    """Takes a turn at the first write by one of its cursors.

    `lock` and `writer` are set once it is open; without a lock it never waits.
    """

    lock: WriteLock | None = None
    writer: Writer = "job"
    _turn: bool | None = None  # None: not asked for in this transaction; False: not waited for any longer.

    def cursor(self, factory: Any = None) -> Any:
        """A cursor whose writes wait for their turn."""
        return super().cursor(factory or _Cursor)

    def commit(self) -> None:
        """The turn ends with the transaction; a commit that fails leaves it open."""
        try:
            super().commit()
        finally:
            self.release_if_idle()

    def rollback(self) -> None:
        """Ends the turn."""
        try:
            super().rollback()
        finally:
            self.release_if_idle()

    def close(self) -> None:
        """Ends the turn, also in the middle of a transaction."""
        try:
            super().close()
        finally:
            self._give_back()

    def before(self, statement: str) -> None:
        """Wait for our turn if this is a write, and the first."""
        if self._turn is None and self.lock is not None and _is_write(statement):
            self._turn = self.lock.acquire(self.writer)

    def release_if_idle(self) -> None:
        """Give the turn back unless a transaction goes on."""
        if not self.in_transaction:
            self._give_back()

    def _give_back(self) -> None:
        held, self._turn = self._turn, None
        if held and self.lock is not None:
            self.lock.release()


class _Cursor(sqlite3.Cursor):
    connection: WriteQueueConnection

    def execute(self, statement: str, parameters: Any = ()) -> "_Cursor":
        self.connection.before(statement)
        try:
            return super().execute(statement, parameters)
        finally:
            self.connection.release_if_idle()

    def executemany(self, statement: str, parameters: Iterable[Any]) -> "_Cursor":
        self.connection.before(statement)
        try:
            return super().executemany(statement, parameters)
        finally:
            self.connection.release_if_idle()


def _is_write(statement: str) -> bool:
    begins = statement.lstrip()[:16].upper()
    # When in doubt it does: a turn too many costs little, a write without one waits by SQLite's own rules.
    return begins.startswith(_WRITING_BEGINS) or not begins.startswith(_READS)
