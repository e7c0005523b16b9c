"""Erasure of a person: rows to keep, rows to delete and keys to destroy, table by table."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store import erasures
from agreements.store.companies import companies, managers
from agreements.store.companies.companies import CompanyDraft
from agreements.store.erasures import DELETED, ErasureBlockers, ErasureRefused
from agreements.store.people import emails, erasure_requests, person_rows, signatures, withdrawals
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyManager, CompanyRecord, Enrolment, SignatoryRequest
from agreements.store.tables.records import DocumentRecord, ImportedEntry, OneTimeCode, PersonRecord, Proof, Withdrawal
from agreements.vault import place
from tests.logged import log_rows
from tests.within import within

YEAR = timedelta(days=365)


@pytest.fixture(name="signed")
def _signed(session, vault, at, person, draft, fresh):
    """Ada's ICLA."""
    return signatures.add(within(session, vault, at, fresh), person, draft(), receipt="R-1")


@pytest.fixture(name="full")
def _full(session, vault, at, person, signed, fresh):
    """Ada has one of everything: code, proofs, enrolments (one over), files, imported entries, an office."""
    key = person_rows.data_key(vault, person)
    company = companies.add(within(session, vault, new_id="c1"), CompanyDraft(party="The CANN Authors", name="One", agreement="ccla", version="2.0", signed_at=at, countersigned_at=at))  # fmt: skip
    for number in (1, 2):
        proven = ProvenAddress(address=f"ada@{number}.example.org", how="mailed-code", at=at)
        emails.prove(within(session, vault, new_id=f"proof{number}"), person, proven)
        ended = None if number == 1 else at
        session.add(
            Enrolment(
                id=f"e{number}", company_id=company.id, person_id=person.id, account_id=11, proof_id=f"proof{number}",
                domain="example.org", since=at, until=at + YEAR, ended_at=ended,
            )
        )  # fmt: skip
        session.add(
            DocumentRecord(
                id=f"d{number}", person_id=person.id, signature_id=signed.row.id if number == 1 else None,
                service="paper", name=vault.encrypt(key, b"x.pdf", "x"), media_type="application/pdf", size=1, sha256="0" * 64,
                content=b"sealed", recorded_at=at, recorded_by=90,
            )
        )  # fmt: skip
        session.add(
            ImportedEntry(
                id=f"i{number}", key=f"k{number}", format="plain", login="ada", account_id=11, agreement="icla",
                version="1.0", signed_at=at, sealed=b"", state="counted", imported_at=at,
                signature_id=signed.row.id if number == 1 else None,
            )
        )  # fmt: skip
    session.add(
        OneTimeCode(
            id="code", person_id=person.id, account_id=11, address=b"sealed", address_index=b"i", code_hash="h",
            made_at=at, expires_at=at, tries_left=1,
        )
    )  # fmt: skip
    session.add(
        SignatoryRequest(
            id="asked", person_id=person.id, account_id=11, token_hash="h", sealed=b"sealed", address_index=b"i",
            made_at=at, sent_at=at, sent=1, expires_at=at,
        )
    )  # fmt: skip
    session.add(CompanyManager(id="m1", company_id="c1", account_id=11, login="ada", since=at, added_by=90))
    log_rows(session, vault)
    return company


def left(session):
    """Ids of what is left, by table."""
    tables = (Proof, Enrolment, DocumentRecord, ImportedEntry, OneTimeCode, SignatoryRequest)
    return {table.__name__: sorted(row.id for row in session.exec(select(table))) for table in tables}


def test_signatures_and_offices_of_the_person_must_be_kept(session, vault, at, person, signed, full):
    assert erasures.holds(session, 11, at=at) == ErasureBlockers(signatures=1, in_force=1, offices=1)
    withdrawals.withdraw(within(session, vault, at + YEAR, by=11), signed.row.receipt)
    assert erasures.holds(session, 11, at=at + 2 * YEAR) == ErasureBlockers(1, 0, 1, at + YEAR)
    assert erasures.holds(session, 12, at=at) == ErasureBlockers()
    assert not ErasureBlockers().evidence


def test_a_signature_for_a_company_is_kept_until_its_agreement_ends(session, at, asking):
    asking()
    assert erasures.holds(session, 11, at=at).in_force == 1
    session.get(CompanyRecord, "c1").ended_at = at + YEAR
    assert erasures.holds(session, 11, at=at + 2 * YEAR).in_force == 0
    assert erasures.holds(session, 11, at=at).last_end == at + YEAR


def test_an_office_at_a_company_never_countersigned_is_not_kept(session, at, asking):
    asking()
    assert erasures.holds(session, 12, at=at) == ErasureBlockers()
    session.get(CompanyRecord, "c1").countersigned_at = at
    assert erasures.holds(session, 12, at=at) == ErasureBlockers(offices=1)

    (row,) = session.exec(select(CompanyManager).where(CompanyManager.account_id == 12)).all()
    assert erasures.delete(session, 12, None).deleted == [("company_manager", row.id)]
    assert [manager.account.id for manager in managers.in_office(session, "c1", at=at)] == [11]


def test_a_deletion_removes_the_person_and_all_their_rows(session, at, person):
    change = erasures.delete(session, 11, person)
    assert change.deleted == [("person", "p11")]
    assert session.exec(select(PersonRecord)).all() == []


