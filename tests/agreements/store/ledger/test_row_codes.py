"""Codes for rows of a release that made none come only from entries that the log's key signed."""

import pytest
from sqlalchemy import delete, text
from sqlmodel import update

from agreements.chain_verification import LogBroken
from agreements.store.integrity import upgrade
from agreements.store.ledger import row_check, row_macs
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.tables.ledger_records import LedgerEntry, RowMac
from agreements.store.tables.records import Campaign
from tests.logged import log_rows
from tests.within import within

KEYS = [f"c{number}" for number in range(5)]


@pytest.fixture(name="older")
def _older(session, vault, at):
    """Five campaigns with an entry each, of a release without codes; the last was changed since its entry."""
    for key in KEYS:
        session.add(Campaign(id=key, agreement="icla", version="2.0", until=at, started_at=at, started_by=1))
        log_rows(session, vault)
    session.execute(delete(RowMac))
    session.exec(update(Campaign).where(Campaign.id == KEYS[-1]).values(started_by=2))
    return session


def test_codes_are_made_in_batches_until_all_entries_are_followed(older, vault, monkeypatch):
    monkeypatch.setattr(upgrade, "BATCH_ENTRIES", 2)
    assert row_check.unlogged(older, vault, Campaign, KEYS) == set(KEYS)
    assert [upgrade.catch_up(older, vault) for _ in range(4)] == [2, 2, 1, 0]
    assert row_macs.followed(older.connection()) == 5
    assert row_check.unlogged(older, vault, Campaign, KEYS) == {KEYS[-1]}


def test_older_entries_get_codes_beside_newer_entries(older, vault, at, monkeypatch):
    monkeypatch.setattr(upgrade, "BATCH_ENTRIES", 5)
    newer = older.get(Campaign, KEYS[0])
    newer.ended_at = at
    within(older, vault).append(Change(kind="campaign.ended", actor_id=1, subject=SERVER, rows=[newer]))
    assert row_check.unlogged(older, vault, Campaign, KEYS) == {*KEYS[1:]}
    assert upgrade.catch_up(older, vault) == 5
    assert row_check.unlogged(older, vault, Campaign, KEYS) == {KEYS[-1]}


def test_an_empty_log_has_no_codes_to_make(session, vault):
    assert upgrade.catch_up(session, vault) == 0


def forge(session, vault, what):
    """Change the log as its owner can, without its key."""
    if session.get_bind().dialect.name == "sqlite":
        for name in session.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars().all():
            session.execute(text(f"DROP TRIGGER {name}"))
    else:
        session.execute(text("SET LOCAL session_replication_role = replica"))
    session.execute(text(what))


@pytest.mark.parametrize(
    "what",
    [
        'UPDATE ledger_entry SET rows = \'[["campaign","c4","{sha}"]]\' WHERE number = 4',
        "UPDATE ledger_entry SET rows = 'x' WHERE number = 4",
        "UPDATE ledger_checkpoint SET root = '{sha}' WHERE size = 5",
        "DELETE FROM ledger_checkpoint WHERE size = 5",
        "UPDATE ledger_entry SET number = 9 WHERE number = 4",
        "DELETE FROM ledger_entry WHERE number = 1",
    ],
)
def test_a_changed_log_gives_no_codes(older, vault, what):
    forge(older, vault, what.format(sha="a" * 64).replace(":", "\\:"))
    with pytest.raises(LogBroken):
        upgrade.catch_up(older, vault)
    assert row_check.unlogged(older, vault, Campaign, KEYS) == set(KEYS)


def test_an_entry_without_a_signed_root_gives_no_code(older, vault):
    upgrade.catch_up(older, vault)
    copied = ", ".join(name for name in LedgerEntry.model_fields if name not in ("number", "id"))
    forge(
        older,
        vault,
        f"INSERT INTO ledger_entry (number, id, {copied}) SELECT 5, 'x', {copied} FROM ledger_entry WHERE number = 4",
    )
    with pytest.raises(LogBroken, match="the signed root after it is missing"):
        upgrade.catch_up(older, vault)
