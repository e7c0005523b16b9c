"""Makes the codes by which rows count, for log entries of releases that made none; takes into the log what these did not name.

It is done at the start, and for a day beside serving (`agreements.store.ledger.row_check`, `agreements.store.integrity.upgrade`).
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import structlog
from sqlmodel import Session

from agreements.chain_verification import LogBroken
from agreements.store.integrity import upgrade
from agreements.vault import DecryptionFailed, Vault
from bot.db import Sessions
from bot.records.record_access import RecordAccess

log = structlog.get_logger()

_Answer = TypeVar("_Answer")
Row = tuple[str, str]
"""A row by its table and its key, as a log entry names it."""


def make(sessions: Sessions, vault: Vault) -> int:
    """Follow the log to its end; how many entries were new. Raises LogBroken where it is not what was signed."""
    followed = 0
    while True:
        with sessions() as session:  # A lot a transaction, so that others may write between them.
            lot = upgrade.catch_up(session, vault)
        if lot == 0:
            return followed
        followed += lot


def problem(sessions: Sessions, vault: Vault) -> str | None:
    """The problem that keeps `make` from following the log, as one line; None when it was followed."""
    try:
        make(sessions, vault)
    except LogBroken as broken:
        return _said(broken)
    return None


def changed(session: Session, vault: Vault) -> str | None:
    """The reason why the next entries cannot be followed, as one line, or None; the codes are rolled back."""
    savepoint = session.begin_nested()
    try:
        upgrade.catch_up(session, vault)
    except LogBroken as broken:
        return _said(broken)
    except DecryptionFailed:
        return None  # The ring of another database: `bot.backup.database_match` says so in other words.
    finally:
        savepoint.rollback()
    return None


def _said(broken: LogBroken) -> str:
    return (
        f"the log of records was changed ({broken}), so what it names counts for nobody:"
        " restore a backup (see 'The log of records' in the documentation)"
    )


def made(sessions: Sessions, vault: Vault) -> bool:
    """Follow the log beside serving; True if there was anything to follow. A broken log is logged."""
    try:
        return make(sessions, vault) > 0
    except LogBroken as broken:
        log.warning("records.log-broken", entry=broken.entry, error=broken.what)
        return False  # Serving goes on: rows without a code cover no person.


def checked(
    sessions: Sessions, vault: Vault, ask: Callable[[], _Answer], unlogged: Callable[[_Answer], Collection[Row]]
) -> _Answer:
    """The result of `ask`; where it names rows that are not as logged, codes are made, and it is asked again."""
    found = ask()
    # A process of the release before makes no codes, so its entries are followed before a row is blamed.
    if unlogged(found) and made(sessions, vault):
        found = ask()
    # Rows that are left were written without the key ring.
    for table, key in unlogged(found):
        log.error("records.not-in-log", table=table, key=key, help="run countersign ledger verify")
    return found


CHECK_INTERVAL = timedelta(minutes=10)
"""The pause between two looks for rows of a process of the release before."""


@dataclass(frozen=True, slots=True)
class LogUpgrade:
    """Names rows of the release before in the log, and marks in it that people are named from then on."""

    records: RecordAccess

    def take_in(self) -> int:
        """Name these rows; gives how many. Raises LogBroken where the log is not what was signed."""
        with self.records.change() as context:
            if not upgrade.is_needed(context.session.connection(), context.at):
                return 0
        # Rows are compared by their codes, so these come first.
        make(self.records.sessions, self.records.vault)
        rows = 0
        for model in upgrade.ROWS:
            after: str | None = ""
            while after is not None:
                with self.records.change() as context:
                    after, named = upgrade.take_in(context, model, after)
                rows += named
        # Last: a process that is killed before this begins again.
        with self.records.change() as context:
            upgrade.finish(context)
        return rows

    def take_in_anew(self) -> int:
        """Take in rows once more after the release before ran again, because an operator says so. Raises LogBroken."""
        make(self.records.sessions, self.records.vault)
        with self.records.change() as context:
            upgrade.finish(context, anew=True)
        return self.take_in()

    def round(self) -> None:
        """Take in rows beside serving; a broken log is logged."""
        try:
            rows = self.take_in()
        except LogBroken as broken:
            log.warning("records.log-broken", entry=broken.entry, error=broken.what)
            return
        if rows:
            log.info("records.taken-in", rows=rows)
