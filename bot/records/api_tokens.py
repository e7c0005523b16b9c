"""Writes down, beside serving, which API tokens have ended by time."""

from bot.records import row_codes
from bot.records.record_access import RecordAccess
from bot.store import tokens
from bot.telemetry import security_log
from bot.telemetry.security_log import Event


def log_ends(records: RecordAccess) -> None:
    """Write an entry about each token that ended and of which no entry says so; tell of a row that is refused."""
    row_codes.made(records.sessions, records.vault)  # The release before may have made or revoked tokens meanwhile.
    with records.change() as context:
        refused = tokens.log_ends(context)
    for refusal in refused:
        security_log.tell(Event.ROW_REFUSED, table=refusal.table, row=refusal.row, why=refusal.why)
