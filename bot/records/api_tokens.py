"""Writes down, beside serving, which API tokens have ended by time."""

from agreements.store.lookup import NewId
from agreements.store.record_context import RecordContext
from agreements.vault import Vault
from bot.clock import Clock
from bot.db import Sessions
from bot.records import row_codes
from bot.store import tokens
from bot.telemetry import security_log
from bot.telemetry.security_log import Event


def log_ends(sessions: Sessions, vault: Vault, clock: Clock, new_id: NewId) -> None:
    """Write an entry about each token whose time is over and of which no entry says so; tell of a row that is refused."""
    row_codes.made(sessions, vault)  # the release before may have made or revoked tokens meanwhile
    with sessions() as session:
        refused = tokens.log_ends(RecordContext(session, vault, None, clock(), new_id))
    for one in refused:
        security_log.tell(Event.ROW_REFUSED, table=one.table, row=one.row, why=one.why)
