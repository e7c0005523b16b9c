"""After a rotation everything opens and is found under the new key alone."""

import json

import pytest
from sqlalchemy import text

from agreements.facts import Account, Entry
from agreements.store import reencryption
from agreements.store.companies import company_agreements
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.declarations import with_data_keys
from agreements.store.tables.records import ImportedEntry
from agreements.vault import DecryptionFailed, KeyRing, Vault, place
from tests.agreements.store.company import add_company
from tests.within import within

OLD, NEW = KeyRing.generate("old"), KeyRing.generate("new")


@pytest.fixture(name="vault")
def _vault():
    return Vault(KeyRing.parse(OLD))


@pytest.fixture(name="both")
def _both():
    return Vault(KeyRing.parse(f"{NEW}\n{OLD}"))


@pytest.fixture(name="alone")
def _alone():
    return Vault(KeyRing.parse(NEW))


@pytest.fixture(name="kept")
def _kept(sessions, vault, at, draft):
    """One of everything that a key of the ring wraps, seals or fingerprints."""
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))
        signatures.add(within(session, vault, at, "s1"), person, draft(), receipt="R1")
        proven = ProvenAddress(address="ada@huawei.com", how="mailed-code", at=at)
        emails.prove(within(session, vault, new_id="q1"), person, proven)
        add_company(session, vault, at, "c1", Entry(email="bo@partner.org"), name="One")
        sealed = vault.encrypt_for_server(b"x", place("imported", "sealed", "i1"))
        session.add(ImportedEntry(id="i1", key="k", format="plain", login="a", agreement="icla", version="1", signed_at=at, sealed=sealed, state="waiting", imported_at=at))  # fmt: skip
        within(session, vault, at, "l1").append(Change(kind="a.b", actor_id=1, subject=SERVER))


def rotate(sessions, vault):
    """All the lots, until nothing is left."""
    moved = 0
    with sessions() as session:
        for owned in with_data_keys():
            while rows := reencryption.rewrap(session, vault, owned):
                moved += rows
        for sealed in reencryption.sealed_tables():
            moved += reencryption.reseal(session, vault, sealed, None)[0]
        for indexed in reencryption.indexed_columns():
            moved += reencryption.reindex(session, vault, indexed, None)[0]
    return moved


def test_everything_opens_with_the_new_key_alone_after_a_rotation(sessions, both, alone, kept, at):
    assert rotate(sessions, both) == 7
    assert rotate(sessions, both) == 0
    with sessions() as session:
        assert signatures.receipt(session, alone, "R1", 11).draft.name == "Ada 爱达 𠮷"
        again = ProvenAddress(address="ada@huawei.com", how="mailed-code", at=at)
        assert emails.prove(within(session, alone, new_id="q2"), person_rows.find(session, 11), again).id == "q1"
        assert company_agreements.relevant(session, alone, [], ["bo@partner.org"], accepted=())[0].name == "One"
        within(session, alone, at, "l2").append(Change(kind="a.b", actor_id=1, subject=SERVER))
        assert {key for owned in with_data_keys() for key in reencryption.held(session, owned)} == {"new"}


def test_nothing_moves_without_the_old_key(sessions, alone, kept):
    with pytest.raises(DecryptionFailed), sessions() as session:
        reencryption.rewrap(session, alone, with_data_keys()[0])
    with sessions() as session:
        assert reencryption.held(session, with_data_keys()[0]) == {"old": 1}


def test_erased_people_are_left_alone(sessions, both, kept):
    with sessions() as session:
        session.execute(text("UPDATE person SET wrapped_key = :empty"), {"empty": b""})
    assert rotate(sessions, both) == 5


def test_a_data_key_copied_to_another_person_is_refused(sessions, both, vault, kept, at):
    with sessions() as session:
        person_rows.ensure(within(session, vault, at, "p12"), Account(12, "eve"))
        session.execute(text("UPDATE person SET wrapped_key = (SELECT p.wrapped_key FROM person p WHERE p.id = 'p11') WHERE id = 'p12'"))  # fmt: skip
    with pytest.raises(DecryptionFailed):
        rotate(sessions, both)


def test_batches_follow_each_other_until_all_rows_are_done(sessions, vault, both, at, monkeypatch):
    monkeypatch.setattr(reencryption, "BATCH_ROWS", 10)
    with sessions() as session:
        for number in range(1, 24):
            person_rows.ensure(within(session, vault, at, f"p{number}"), Account(number, "x"))
    with sessions() as session:
        assert [reencryption.rewrap(session, both, with_data_keys()[0]) for _ in range(4)] == [10, 10, 3, 0]


def test_log_details_about_no_person_open_under_the_new_ring(sessions, both, alone, kept):
    rotate(sessions, both)
    with sessions() as session:
        row = session.execute(text("SELECT detail FROM ledger_entry")).scalar_one()
        sealed = session.execute(text("SELECT sealed FROM ledger_key WHERE id = 'detail'")).scalar_one()
        key = alone.decrypt_for_server(sealed, place("ledger_key", "sealed", "detail"))
    from agreements.vault import DataKey

    assert json.loads(alone.decrypt(DataKey(key), row, place("ledger_entry", "detail", "l1")))["told"] == {}
