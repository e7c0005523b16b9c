"""Records from before the log are named in it once, and only if there is no log at all."""

import pytest
from sqlalchemy import text

from agreements.store.integrity import upgrade
from agreements.store.integrity.verification import Tampered
from agreements.store.ledger import pending_people
from agreements.store.people import signatures
from bot.store.logged_tables import TABLES
from tests.tampering.history import History
from tests.within import within


@pytest.fixture(name="history")
def _history(engine, vault, draft, person, session, at):
    """A database in which ada signed before there was a log."""
    signatures.add(within(session, vault, at, "s1"), person, draft(), receipt="R1")
    pending_people.take(session)
    session.commit()
    return History(engine, vault)


def adopt(history):
    """How many rows were named."""
    with history.sessions() as session:
        return upgrade.adopt(within(session, history.vault, history.now(), history.fresh), TABLES)


@pytest.mark.slow
def test_rows_older_than_the_log_are_named_once_and_then_verified(history):
    with pytest.raises(Tampered, match="was added"):
        history.verified()
    assert adopt(history) == 2
    assert adopt(history) == 0
    assert history.verified().entries == 2, "one for each table"
    history.sign(12)
    assert (history.verified().entries, history.verified().rows) == (3, 5)


def test_a_row_added_past_an_existing_log_is_not_taken_in(history):
    adopt(history)
    with history.engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO campaign (id, agreement, version, until, started_at, started_by) SELECT 'x', agreement, version,"
                " signed_at, signed_at, 1 FROM signature"
            )
        )
    assert adopt(history) == 0
    with pytest.raises(Tampered, match="row campaign x was added"):
        history.verified()


def test_a_log_that_lost_its_entries_but_has_its_key_is_not_begun_anew(history):
    adopt(history)
    with history.engine.begin() as connection:
        if connection.dialect.name == "sqlite":
            connection.execute(text("DROP TRIGGER ledger_entry_no_delete"))
        else:
            connection.execute(text("ALTER TABLE ledger_entry DISABLE TRIGGER USER"))
        connection.execute(text("DELETE FROM ledger_entry"))
    assert adopt(history) == 0
