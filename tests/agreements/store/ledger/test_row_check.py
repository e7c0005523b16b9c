"""Rows are compared with the log, also where the database spells them otherwise."""

import pytest
from sqlmodel import select, update

from agreements.store.ledger import row_check
from agreements.store.tables.records import Campaign, Erasure, Proof, SignatureRecord
from tests.logged import log_rows


@pytest.fixture(name="campaign")
def _campaign(session, at):
    """A maker of campaigns, each with a name that spelling may stumble over."""

    def campaign(key, agreement="icla"):
        session.add(Campaign(id=key, agreement=agreement, version="2.0", until=at, started_at=at, started_by=1))
        session.flush()
        return key

    return campaign


def test_rows_that_no_entry_names_or_that_changed_are_unlogged(session, vault, campaign):
    keys = [campaign("one"), campaign("two")]
    log_rows(session, vault)
    campaign("three")
    assert row_check.unlogged(session, vault, Campaign, [*keys, "three", "nobody"]) == {"three"}
    session.exec(update(Campaign).where(Campaign.id == "one").values(started_by=2))
    assert row_check.unlogged(session, vault, Campaign, keys) == {"one"}
    assert row_check.unlogged(session, vault, Campaign, []) == frozenset()


@pytest.mark.parametrize("name", ['"', "\\", "/", "\x01", "\x7f", "\u2028", "中文", "a\nb", "\U0001f600", "k1 -"])
def test_any_text_is_the_same_in_log_and_database(session, vault, campaign, name):
    campaign("one", name)
    log_rows(session, vault)
    table = row_check.SQLModel.metadata.tables["campaign"]
    key = row_check.row_key(table)
    stamp = row_check.stamped(table, key, session.get_bind().dialect.name)
    check = row_check.RowCheck(session.connection(), vault)
    (found,) = session.execute(select(stamp).select_from(table)).scalars()
    assert check.is_logged("campaign", "one", found)
    assert not check.is_logged("campaign", "one", found.replace("2.0", "2.1"))
    assert not check.is_logged("campaign", "two", found)
    assert not check.is_logged("campaign", "one", found, there=False)
    assert check.refused == {("campaign", "one"), ("campaign", "two")}


def test_a_sealed_reason_counts_only_in_its_own_row(session, vault, at):
    for key in ("one", "two"):
        reason = vault.encrypt_for_server(key.encode(), f"erasure|reason|{key}")
        session.add(Erasure(id=key, account_id=1, asked_at=at, state="asked", reason=reason))
    log_rows(session, vault)
    assert row_check.unlogged(session, vault, Erasure, ["one", "two"]) == frozenset()
    first, second = session.exec(select(Erasure).order_by(Erasure.id)).all()
    first.reason = second.reason
    session.flush()
    assert row_check.unlogged(session, vault, Erasure, ["one", "two"]) == {"one"}


def test_tables_are_found_by_name_and_by_alias():
    table = row_check.SQLModel.metadata.tables["signature"]
    assert row_check.table_name(table.alias("x")) == row_check.table_name(table) == SignatureRecord.__tablename__
    assert Proof.__tablename__ == "proof"
