"""The log in the database: its rows never change."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from agreements.store.ledger import stored_ledger
from agreements.store.tables.ledger_records import LedgerCheckpoint
from tests.within import within


def test_an_empty_log_has_no_checkpoint(session):
    assert stored_ledger.newest(session) is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger_entry SET kind = 'x'",
        "DELETE FROM ledger_entry",
        "UPDATE ledger_checkpoint SET root = 'x'",
        "DELETE FROM ledger_checkpoint",
    ],
)
def test_the_database_refuses_to_change_rows_of_the_log(sessions, vault, at, fresh, statement):
    with sessions() as session:
        within(session, vault, at, fresh).log("test.done")
    with pytest.raises(DatabaseError, match="never change"), sessions() as session:
        session.execute(text(statement))
    with sessions() as session:
        assert session.get(LedgerCheckpoint, 1) is not None
