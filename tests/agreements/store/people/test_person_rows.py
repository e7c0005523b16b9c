"""A person is an account id; the first sight makes a row with a key, later ones follow the login."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlmodel import select

from agreements import ledger
from agreements.facts import Account
from agreements.store.ledger import stored_ledger
from agreements.store.people import person_rows
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PersonRecord
from agreements.vault import DecryptionFailed, KeyRing, Vault
from bot.records.erasure_keys import ErasureKeyFile
from bot.store.logged_tables import TABLES
from tests.tampering.history import History
from tests.within import within


def test_the_first_sight_of_an_account_makes_a_person_with_a_key(session, vault, at):
    person = person_rows.ensure(within(session, vault, at, "p1"), Account(2**40, "ada"))
    assert (person.id, person.account_id, person.login, person.created_at) == ("p1", 2**40, "ada", at)
    assert len(person_rows.data_key(vault, person).secret) == 32
    assert person_rows.find(session, 2**40) is person
    assert person_rows.find(session, 7) is None


def test_a_login_is_followed_only_for_a_known_person(session, vault, at):
    person = person_rows.ensure(within(session, vault, at, "p1"), Account(2**40, "ada"))
    person_rows.follow_login(within(session, vault, at, "e"), Account(2**40, "ada-l"))
    person_rows.follow_login(within(session, vault, at, "e"), Account(7, "bob"))
    assert (person.login, person_rows.find(session, 7)) == ("ada-l", None)


def test_a_second_sight_finds_the_person_and_follows_the_login(session, vault, at, person):
    later = at + timedelta(days=1)
    again = person_rows.ensure(within(session, vault, later, "other"), Account(11, "ada-new"))
    assert (again.id, again.login, again.login_since, again.created_at) == ("p11", "ada-new", later, at)
    assert again.wrapped_key == person.wrapped_key
    same = person_rows.ensure(within(session, vault, later + timedelta(days=1), "other"), Account(11, "ada-new"))
    assert same.login_since == later


def test_a_recycled_login_is_another_person(session, vault, at, person):
    other = person_rows.ensure(within(session, vault, at, "p12"), Account(12, "ada"))
    assert (person.id, other.id) == ("p11", "p12")
    assert person_rows.data_key(vault, person) != person_rows.data_key(vault, other)


def test_a_key_moved_to_another_person_does_not_open(session, vault, at, person):
    other = person_rows.ensure(within(session, vault, at, "p12"), Account(12, "bo"))
    with pytest.raises(DecryptionFailed):
        person_rows.unwrap(vault, other.id, person.ring_key_id, person.wrapped_key)


def test_another_ring_opens_no_key(person):
    with pytest.raises(DecryptionFailed):
        person_rows.data_key(Vault(KeyRing.parse(KeyRing.generate("k1"))), person)


@pytest.mark.parametrize("account", [Account(0, "ada"), Account(-1, "ada"), Account(11, ""), Account(None, "ada")])
def test_an_account_without_an_id_or_a_login_is_an_error(session, vault, at, account):
    with pytest.raises(ValueError, match="look-up needs"):
        person_rows.ensure(within(session, vault, at, "p1"), account)
    assert session.exec(select(PersonRecord)).all() == []


def test_a_person_without_an_id_is_an_error(session, vault, at):
    """The data key is bound to the id."""
    with pytest.raises(ValueError, match="not empty"):
        person_rows.ensure(within(session, vault, at, ""), Account(11, "ada"))


def test_two_concurrent_sessions_make_one_person(sessions, vault, at):
    start = Barrier(4)

    def sight(number):
        start.wait()
        with sessions() as session:
            return person_rows.ensure(within(session, vault, at, f"p{number}"), Account(11, "ada")).id

    with ThreadPoolExecutor(4) as pool:
        ids = set(pool.map(sight, range(4)))
    with sessions() as session:
        assert {row.id for row in session.exec(select(PersonRecord))} == ids
    assert len(ids) == 1


def test_an_erased_person_begins_anew_with_another_key(session, vault, at, person):
    old = person_rows.data_key(vault, person)
    sealed = vault.encrypt(old, b"Ada", "signature|evidence|s1")
    person.wrapped_key, person.erased_at, person.restricted_at = b"", at, at
    session.add(person)
    session.flush()
    assert person_rows.is_erased(person)
    with pytest.raises(DecryptionFailed):
        person_rows.data_key(vault, person)

    back = person_rows.ensure(within(session, vault, at + timedelta(days=1), "other"), Account(11, "ada"))

    assert (back.id, back.erased_at, back.restricted_at) == (person.id, at, None)
    assert not person_rows.is_erased(back)
    with pytest.raises(DecryptionFailed):
        vault.decrypt(person_rows.data_key(vault, back), sealed, "signature|evidence|s1")


def test_coming_back_destroys_the_old_erasure_key_for_concurrent_sessions(sessions, at, tmp_path):
    file = ErasureKeyFile(tmp_path / "erasure-keys")
    file.make()
    vault = Vault(KeyRing.parse(KeyRing.generate("k1")), erasure_keys=file)
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))
        old, wrapped = file.find("p11"), person.wrapped_key
        person.wrapped_key, person.erased_at = b"", at
        session.add(person)
    start = Barrier(3)

    def sight(number):
        start.wait()
        with sessions() as session:
            back = person_rows.ensure(within(session, vault, at, f"p{number}"), Account(11, "ada"))
            return person_rows.data_key(vault, back)

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(sight, range(3)))) == 1
    assert file.find("p11") not in (old, None)
    with pytest.raises(DecryptionFailed):
        person_rows.unwrap(vault, "p11", "k1", wrapped)
    with sessions() as session:
        assert person_rows.with_erasure_key(session) == {"p11"}


def test_two_concurrent_sessions_begin_an_erased_person_anew_once(sessions, vault, at):
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))
        person.wrapped_key, person.erased_at = b"", at
        session.add(person)
    start = Barrier(3)

    def sight(number):
        start.wait()
        with sessions() as session:
            return person_rows.ensure(within(session, vault, at, f"p{number}"), Account(11, "ada")).wrapped_key

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(sight, range(3)))) == 1


ADA = Account(11, "ada")
ADDED, RENAMED, RETURNED = "person.added", "person.renamed", "person.returned"


def entries(sessions):
    """(kind, whom it is about, the people whose rows it names) of each."""
    with sessions() as session:
        return [
            (entry.kind, entry.subject_id, [row.id for row in ledger.rows_of(entry.rows) if row.table == "person"])
            for entry in session.exec(select(LedgerEntry).order_by(LedgerEntry.number))
        ]


@pytest.fixture(name="seen")
def _seen(sessions, vault, at, fresh):
    """The account is seen in a transaction of its own."""

    def seen(account):
        with sessions() as session:
            return person_rows.ensure(within(session, vault, at, fresh), account)

    return seen


def test_a_sign_in_logs_a_new_person_and_a_new_login_once(sessions, engine, vault, seen):
    person = seen(ADA)
    seen(ADA)
    seen(Account(11, "ada-l"))

    assert entries(sessions) == [(ADDED, person.id, [person.id]), (RENAMED, person.id, [person.id])]
    assert History(engine, vault).verified(tables=TABLES).rows == 1


def test_a_new_person_is_named_by_another_entry_of_the_same_transaction_alone(sessions, vault, at, fresh):
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, fresh), ADA)
        within(session, vault, at, fresh, by=11).log("address.proven", 11)
    with sessions() as session:
        row = session.get(PersonRecord, person.id)
        (entry,) = session.exec(select(LedgerEntry))

        assert (entry.kind, stored_ledger.written(row) in ledger.rows_of(entry.rows)) == ("address.proven", True)


def test_the_new_key_of_a_person_who_comes_back_is_logged(sessions, vault, at, seen):
    person = seen(ADA)
    with sessions() as session:
        row = session.get(PersonRecord, person.id)
        row.wrapped_key, row.ring_key_id, row.login = b"", "", "ada"
    seen(ADA)

    assert [kind for kind, _, _ in entries(sessions)] == [ADDED, RETURNED]


def test_of_many_people_only_the_unknown_are_logged(sessions, vault, at, fresh, seen):
    seen(ADA)
    with sessions() as session:
        person_rows.make_all(within(session, vault, at, fresh), [ADA, Account(12, "bo"), Account(13, "cy")])

    assert [kind for kind, _, _ in entries(sessions)] == [ADDED] * 3
    assert len({whom for _, whom, _ in entries(sessions)}) == 3


def test_a_rolled_back_person_is_in_neither_table_nor_log(sessions, vault, at, fresh):
    with sessions() as session:
        person_rows.ensure(within(session, vault, at, fresh), ADA)
        session.rollback()
    with sessions() as session:
        nested = session.begin_nested()
        person_rows.ensure(within(session, vault, at, fresh), ADA)
        nested.rollback()

    assert entries(sessions) == []


def test_a_person_without_an_account_is_logged(sessions, vault, at, fresh):
    with sessions() as session:
        person = person_rows.add_without_account(within(session, vault, at, fresh))

    assert entries(sessions) == [(ADDED, person.id, [person.id])]
