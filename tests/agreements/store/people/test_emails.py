"""A proven address belongs to one account for a time; it is found by account or by fingerprint, never in clear."""

import threading
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.records import Proof
from agreements.vault import DecryptionFailed, KeyRing, Vault
from tests.within import within

YEAR = timedelta(days=365)


@pytest.fixture(name="prove")
def _prove(session, vault, at, person, fresh):
    """Proves an address, by default Ada's for a year from `at`."""

    def prove(address="ada@huawei.com", how="mailed-code", start=at, until=at + YEAR, who=person):
        return emails.prove(
            within(session, vault, new_id=fresh), who, ProvenAddress(address=address, how=how, at=start, until=until)
        )

    return prove


@pytest.fixture(name="proven")
def _proven(session, vault):
    return lambda at, *ids: emails.proven(session, vault, ids or (11, 12), at)


def test_a_proof_counts_from_its_moment_until_before_its_end(at, prove, proven):
    prove()
    assert proven(at) == proven(at + YEAR - timedelta(microseconds=1)) == {11: ("ada@huawei.com",)}
    assert proven(at - timedelta(seconds=1)) == proven(at + YEAR) == {}


def test_addresses_are_kept_in_one_spelling_and_sorted(at, prove, proven):
    prove("Ada@Huawei.COM", until=None)
    prove("ada@huawei.com.", how="github-verified")
    prove("a@z.org")
    assert proven(at) == {11: ("a@z.org", "ada@huawei.com")}


@pytest.mark.parametrize("address", ["", "  ", "no address", "a@@b.org", '"a b"@c.org', None])
def test_an_invalid_address_is_not_proven_and_not_repeated(session, prove, address):
    with pytest.raises(ValueError, match="a look-up needs"):
        prove(address)
    assert session.exec(select(Proof)).all() == []


def test_a_new_proof_prolongs_a_running_one_and_the_longer_end_wins(session, at, prove, proven):
    prove()
    prove(start=at + timedelta(days=300), until=at + 2 * YEAR)
    prove(start=at + timedelta(days=301), until=at + timedelta(days=302))
    assert [(row.at, row.until) for row in session.exec(select(Proof))] == [(at, at + 2 * YEAR)]
    prove(start=at + YEAR, until=None)
    prove(start=at + YEAR, until=at + 3 * YEAR)
    assert [row.until for row in session.exec(select(Proof))] == [None]
    assert proven(at + 9 * YEAR) == {11: ("ada@huawei.com",)}


def test_a_lapsed_proof_leaves_its_gap(session, at, prove, proven):
    prove()
    prove(start=at + 2 * YEAR, until=at + 3 * YEAR)
    assert len(session.exec(select(Proof)).all()) == 2
    assert [bool(proven(at + years * YEAR)) for years in (0, 1, 2, 3)] == [True, False, True, False]


def test_an_address_may_be_proven_by_two_accounts(session, vault, at, prove, proven):
    bo = person_rows.ensure(within(session, vault, at, "p12"), Account(12, "bo"))
    prove()
    prove(who=bo, until=at + timedelta(days=1))
    assert proven(at) == {11: ("ada@huawei.com",), 12: ("ada@huawei.com",)}
    assert proven(at, 12) == {12: ("ada@huawei.com",)}
    assert proven(at + timedelta(days=1)) == {11: ("ada@huawei.com",)}


def test_no_ids_find_nothing_and_a_missing_id_is_an_error(session, vault, at, prove):
    prove()
    assert emails.proven(session, vault, [], at) == {}
    with pytest.raises(ValueError, match="account id"):
        emails.proven(session, vault, [None], at)


def test_addresses_are_found_while_keys_rotate(session, at, fresh):
    old, new = KeyRing.generate("old"), KeyRing.generate("new")
    before, during, after = (Vault(KeyRing.parse(text)) for text in (old, f"{new}\n{old}", new))
    ada = person_rows.ensure(within(session, before, at, "p11"), Account(11, "ada"))
    proof = ProvenAddress(address="ada@huawei.com", how="mailed-code", at=at)
    emails.prove(within(session, before, new_id=fresh), ada, proof)
    emails.prove(within(session, during, new_id=fresh), ada, proof)
    assert len(session.exec(select(Proof)).all()) == 1
    assert emails.proven(session, during, [11], at) == {11: ("ada@huawei.com",)}
    with pytest.raises(DecryptionFailed):
        emails.proven(session, after, [11], at)


def test_an_address_moved_to_another_row_does_not_open(session, at, prove, proven):
    first, second = prove("a@b.org"), prove("c@d.org")
    first.address, second.address = second.address, first.address
    session.flush()
    with pytest.raises(DecryptionFailed):
        proven(at)


def test_a_printed_proof_shows_no_address(at):
    assert "ada" not in repr(ProvenAddress(address="ada@huawei.com", how="mailed-code", at=at))


def test_only_proofs_of_the_wanted_kinds_count(session, vault, at, prove):
    """A mailed code proves more than GitHub's word that it once verified the address."""
    ada = prove("a@x.org", how="github-verified").account_id
    prove("b@x.org", how="mailed-code")

    assert {ada: ("b@x.org",)} == emails.proven(session, vault, [ada], at, how=("mailed-code",))
    assert {ada: ("a@x.org", "b@x.org")} == emails.proven(session, vault, [ada], at)


def test_owners_see_all_their_proofs_and_remove_only_their_own(session, vault, person, at):
    for name, until in (("b@x.org", at + timedelta(days=1)), ("a@x.org", None)):
        proven = ProvenAddress(address=name, how="mailed-code", at=at, until=until)
        emails.prove(within(session, vault, new_id=name), person, proven)
    later = at + timedelta(days=2)
    seen = emails.of_account(session, vault, 11, later)

    assert [(address.proven.address, address.running) for address in seen] == [("a@x.org", True), ("b@x.org", False)]
    assert emails.of_account(session, vault, 12, at) == ()
    assert emails.remove(session, 12, seen[0].id, later) is None
    assert emails.remove(session, 11, seen[0].id, later) == ()
    assert [address.proven.address for address in emails.of_account(session, vault, 11, later)] == ["b@x.org"]


def test_a_removal_waits_for_a_concurrent_change_of_the_person(sessions, vault, at):
    """The end of an enrolment has read its proof already and would find it gone."""
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))
        emails.prove(
            within(session, vault, new_id="a"), person, ProvenAddress(address="a@x.org", how="mailed-code", at=at)
        )
    removed = []

    def remove():
        with sessions() as session:
            removed.append(emails.remove(session, 11, "a", at))

    with sessions() as session:
        person_rows.lock(session, person_rows.find(session, 11))
        removing = threading.Thread(target=remove)
        removing.start()
        removing.join(0.3)
        assert removed == []
    removing.join()
    assert removed == [()]
