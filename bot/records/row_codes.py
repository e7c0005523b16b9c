"""Makes the codes by which rows count, for log entries of releases that made none; takes into the log what these did not name.

It is done at the start, and for a day beside serving (`agreements.store.ledger.row_check`, `agreements.store.integrity.upgrade`).
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import structlog
from sqlmodel import Session

from agreements.ledger_chain import LogBroken
from agreements.store.integrity import upgrade
from agreements.vault import DecryptionFailed, Vault
from bot.db import Sessions
from bot.records.record_access import RecordAccess

log = structlog.get_logger()

_Answer = TypeVar("_Answer")
Row = tuple[str, str]
"""A row by its table and its key, as a log entry names it."""


def make(sessions: Sessions, vault: Vault) -> int:
    """Follow the log to its end; how many entries had not been followed. Raises LogBroken where it is not what was signed."""
    followed = 0
    while True:
        with sessions() as session:
            lot = upgrade.catch_up(session, vault)
        if lot == 0:
            return followed
        followed += lot


def problem(sessions: Sessions, vault: Vault) -> str | None:
    """The same; None, or what keeps it from that: one line."""
    try:
        make(sessions, vault)
    except LogBroken as broken:
        return _said(broken)
    return None


def changed(session: Session, vault: Vault) -> str | None:
    """Why the next entries cannot be followed, as one line, or None; the codes that are made are rolled back.

    None, too, with the ring of another database: that is said in other words (`bot.backup.database_match`).
    """
    savepoint = session.begin_nested()
    try:
        upgrade.catch_up(session, vault)
    except LogBroken as broken:
        return _said(broken)
    except DecryptionFailed:
        return None
    finally:
        savepoint.rollback()
    return None


def _said(broken: LogBroken) -> str:
    return (
        f"the log of records was changed ({broken}), so what it names counts for nobody:"
        " restore a backup (docs/reference/ledger.md)"
    )


def made(sessions: Sessions, vault: Vault) -> bool:
    """The same beside serving; gives whether there was anything to follow. A broken log is logged."""
    try:
        return make(sessions, vault) > 0
    except LogBroken as broken:
        log.warning("records.log-broken", entry=broken.entry, error=broken.what)
        return False


def checked(
    sessions: Sessions, vault: Vault, ask: Callable[[], _Answer], unlogged: Callable[[_Answer], Collection[Row]]
) -> _Answer:
    """The result of `ask`. Where it names rows that are not so in the log, missing codes are made and it is asked again.

    Rows that are left then were written without the key ring: they are logged, with table and key.
    """
    found = ask()
    if unlogged(found) and made(sessions, vault):
        found = ask()
    for table, key in unlogged(found):
        log.error("records.not-in-log", table=table, key=key, help="run countersign ledger verify")
    return found


CHECK_INTERVAL = timedelta(minutes=10)
"""How often rows of a process of the release before are looked for."""


@dataclass(frozen=True, slots=True)
class LogUpgrade:
    """Names rows of the release before in the log, and marks in it that people are named from then on."""

    records: RecordAccess

    def take_in(self) -> int:
        """Name these rows; gives how many. Raises LogBroken where the log is not what was signed."""
        with self.records.change() as context:
            if not upgrade.is_needed(context.session.connection(), context.at):
                return 0
        make(self.records.sessions, self.records.vault)
        rows = 0
        for model in upgrade.ROWS:
            after: str | None = ""
            while after is not None:
                with self.records.change() as context:
                    after, named = upgrade.take_in(context, model, after)
                rows += named
        with self.records.change() as context:
            upgrade.finish(context)
        return rows

    def take_in_anew(self) -> int:
        """The same after the release before ran once more, because an operator says so. Raises LogBroken."""
        make(self.records.sessions, self.records.vault)
        with self.records.change() as context:
            upgrade.finish(context, anew=True)
        return self.take_in()

    def round(self) -> None:
        """The same beside serving; a broken log is logged."""
        try:
            rows = self.take_in()
        except LogBroken as broken:
            log.warning("records.log-broken", entry=broken.entry, error=broken.what)
            return
        if rows:
            log.info("records.taken-in", rows=rows)