def test_a_restriction_keeps_proofs_of_agreements_and_enrolments_alone(session, vault, at, person, full):
    told = erasures.going(session, vault, 11, everything=False, at=at)
    change = erasures.restrict(session, vault, person, at=at)

    assert told == {
        "document": 1,
        "enrolment": 1,
        "imported": 1,
        "proof": 1,
        "one_time_code": 1,
        "signatory_request": 1,
    }
    assert left(session) == {
        "Proof": ["proof1"], "Enrolment": ["e1"], "DocumentRecord": ["d1"], "ImportedEntry": ["i1"], "OneTimeCode": [],
        "SignatoryRequest": [],
    }  # fmt: skip
    assert sorted(change.deleted) == [("document", "d2"), ("enrolment", "e2"), ("imported", "i2"), ("proof", "proof2")]
    assert person.restricted_at == at
    assert managers.manages(session, vault, 11, "c1", at=at), "an office stays until it is handed over"


@pytest.mark.parametrize(("until", "stays"), [(None, True), (YEAR, True), (timedelta(0), False)])
def test_a_proof_by_which_a_company_covers_is_kept_while_it_runs(session, vault, at, person, until, stays):
    draft = CompanyDraft(
        party="The CANN Authors", name="One", agreement="ccla", version="2.0", signed_at=at, countersigned_at=at
    )
    company = companies.add(within(session, vault, new_id="c1"), draft)
    companies.add_entry(within(session, vault, at, "entry"), company, Entry(domain="example.org"))
    proven = ProvenAddress(
        address="ada@example.org", how="mailed-code", at=at - YEAR, until=None if until is None else at + until
    )
    emails.prove(within(session, vault, new_id="proof"), person, proven)
    erasures.restrict(session, vault, person, at=at)

    assert left(session)["Proof"] == (["proof"] if stays else [])


def test_a_shredding_destroys_the_key_and_leaves_the_signature_row(session, vault, at, person, signed, full):
    person.restricted_at = at
    change = erasures.shred(session, person, at=at + YEAR)

    assert left(session) == {
        "Proof": [], "Enrolment": [], "DocumentRecord": [], "ImportedEntry": [], "OneTimeCode": [], "SignatoryRequest": [],
    }  # fmt: skip
    named = [row.login for row in change.rows if not isinstance(row, Withdrawal)]
    assert named == ["erased", "erased"], "in the company's list, and their own"
    assert (person.wrapped_key, person.login, person.restricted_at, person.erased_at) == (
        b"",
        "erased",
        None,
        at + YEAR,
    )
    view = signatures.receipt(session, vault, signed.row.receipt, 11)
    assert (view.erased, view.draft.name, view.draft.source_sha256) == (True, "", "a" * 64)


def test_mail_goes_to_the_newest_signature_s_address_else_to_a_proven_one(session, vault, at, signed, draft, person):
    assert erasures.write_to(session, vault, 11) == ("ada@huawei.com", "en")
    later = draft(version="3.0", language="zh", email="ada@example.org")
    signatures.add(within(session, vault, at + YEAR, "s2"), person, later, receipt="R-2")
    assert erasures.write_to(session, vault, 11) == ("ada@example.org", "zh")

    bob = person_rows.ensure(within(session, vault, at, "p12"), Account(12, "bob"))
    assert erasures.write_to(session, vault, 12) is None
    emails.prove(
        within(session, vault, new_id="b1"), bob, ProvenAddress(address="bob@example.org", how="mailed-code", at=at)
    )
    assert erasures.write_to(session, vault, 12) == ("bob@example.org", "en")
    assert erasures.write_to(session, vault, 13) is None


def test_a_request_is_ordered_claimed_and_due_once(session, vault, at):
    row = erasures.order(within(session, vault, at, "x1"), 77, "court order")
    with pytest.raises(ErasureRefused, match="decided"):
        erasures.order(within(session, vault, at, "x2"), 77, "again")
    assert vault.decrypt_for_server(row.reason, place("erasure", "reason", "x1")) == b"court order"
    assert erasures.claim(session, "x1") == (row, None)
    with pytest.raises(ErasureRefused, match="unknown"):
        erasures.claim(session, "none")

    erasures.decide(vault, row, erasures.RESTRICTED, reason="claims", decided_at=at, decided_by=90, due_at=at + YEAR)
    assert erasure_requests.reason_of(vault, row) == "claims"
    with pytest.raises(ErasureRefused, match="decided"):
        erasures.claim(session, "x1")
    assert erasure_requests.ask(within(session, vault, at, "x3", by=78))
    assert [erasure.id for erasure in erasures.listed(session)] == ["x3", "x1"]
    assert [erasure.id for erasure in erasures.listed(session, skip=1, most=1)] == ["x1"]
    assert erasures.due(session, at=at) == ()
    assert erasures.due(session, at=at + YEAR) == ("x1",)


def test_a_span_of_years_ends_on_the_same_day_or_the_first_of_march():
    assert erasures.later(datetime(2026, 11, 21, tzinfo=UTC), 10) == datetime(2036, 11, 21, tzinfo=UTC)
    assert erasures.later(datetime(2028, 2, 29, tzinfo=UTC), 10) == datetime(2038, 3, 1, tzinfo=UTC)


def test_the_second_of_two_concurrent_administrators_hears_that_it_was_decided(sessions, vault, at):
    with sessions() as session:
        erasure_id = erasures.order(within(session, vault, at, "w"), 77, "court order").id
    refused = []

    def decide():
        with sessions() as session, pytest.raises(ErasureRefused, match="decided"):
            erasures.claim(session, erasure_id)
        refused.append(True)

    with sessions() as session:
        row, person = erasures.claim(session, erasure_id)
        second = threading.Thread(target=decide)
        second.start()
        second.join(0.3)
        assert (person, refused) == (None, [])
        erasures.decide(vault, row, DELETED, decided_at=at, decided_by=90, done_at=at)
    second.join()
    assert refused == [True]
