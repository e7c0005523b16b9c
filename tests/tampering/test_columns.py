"""A change of any column of any row of a logged table is found by `ledger verify`, and by a second verifier.

The second one knows the log by its page alone, and has no key ring: what only the ring can see it does not find.
"""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

from agreements.store.integrity.verification import Tampered
from agreements.vault import KeyRing, Vault
from bot.store.logged_tables import TABLES
from tests.tampering import column_attacks, second_verifier
from tests.tampering.column_attacks import Place
from tests.tampering.history import History

pytestmark = pytest.mark.slow

LISTED = second_verifier.COLUMNS.read_text(encoding="utf-8")


@pytest.fixture(name="history")
def _history(engine):
    """A database with two rows of every kind of record at least."""
    history = History(engine, Vault(KeyRing.parse(KeyRing.generate("k1"))))
    history.live()
    history.rest()
    return history


def second(engine):
    """What the second verifier says."""
    pooled = engine.raw_connection()
    try:
        return second_verifier.findings(pooled.driver_connection, LISTED)
    finally:
        pooled.close()


def ours(history, tables=TABLES):
    """What `ledger verify` says; None when all is well. What it finds in one table it finds in all, only later."""
    try:
        history.verified(tables=tables)
    except Tampered as found:
        return found.what
    return None


@pytest.mark.nightly
@pytest.mark.sqlite_nightly
def test_a_changed_column_of_any_row_is_found_by_both_verifiers(history):
    place, wrong, refused, tried = Place(history.engine), [], [], 0
    is_slow = history.engine.dialect.name != "sqlite"  # which row of a table it is, is not the database's to say
    assert (ours(history), second(history.engine)) == (None, [])
    for model in TABLES:
        table = SQLModel.metadata.tables[model.__tablename__]
        before = place.rows(table)
        for attack in column_attacks.attacks(table, before, one_row=is_slow):
            try:
                place.write(table, attack.rows)
            except DBAPIError:  # the database itself takes no key twice
                refused.append(attack)
                continue
            tried += 1
            found, found_by_second = ours(history, [model]), second(history.engine)
            unseen = attack.is_free or attack.is_for_the_ring
            if (found is None) != attack.is_free or (found_by_second == []) != unseen:
                wrong.append(f"{attack}: {found}, {found_by_second}")
        place.write(table, before)
    place.engine.dispose()

    assert wrong == []
    assert (ours(history), second(history.engine)) == (None, [])
    assert tried > (300 if is_slow else 700)
    assert [str(attack) for attack in refused if "exchanged" not in attack.what] == []


LOG = [
    "UPDATE ledger_entry SET actor_id = 1 WHERE number = 6",
    "UPDATE ledger_entry SET kind = 'x' WHERE number = 6",
    "DELETE FROM ledger_entry WHERE number = 3",
    "DELETE FROM ledger_entry WHERE number = (SELECT max(number) FROM ledger_entry)",
    "DELETE FROM ledger_checkpoint WHERE size = 4",
    "UPDATE ledger_checkpoint SET root = 'x' || root WHERE size = 4",
    "UPDATE ledger_checkpoint SET frontier = 'x' || frontier WHERE size = 4",
    "UPDATE ledger_checkpoint SET signature = (SELECT signature FROM ledger_checkpoint WHERE size = 5) WHERE size = 4",
    "UPDATE ledger_checkpoint SET size = -1 WHERE size = 4",
    "UPDATE ledger_key SET public_key = (SELECT detail FROM ledger_entry WHERE number = 0) WHERE id = 'checkpoint'",
    "DELETE FROM ledger_entry",
    "DELETE FROM ledger_key WHERE id = 'checkpoint'",
]


def test_a_changed_log_is_found_by_both_verifiers(history):
    place, log = Place(history.engine), ("ledger_entry", "ledger_checkpoint", "ledger_key")
    before = [(table, place.rows(table)) for table in map(SQLModel.metadata.tables.get, log)]
    for statement in LOG:
        with place.engine.begin() as connection:
            connection.execute(text(column_attacks.UNCHECKED[connection.dialect.name]))
            connection.execute(text(statement))
        assert ours(history) is not None, statement
        assert second(history.engine) != [], statement
        for table, rows in before:
            place.write(table, rows)
    place.engine.dispose()

    assert (ours(history), second(history.engine)) == (None, [])
