"""Administrators find people and companies by text, number or the blind index of an address."""

from datetime import timedelta

import pytest

from agreements.facts import Account, Entry
from agreements.store import admin_search
from agreements.store.admin_search import SearchResult
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyManager, Enrolment
from agreements.store.tables.records import Erasure
from tests.agreements.store.company import add_company
from tests.within import within


@pytest.fixture(name="records")
def _records(session, vault, at, person, draft, fresh):
    """Ada with a signature and an address, Adam, and a company with a domain, an address and an account."""
    person_rows.ensure(within(session, vault, at, fresh), Account(12, "adam_x"))
    signatures.add(within(session, vault, at, fresh), person, draft(), receipt="AAAA-BBBB")
    proven = ProvenAddress(address="ada@huawei.com", how="mailed-code", at=at, until=at + timedelta(days=365))
    proof = emails.prove(within(session, vault, new_id=fresh), person, proven)
    covers = (Entry(domain="huawei.com"), Entry(email="temp@partner.org"), Entry(account_id=11))
    add_company(session, vault, at, "c1", *covers, name="100% Huawei")
    session.add(CompanyManager(id="m", company_id="c1", account_id=11, login="ada", since=at, added_by=11))
    session.add(Erasure(id="e", account_id=11, asked_at=at, state="asked"))
    session.add(
        Enrolment(
            id="n", company_id="c1", person_id=person.id, account_id=11, proof_id=proof.id, domain="huawei.com",
            since=at, until=at + timedelta(days=365),
        )
    )  # fmt: skip
    session.flush()


COMPANY = (("c1", "100% Huawei"),)
ADA = ((11, "ada"),)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ada", SearchResult((*ADA, (12, "adam_x")))),
        ("@ADA", SearchResult((*ADA, (12, "adam_x")))),
        ("11", SearchResult(ADA)),
        ("aaaa-bbbb", SearchResult((), (), ("AAAA-BBBB",))),
        ("hua", SearchResult((), COMPANY)),
        ("100%", SearchResult((), COMPANY)),
        ("HUAWEI.com.", SearchResult((), COMPANY)),
        ("Ada@Huawei.com", SearchResult(ADA)),
        ("temp@partner.org", SearchResult((), COMPANY)),
        ("%", SearchResult((), COMPANY)),
        ("_", SearchResult()),
        ("nobody@huawei.com", SearchResult()),
        ("a@@b", SearchResult()),
        ("  ", SearchResult()),
        ("9" * 30, SearchResult()),
    ],
)
def test_a_text_finds_logins_by_beginning_and_companies_by_part_without_wildcards(session, vault, records, text, found):
    assert admin_search.search(session, vault, text) == found


def test_a_found_person_shows_masked_addresses_companies_and_erasure_requests(session, vault, at, records):
    found = admin_search.person_details(session, vault, 11)

    assert [(proof.shown, proof.how) for proof in found.proofs] == [("a…a@huawei.com", "mailed-code")]
    assert found.manages == (("c1", "100% Huawei", at, None),)
    assert [row[0] for row in found.named_by] == ["c1"]
    assert [row[:2] for row in found.enrolled] == [("c1", "100% Huawei")]
    assert found.erasure_requests == ((at, "asked"),)
    assert admin_search.person_details(session, vault, 99) is None


def test_a_proof_whose_key_is_gone_shows_no_address(session, vault, person, records):
    person.wrapped_key = b""
    session.add(person)

    assert [proof.shown for proof in admin_search.person_details(session, vault, 11).proofs] == [None]


def test_waiting_and_existing_records_are_counted(session, at, records):
    found = admin_search.waiting(session, at=at)

    assert (found.erasure_requests, found.imported) == (1, 0)
    assert (found.people, found.signatures, found.companies) == (2, 1, 1)


def test_a_restricted_person_is_found_by_account_number_alone(session, vault, at, person, records):
    person.restricted_at = at
    session.add(person)
    session.flush()

    assert admin_search.search(session, vault, "ada") == SearchResult(((12, "adam_x"),))
    assert admin_search.search(session, vault, "ada@huawei.com") == SearchResult()
    assert admin_search.search(session, vault, "11") == SearchResult(((11, ""),))
