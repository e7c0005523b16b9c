"""Pages begin behind an id; sealed values are opened only with the vault."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store import listing
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.listing import SignatureFilter
from agreements.store.people import person_rows, signatures, withdrawals
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import SignatureRecord
from tests.within import within


@pytest.fixture(name="filled")
def _filled(session, vault, at, draft, fresh):
    """Three signatures of two people, and a company with an address."""
    for number, account_id in enumerate((11, 12, 11)):
        person = person_rows.ensure(within(session, vault, at, fresh), Account(account_id, f"u{account_id}"))
        signatures.add(within(session, vault, at, f"s{number}"), person, draft(), receipt=f"R{number}", anew=True)
    company = companies.add(
        within(session, vault, new_id="c1"),
        CompanyDraft(party="The CANN Authors", name="One", agreement="ccla", version="2.0", signed_at=at),
    )
    companies.add_entry(within(session, vault, at, "e1"), company, Entry(email="eve@x.org"))


def test_signatures_are_listed_behind_an_id_up_to_a_limit(session, vault, at, filled):
    ids = [
        [row["id"] for row in listing.signatures_page(session, None, wanted)]
        for wanted in (
            SignatureFilter(),
            SignatureFilter(after="s0", most=1),
            SignatureFilter(account_id=11),
            SignatureFilter(agreement="x"),
            SignatureFilter(since=at),
        )
    ]
    assert ids == [["s0", "s1", "s2"], ["s1"], ["s0", "s2"], [], ["s0", "s1", "s2"]]
    assert "email" not in listing.signatures_page(session, None, SignatureFilter())[0]
    assert listing.signatures_page(session, vault, SignatureFilter())[0]["email"] == "ada@huawei.com"


def test_since_finds_older_signatures_that_were_withdrawn_since(session, vault, at, filled):
    later = at + timedelta(days=9)
    withdrawals.withdraw(within(session, vault, later, by=12), "R1")
    (found,) = listing.signatures_page(session, None, SignatureFilter(since=later))
    assert (found["id"], found["withdrawn_at"]) == ("s1", later)
    assert listing.signatures_page(session, None, SignatureFilter(since=later + timedelta(seconds=1))) == ()


def test_an_erased_person_s_name_is_none(session, vault, filled):
    person = person_rows.find(session, 11)
    person.wrapped_key = b""
    session.add(person)
    assert [row["email"] for row in listing.signatures_page(session, vault, SignatureFilter())] == [
        None,
        "ada@huawei.com",
        None,
    ]


def test_a_restricted_person_s_login_name_and_address_are_never_listed(session, vault, at, filled):
    person = person_rows.find(session, 11)
    person.restricted_at = at
    session.add(person)
    for key in (None, vault):
        found = listing.signatures_page(session, key, SignatureFilter())
        assert [(row["restricted"], row["login"]) for row in found] == [(True, None), (False, "u12"), (True, None)]
    assert [(row["name"], row["email"]) for row in found] == [
        (None, None),
        ("Ada 爱达 𠮷", "ada@huawei.com"),
        (None, None),
    ]


def test_a_company_with_a_text_that_the_catalog_lacks_is_marked(session, vault, filled):
    row = session.exec(select(CompanyRecord)).one()
    signed = session.exec(select(SignatureRecord)).first()
    row.signature_id, row.agreement = signed.id, signed.agreement
    session.flush()
    for texts, missing in (((), True), ([("icla", "2.0", "en", "a" * 64)], False)):
        assert listing.companies_page(session, accepted=texts)[0]["text_missing"] is missing
        assert listing.company(session, vault, row.id, accepted=texts)["text_missing"] is missing


def test_companies_are_listed_with_their_entries(session, vault, filled):
    assert [row["name"] for row in listing.companies_page(session, accepted=())] == ["One"]
    assert listing.companies_page(session, accepted=(), after="c1") == ()
    assert "email" not in listing.company(session, None, "c1", accepted=())["entries"][0]
    assert listing.company(session, vault, "c1", accepted=())["entries"][0]["email"] == "eve@x.org"
    assert listing.company(session, None, "c9", accepted=()) is None
    with pytest.raises(ValueError, match="not empty"):
        listing.company(session, None, "", accepted=())
    with pytest.raises(ValueError, match="account id"):
        listing.signatures_page(session, None, SignatureFilter(account_id=0))
