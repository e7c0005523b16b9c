"""Subjects: whom a change is about, with their key as long as there is one."""

import pytest

from agreements.facts import Account
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.ledger.ledger import SERVER
from agreements.store.people import people, subjects


def company(session, vault, at):
    """A company with a key of its own."""
    draft = CompanyDraft(party="The CANN Authors", name="One", agreement="ccla", version="2.0", signed_at=at)
    return companies.add(session, vault, draft, new_id="c1")


def test_a_person_and_a_company_are_found_with_their_keys(session, vault, at, person):
    """By account, by company id, and as a log entry names them."""
    one = company(session, vault, at)
    key = people.data_key(vault, person)

    assert subjects.of_account(session, vault, 11).key.secret == key.secret
    assert subjects.named(session, vault, "person", person.id).id == person.id
    assert subjects.of_company(session, vault, "c1").id == one.id
    assert subjects.named(session, vault, "company", "c1").key.secret
    assert subjects.named(session, vault, "server", "server") is SERVER


def test_several_keys_at_once(session, vault, at, person):
    """Those that are there and open, by id."""
    company(session, vault, at)
    gone = people.ensure(session, vault, account=Account(12, "bo"), at=at, new_id="p12")
    gone.wrapped_key = b""
    session.flush()
    found = subjects.keys(session, vault, "person", [person.id, gone.id, "nobody"])

    assert {one: key.secret for one, key in found.items()} == {person.id: people.data_key(vault, person).secret}
    assert list(subjects.keys(session, vault, "company", ["c1", person.id])) == ["c1"]


def test_who_is_not_there_or_has_no_key_is_nobody(session, vault, at, person):
    """An account of which nothing is kept has no key to seal with: the server's is used."""
    company(session, vault, at)
    assert subjects.of_account(session, vault, 12) is SERVER
    assert subjects.named(session, vault, "person", "gone") is None
    assert subjects.named(session, vault, "thing", "x") is None
    assert subjects.named(session, vault, "company", "gone") is None
    with pytest.raises(LookupError):
        subjects.of_company(session, vault, "gone")
    person.wrapped_key = b""
    session.add(person)
    assert subjects.named(session, vault, "person", person.id) is None
    assert subjects.of_account(session, vault, 11) is SERVER
