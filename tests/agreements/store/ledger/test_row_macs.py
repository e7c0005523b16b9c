"""The authentication code of a row is that of its newest entry and of this key ring."""

from sqlmodel import select

from agreements.ledger import RowChange
from agreements.store.ledger import row_macs
from agreements.store.tables.ledger_records import RowMac
from agreements.vault import KeyRing, Vault

ROW = RowChange("signature", "s1", "a" * 64)


def kept(session):
    """The one code that is kept."""
    session.expire_all()
    return session.exec(select(RowMac).where(RowMac.key == "s1")).one()


def is_right(vault, row):
    """Whether the ring made it for what stands beside it."""
    return vault.is_authentic(
        row.ring_key_id, row.mac, row_macs.message(row.table_name, row.key, row.entry, row.sha256)
    )


def test_the_newest_entry_of_a_row_gives_its_code(session, vault):
    row_macs.write(session, vault, [(3, ROW)])
    row_macs.write(session, vault, [(2, ROW._replace(sha256="b" * 64))])
    assert (kept(session).entry, kept(session).sha256, is_right(vault, kept(session))) == (3, "a" * 64, True)
    row_macs.write(session, vault, [(4, ROW._replace(sha256=None))])
    assert (kept(session).entry, kept(session).sha256, is_right(vault, kept(session))) == (4, None, True)


def test_the_code_authenticates_table_key_entry_hash_and_ring(session, vault):
    row_macs.write(session, vault, [(3, ROW)])
    row = kept(session)
    for name, value in (("table_name", "proof"), ("key", "s2"), ("entry", 4), ("sha256", "b" * 64), ("mac", "00")):
        changed = RowMac(**{**row.model_dump(), name: value})
        assert not is_right(vault, changed), name
    assert not is_right(Vault(KeyRing.parse(KeyRing.generate("k1"))), row)
    assert not is_right(Vault(KeyRing.parse(KeyRing.generate("k2"))), row)


def test_no_two_rows_have_the_same_message():
    assert row_macs.message("t", "a|1", 2, None) != row_macs.message("t", "a", 1, "2|-")


def test_the_last_followed_entry_is_kept(session, vault):
    assert row_macs.followed(session.connection()) == 0
    row_macs.follow(session, vault, [(0, ROW)], 1)
    row_macs.follow(session, vault, [], 7)
    assert row_macs.followed(session.connection()) == 7
    assert kept(session).entry == 0
