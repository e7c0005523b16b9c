"""A person is an account id; the first sight makes a row with a key, later ones follow the login."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store.people import people
from agreements.store.tables.records import PersonRecord
from agreements.vault import DecryptionFailed, KeyRing, Vault
from bot.records.erasure_keys import ErasureKeyFile


def test_first_sight_makes_a_person(session, vault, at):
    """The row has the caller's id, the account, and a key that opens."""
    person = people.ensure(session, vault, account=Account(2**40, "ada"), at=at, new_id="p1")
    assert (person.id, person.account_id, person.login, person.created_at) == ("p1", 2**40, "ada", at)
    assert len(people.data_key(vault, person).secret) == 32
    assert people.find(session, 2**40) is person
    assert people.find(session, 7) is None


def test_a_login_is_followed_where_the_person_is_known(session, vault, at):
    """Nobody is made by it, and whoever was erased stays nameless."""
    person = people.ensure(session, vault, account=Account(2**40, "ada"), at=at, new_id="p1")
    people.follow_login(session, vault, Account(2**40, "ada-l"), at=at, new_id="e")
    people.follow_login(session, vault, Account(7, "bob"), at=at, new_id="e")
    assert (person.login, people.find(session, 7)) == ("ada-l", None)


def test_the_second_sight_finds_them_and_follows_the_login(session, vault, at, person):
    """The id stays, the key stays, the label changes."""
    later = at + timedelta(days=1)
    again = people.ensure(session, vault, account=Account(11, "ada-new"), at=later, new_id="other")
    assert (again.id, again.login, again.login_since, again.created_at) == ("p11", "ada-new", later, at)
    assert again.wrapped_key == person.wrapped_key
    same = people.ensure(session, vault, account=Account(11, "ada-new"), at=later + timedelta(days=1), new_id="other")
    assert same.login_since == later


def test_a_recycled_login_is_another_person(session, vault, at, person):
    """Two accounts may carry one login over time; they stay two people with two keys."""
    other = people.ensure(session, vault, account=Account(12, "ada"), at=at, new_id="p12")
    assert (person.id, other.id) == ("p11", "p12")
    assert people.data_key(vault, person) != people.data_key(vault, other)


def test_a_key_moved_to_another_person_does_not_open(session, vault, at, person):
    """Whoever swaps keys between rows gets nothing."""
    other = people.ensure(session, vault, account=Account(12, "bo"), at=at, new_id="p12")
    with pytest.raises(DecryptionFailed):
        people.unwrap(vault, other.id, person.ring_key_id, person.wrapped_key)


def test_another_ring_opens_nothing(person):
    """The database without its ring is unreadable."""
    with pytest.raises(DecryptionFailed):
        people.data_key(Vault(KeyRing.parse(KeyRing.generate("k1"))), person)


@pytest.mark.parametrize("account", [Account(0, "ada"), Account(-1, "ada"), Account(11, ""), Account(None, "ada")])
def test_an_account_without_its_key_is_nobody(session, vault, at, account):
    """No row for it and no query with it."""
    with pytest.raises(ValueError, match="look-up needs"):
        people.ensure(session, vault, account=account, at=at, new_id="p1")
    assert session.exec(select(PersonRecord)).all() == []


def test_a_person_needs_an_id(session, vault, at):
    """The key is bound to it."""
    with pytest.raises(ValueError, match="not empty"):
        people.ensure(session, vault, account=Account(11, "ada"), at=at, new_id="")


def test_two_sessions_at_once_make_one_person(sessions, vault, at):
    """Both get the same row; nobody sees an error."""
    start = Barrier(4)

    def sight(number):
        start.wait()
        with sessions() as session:
            return people.ensure(session, vault, account=Account(11, "ada"), at=at, new_id=f"p{number}").id

    with ThreadPoolExecutor(4) as pool:
        ids = set(pool.map(sight, range(4)))
    with sessions() as session:
        assert {row.id for row in session.exec(select(PersonRecord))} == ids
    assert len(ids) == 1


def test_an_erased_person_begins_anew(session, vault, at, person):
    """The row and its id stay, the key is another: what was sealed before opens no more; that they were erased stays known."""
    old = people.data_key(vault, person)
    sealed = vault.encrypt(old, b"Ada", "signature|evidence|s1")
    person.wrapped_key, person.erased_at, person.restricted_at = b"", at, at
    session.add(person)
    session.flush()
    assert people.is_erased(person)
    with pytest.raises(DecryptionFailed):
        people.data_key(vault, person)

    back = people.ensure(session, vault, account=Account(11, "ada"), at=at + timedelta(days=1), new_id="other")

    assert (back.id, back.erased_at, back.restricted_at) == (person.id, at, None)
    assert not people.is_erased(back)
    with pytest.raises(DecryptionFailed):
        vault.decrypt(people.data_key(vault, back), sealed, "signature|evidence|s1")


def test_coming_back_destroys_the_old_erasure_key(sessions, at, tmp_path):
    """Also where it stood there still; of three sessions at once all find the same data key, which opens."""
    file = ErasureKeyFile(tmp_path / "erasure-keys")
    file.make()
    vault = Vault(KeyRing.parse(KeyRing.generate("k1")), erasure_keys=file)
    with sessions() as session:
        person = people.ensure(session, vault, account=Account(11, "ada"), at=at, new_id="p11")
        old, wrapped = file.find("p11"), person.wrapped_key
        person.wrapped_key, person.erased_at = b"", at
        session.add(person)
    start = Barrier(3)

    def sight(number):
        start.wait()
        with sessions() as session:
            back = people.ensure(session, vault, account=Account(11, "ada"), at=at, new_id=f"p{number}")
            return people.data_key(vault, back)

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(sight, range(3)))) == 1
    assert file.find("p11") not in (old, None)
    with pytest.raises(DecryptionFailed):
        people.unwrap(vault, "p11", "k1", wrapped)
    with sessions() as session:
        assert people.with_erasure_key(session) == {"p11"}


def test_two_sessions_at_once_begin_anew_once(sessions, vault, at):
    """The second finds the key that the first made."""
    with sessions() as session:
        person = people.ensure(session, vault, account=Account(11, "ada"), at=at, new_id="p11")
        person.wrapped_key, person.erased_at = b"", at
        session.add(person)
    start = Barrier(3)

    def sight(number):
        start.wait()
        with sessions() as session:
            return people.ensure(session, vault, account=Account(11, "ada"), at=at, new_id=f"p{number}").wrapped_key

    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(sight, range(3)))) == 1
