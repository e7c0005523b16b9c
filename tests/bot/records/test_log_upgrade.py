"""People of an earlier release are added to the log at start, by `migrate`, and while serving."""

import pytest
from sqlalchemy import text

from agreements.vault import KeyRing, Vault
from bot import clock
from bot.records.record_access import RecordAccess
from bot.records.row_codes import LogUpgrade
from tests.tampering.history import History
from tests.tampering.release_before import running


@pytest.fixture(name="history")
def _history(engine, monkeypatch):
    """A log of the release before with two people."""
    history = History(engine, Vault(KeyRing.parse(KeyRing.generate("k1"))))
    with running(monkeypatch):
        history.sign(11)
        history.sign(12)
    return history


def test_people_of_an_earlier_release_are_added_to_the_log_once_while_serving(history, capsys):
    upgrade = LogUpgrade(RecordAccess(history.sessions, history.vault, clock.now, clock.new_id))
    upgrade.round()
    upgrade.round()

    assert capsys.readouterr().out.count("records.taken-in") == 1
    assert history.verified().rows == 6


def test_nothing_is_added_to_a_log_that_was_changed(history, capsys):
    with history.engine.begin() as connection:
        for name in ("no_delete", "no_update"):
            if connection.dialect.name == "sqlite":
                connection.execute(text(f"DROP TRIGGER ledger_entry_{name}"))
        if connection.dialect.name != "sqlite":
            connection.execute(text("ALTER TABLE ledger_entry DISABLE TRIGGER USER"))
        connection.execute(text("UPDATE ledger_entry SET actor_id = 1 WHERE number = 0"))
        connection.execute(text("DELETE FROM row_mac"))
    LogUpgrade(RecordAccess(history.sessions, history.vault, clock.now, clock.new_id)).round()

    assert "records.log-broken" in capsys.readouterr().out
    with history.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM ledger_entry")).scalar_one() == 2
