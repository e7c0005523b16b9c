"""A company's rows, as a decision knows them."""

from datetime import timedelta

import pytest

from agreements.facts import Entry
from agreements.store.companies import companies, company_facts
from agreements.store.companies.companies import CompanyDraft
from agreements.vault import DecryptionFailed


@pytest.fixture(name="company")
def _company(session, vault, at):
    """One that was countersigned a day after it was signed."""
    draft = CompanyDraft(
        party="The CANN Authors",
        name="Huawei",
        agreement="ccla",
        version="2.0",
        signed_at=at,
        countersigned_at=at + timedelta(days=1),
    )
    return companies.add(session, vault, draft, new_id="c1")


def test_in_force_from_the_later_signature(session, vault, at, company):
    """Entries stand apart by what they say: in, or out; addresses are opened."""
    entries = [
        companies.add_entry(session, vault, company, Entry(email="a@b.org"), at=at, new_id="e1"),
        companies.add_entry(session, vault, company, Entry(account_id=7), at=at, new_id="e2", excluded=True),
    ]
    fact = company_facts.fact(vault, company, entries, party="The CANN Authors")

    assert fact.party == "The CANN Authors"
    assert fact.signed_at == at + timedelta(days=1)
    assert fact.covers == (Entry(email="a@b.org"),)
    assert fact.excludes == (Entry(account_id=7),)


def test_an_exchanged_address_does_not_open(session, vault, at, company):
    """Each is sealed for its own row."""
    one = companies.add_entry(session, vault, company, Entry(email="a@b.org"), at=at, new_id="e1")
    other = companies.add_entry(session, vault, company, Entry(email="c@b.org"), at=at, new_id="e2")
    one.email = other.email

    with pytest.raises(DecryptionFailed):
        company_facts.entry_fact(vault, company, one)
