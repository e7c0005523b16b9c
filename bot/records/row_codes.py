"""Makes the codes by which rows count (`agreements.store.ledger.row_check`), for log entries of releases that made none."""

from collections.abc import Callable, Collection
from typing import TypeVar

import structlog
from sqlmodel import Session

from agreements.ledger_chain import LogBroken
from agreements.store.integrity import mac_catch_up
from agreements.vault import DecryptionFailed, Vault
from bot.db import Sessions

log = structlog.get_logger()

_Answer = TypeVar("_Answer")
Row = tuple[str, str]
"""A row by its table and its key, as a log entry names it."""


def make(sessions: Sessions, vault: Vault) -> int:
    """Follow the log to its end; how many entries had not been followed. Raises LogBroken where it is not what was signed."""
    followed = 0
    while True:
        with sessions() as session:
            lot = mac_catch_up.catch_up(session, vault)
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
    """The same of the next entries to be followed, as one line; what is made is taken back.

    None, too, with the ring of another database: that is said in other words (`bot.backup.key_ring_match`).
    """
    savepoint = session.begin_nested()
    try:
        mac_catch_up.catch_up(session, vault)
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
    """The same beside serving; whether there was anything to follow. What keeps it from that is logged."""
    try:
        return make(sessions, vault) > 0
    except LogBroken as broken:
        log.warning("records.log-broken", entry=broken.entry, error=broken.what)
        return False


def checked(
    sessions: Sessions, vault: Vault, ask: Callable[[], _Answer], unlogged: Callable[[_Answer], Collection[Row]]
) -> _Answer:
    """What `ask` gives. Where it says of rows that the log does not have them so, it is asked again once codes were made.

    What is left of them then was written by nobody who has the key ring: it is logged, with table and key.
    """
    found = ask()
    if unlogged(found) and made(sessions, vault):
        found = ask()
    for table, key in unlogged(found):
        log.error("records.not-in-log", table=table, key=key, help="run countersign ledger verify")
    return found
