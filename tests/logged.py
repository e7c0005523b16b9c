"""Names in the log the rows that a test put into the tables by itself: a row without an entry counts for no person."""

from datetime import UTC, datetime

from sqlmodel import select

from agreements.store.ledger import row_check, stored_ledger
from agreements.store.ledger.stored_ledger import SERVER, Change
from bot import clock
from bot.store.logged_tables import TABLES
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)


def log_rows(session, vault, *, at=AT):
    """One entry names each row that the log does not have as it is."""
    session.flush()
    found = []
    for table in TABLES:
        rows = {stored_ledger.written(row).id: row for row in session.exec(select(table))}
        found += [rows[key] for key in sorted(row_check.unlogged(session, vault, table, list(rows)))]
    if found:
        change = Change(kind="records.adopted", actor_id=None, subject=SERVER, rows=found)
        within(session, vault, at, clock.new_id).append(change)
