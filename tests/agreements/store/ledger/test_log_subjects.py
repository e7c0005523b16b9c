"""The subject of an entry is a person or a company with its data key, else this site."""

from agreements.facts import Account
from agreements.store.companies import companies, company_rows
from agreements.store.companies.companies import CompanyDraft
from agreements.store.ledger import log_subjects
from agreements.store.ledger.stored_ledger import SERVER
from agreements.store.people import person_rows
from tests.within import within


def company(session, vault, at):
    """A company with a key of its own."""
    draft = CompanyDraft(party="The CANN Authors", name="One", agreement="ccla", version="2.0", signed_at=at)
    return companies.add(within(session, vault, new_id="c1"), draft)


def test_a_person_and_a_company_are_found_with_their_keys(session, vault, at, person):
    firm = company(session, vault, at)
    key = person_rows.data_key(vault, person)

    assert log_subjects.subject_of(session, vault, 11).key.secret == key.secret
    assert log_subjects.subject_named(session, vault, "person", person.id).id == person.id
    assert log_subjects.subject_named(session, vault, "company", "c1") == company_rows.subject(vault, firm)
    assert log_subjects.subject_named(session, vault, "server", "server") is SERVER


def test_several_subjects_with_open_keys_are_found_by_id(session, vault, at, person):
    company(session, vault, at)
    gone = person_rows.ensure(within(session, vault, at, "p12"), Account(12, "bo"))
    gone.wrapped_key = b""
    session.flush()
    found = log_subjects.data_keys(session, vault, "person", [person.id, gone.id, "nobody"])

    assert {name: key.secret for name, key in found.items()} == {person.id: person_rows.data_key(vault, person).secret}
    assert list(log_subjects.data_keys(session, vault, "company", ["c1", person.id])) == ["c1"]


def test_an_unknown_subject_or_one_without_a_key_has_none(session, vault, at, person):
    company(session, vault, at)
    assert log_subjects.subject_of(session, vault, 12) is SERVER
    assert log_subjects.subject_named(session, vault, "person", "gone") is None
    assert log_subjects.subject_named(session, vault, "thing", "x") is None
    assert log_subjects.subject_named(session, vault, "company", "gone") is None
    person.wrapped_key = b""
    session.add(person)
    assert log_subjects.subject_named(session, vault, "person", person.id) is None
    assert log_subjects.subject_of(session, vault, 11) is SERVER
