"""A row that a look-up refused is checked again once its code was made; the rest is logged by ids."""

import pytest
from sqlalchemy import delete, text
from structlog.testing import capture_logs

from agreements.store.ledger import row_check
from agreements.store.tables.ledger_records import RowMac
from agreements.store.tables.records import Campaign
from agreements.vault import KeyRing, Vault
from bot.records import row_codes
from tests.logged import AT, log_rows

VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))


@pytest.fixture(name="older")
def _older(sessions):
    """A campaign whose entry a release without codes wrote, and a campaign without an entry."""
    with sessions() as session:
        for key in ("logged", "forged"):
            session.add(Campaign(id=key, agreement="icla", version="2.0", until=AT, started_at=AT, started_by=1))
            if key == "logged":
                log_rows(session, VAULT)
        session.execute(delete(RowMac))
    return sessions


def test_a_row_refused_for_a_missing_code_counts_once_codes_are_made(older):
    asked = []

    def ask():
        with older() as session:
            asked.append(row_check.unlogged(session, VAULT, Campaign, ["logged", "forged"]))
        return asked[-1]

    with capture_logs() as lines:
        found = row_codes.checked(older, VAULT, ask, lambda found: [("campaign", row_key) for row_key in found])
        assert row_codes.checked(older, VAULT, ask, lambda found: [("campaign", row_key) for row_key in found]) == found

    assert [set(keys) for keys in asked] == [{"logged", "forged"}, {"forged"}, {"forged"}]
    named = [(line["table"], line["key"]) for line in lines if line["event"] == "records.not-in-log"]
    assert named == [("campaign", "forged")] * 2


def test_the_missing_codes_are_made_once(older):
    assert row_codes.make(older, VAULT) == 1
    assert row_codes.make(older, VAULT) == 0
    assert row_codes.problem(older, VAULT) is None


def test_a_changed_log_stops_a_start_and_makes_no_codes(older):
    with older() as session:
        if session.get_bind().dialect.name == "sqlite":
            session.execute(text("DROP TRIGGER ledger_checkpoint_no_update"))
        else:
            session.execute(text("SET LOCAL session_replication_role = replica"))
        session.execute(text("UPDATE ledger_checkpoint SET frontier = 'x'"))
    assert "the log of records was changed (entry 0: " in row_codes.problem(older, VAULT)
    with capture_logs() as lines:
        assert not row_codes.made(older, VAULT)
    assert "records.log-broken" in [line["event"] for line in lines]
