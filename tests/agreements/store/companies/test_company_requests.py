"""A company's agreement counts once an authorised person signed it and an administrator countersigned."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store.companies import (
    companies,
    company_agreements,
    company_requests,
    domain_claims,
    managers,
    renewals,
)
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.people import signatures
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import DecryptionFailed, KeyRing, Vault
from tests.agreements.store.company import add_company
from tests.logged import log_rows
from tests.within import within

DAY = timedelta(days=1)
TEXTS = [("ccla", "2.0", "en", "a" * 64)]


@pytest.fixture(name="database_url")
def _database_url(tmp_path):
    """What has to wait for each other is tested on both databases, in test_company_rows.py; here SQLite is enough."""
    return f"sqlite:///{tmp_path / 'test.db'}"


@pytest.fixture(name="decide")
def _decide(session, vault, at, fresh):
    """Countersign, refuse or end, as administrator 90 unless said otherwise."""

    def decide(what, company_id="c1", **changes):
        context = within(session, vault, changes.pop("at", at), fresh, by=changes.pop("by", 90))
        getattr(company_requests, what)(context, company_id, **{"reason": "known to us"} | changes)

    return decide


def test_a_request_stores_evidence_a_company_and_two_managers_in_one_log_entry(session, vault, asking, logged, at):
    assert asking() == "c1"

    seen = company_requests.overview(session, "c1", accepted=TEXTS, at=at)
    assert (seen.name, seen.state, seen.requested_by) == ("Huawei", "requested", 11)
    assert [manager.account.id for manager in managers.in_office(session, "c1", at=at)] == [11, 12]
    opened = company_requests.opened(session, vault, "c1")
    assert dict(opened.fields) == {"legal-name": "Huawei", "registration": "9144"}
    assert opened.signed.draft.fields["title"] == "Head of OSS"
    assert (opened.signed.draft.name, opened.signed.account_id) == ("Ada 爱达 𠮷", 11)
    assert logged() == [("company.requested", "company")]


def test_a_request_sent_twice_is_one_request(session, asking, logged):
    assert asking() == asking() == "c1"
    assert (len(session.exec(select(CompanyRecord)).all()), len(session.exec(select(SignatureRecord)).all())) == (1, 1)
    assert len(logged()) == 1


def revoked(session, vault, at, *, logged=True):
    """The signature under the agreement is revoked, as releases before allowed it."""
    row = session.exec(select(CompanyRecord)).one()
    session.add(Withdrawal(signature_id=row.signature_id, at=at, by_account_id=90, kind="revocation"))
    session.flush()
    if logged:
        log_rows(session, vault)


def test_a_request_whose_signature_was_revoked_is_neither_countersigned_nor_refused(session, vault, asking, decide, at):
    asking()
    revoked(session, vault, at)
    for what in ("countersign", "refuse"):
        with pytest.raises(CompanyRefused, match="decided"):
            decide(what)


@pytest.mark.parametrize("is_logged", [True, False])
def test_an_agreement_that_outlives_its_signature_ends_with_it_if_the_log_has_it(
    session, vault, asking, decide, at, is_logged
):
    asking()
    decide("countersign")
    revoked(session, vault, at + DAY, logged=is_logged)
    assert list(company_agreements.revoked(session)) == ["c1"]
    for _twice in range(2):
        company_requests.end_revoked(within(session, vault, at + 2 * DAY), "c1")

    row = session.exec(select(CompanyRecord)).one()
    assert row.ended_at == (at + DAY if is_logged else None)
    assert company_requests.opened(session, vault, "c1").ending == (company_requests.REVOKED if is_logged else "")
    ends = select(LedgerEntry).where(LedgerEntry.kind == "company.ended")
    assert len(session.exec(ends).all()) == is_logged
    assert company_agreements.revoked(session) == ({} if is_logged else {"c1": (row.signature_id, at + DAY)})


def test_a_person_s_own_signature_of_the_text_is_not_reused_for_the_company(session, vault, asking, draft, person, at):
    own = signatures.add(within(session, vault, at, "own"), person, draft(agreement="ccla"), receipt="R-own").row
    log_rows(session, vault)
    assert session.get(CompanyRecord, asking()).signature_id != own.id


def test_one_person_signs_for_three_companies_and_a_fourth_request_waits(asking):
    for number in range(company_requests.MAX_OPEN_REQUESTS):
        asking(f"c{number}", name=f"Company {number}")
    with pytest.raises(CompanyRefused, match="too-many"):
        asking("c9")


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (Account(11, "ada"), "same-person"),
        (Account(5, "x[bot]"), "no-person"),
        (Account(6, "o", "Organization"), "no-person"),
    ],
)
def test_the_second_manager_must_be_another_human_account(asking, second, reason):
    with pytest.raises(CompanyRefused, match=reason):
        asking(second=second)


def test_a_company_covers_only_from_its_countersignature_which_lasts_a_year(session, vault, asking, decide, logged, at):
    asking()
    company = session.get(CompanyRecord, "c1")
    companies.add_entry(within(session, vault, at, "e1"), company, Entry(account_id=77))
    texts = [("ccla", "2.0", "en", "a" * 64)]
    assert company_agreements.relevant(session, vault, [77], [], accepted=texts) == ()
    assert [overview.id for overview in company_requests.pending(session, accepted=(), at=at)] == ["c1"]

    decide("countersign")
    seen = company_requests.overview(session, "c1", accepted=TEXTS, at=at)
    assert (seen.state, seen.countersigned_at, seen.renew_by) == ("in force", at, at + renewals.RENEWAL_PERIOD)
    assert [company.name for company in company_agreements.relevant(session, vault, [77], [], accepted=texts)] == [
        "Huawei"
    ]
    assert company_requests.pending(session, accepted=(), at=at) == ()
    assert logged()[1:] == [("company.countersigned", "company")]
    for again in ("countersign", "refuse"):
        with pytest.raises(CompanyRefused, match="decided"):
            decide(again)


def test_a_company_whose_text_the_catalog_lacks_covers_no_person(session, vault, asking, decide, at):
    asking()

    def coverage_of(texts, when=at):
        seen = company_requests.overview(session, "c1", accepted=texts, at=when)
        return seen.state, seen.text_missing

    assert (coverage_of(TEXTS), coverage_of(())) == (("requested", False), ("requested", True))
    decide("countersign")
    assert (coverage_of(TEXTS), coverage_of(())) == (("in force", False), ("text missing", True))
    assert company_requests.of_manager(session, vault, 12, accepted=(), at=at)[0].state == "text missing"
    decide("end", until=at + DAY)
    assert coverage_of((), at + DAY)[0] == "ended"


@pytest.mark.parametrize("by", [11, 12])
@pytest.mark.parametrize("what", ["countersign", "refuse"])
def test_no_person_decides_about_a_company_that_they_signed_for_or_manage(asking, decide, what, by):
    asking()
    with pytest.raises(CompanyRefused, match="own"):
        decide(what, by=by)


def test_no_person_decides_about_a_company_that_they_managed_before(session, vault, asking, decide, at, fresh):
    """A manager could leave just before the decision and put another person in their place."""
    asking()
    managers.leave(within(session, vault, at, fresh, by=12), "c1", 12, successor=Account(13, "cyd"))

    assert not managers.manages(session, vault, 12, "c1", at=at)
    assert managers.ever_managed(session, 12, "c1")
    assert not managers.ever_managed(session, 12, "c2")
    with pytest.raises(CompanyRefused, match="own"):
        decide("countersign", by=12)


def test_a_countersignature_without_a_proven_domain_needs_a_reason(session, vault, asking, decide, at, fresh):
    asking()
    with pytest.raises(CompanyRefused, match="reason-needed"):
        decide("countersign", reason=" ")
    claim = domain_claims.claim(
        within(session, vault, at, fresh, by=11), "c1", "huawei.com", addresses=["a@huawei.com"]
    )
    domain_claims.prove(within(session, vault, at, fresh, by=11), claim)
    decide("countersign", reason="")


def test_a_company_with_one_remaining_manager_is_not_countersigned(session, asking, decide, at):
    asking()
    session.exec(select(companies.CompanyRecord))
    row = session.exec(select(managers.CompanyManager).where(managers.CompanyManager.account_id == 12)).one()
    row.until = at
    session.add(row)
    session.flush()
    with pytest.raises(CompanyRefused, match="two-managers"):
        decide("countersign")


def test_a_refusal_gives_its_reason_and_frees_the_domains(  # noqa: PLR0917 - fixtures are arguments
    session, vault, asking, decide, logged, at, fresh
):
    asking()
    claim = domain_claims.claim(
        within(session, vault, at, fresh, by=11), "c1", "huawei.com", addresses=["a@huawei.com"]
    )
    domain_claims.prove(within(session, vault, at, fresh, by=11), claim)
    with pytest.raises(CompanyRefused, match="reason-needed"):
        decide("refuse", reason="")
    decide("refuse", reason="Not known there")

    assert company_requests.overview(session, "c1", accepted=TEXTS, at=at).state == "refused"
    assert company_requests.opened(session, vault, "c1").refusal == "Not known there"
    assert logged()[-1] == ("company.refused", "company")
    other = add_company(session, vault, at, "c2", name="O", countersigned_at=None)
    assert not companies.taken(session, other, "huawei.com", at, subdomains=True)


def test_an_end_is_for_now_or_later_and_the_earlier_end_stands(session, vault, asking, decide, logged, at):
    asking()
    with pytest.raises(CompanyRefused, match="not-in-force"):
        decide("end", until=at + DAY)
    decide("countersign")
    with pytest.raises(CompanyRefused, match="past"):
        decide("end", until=at - DAY)
    decide("end", until=at + 30 * DAY)
    assert company_requests.overview(session, "c1", accepted=TEXTS, at=at).state == "in force"
    assert company_requests.overview(session, "c1", accepted=TEXTS, at=at + 30 * DAY).state == "ended"
    stated = company_requests.opened(session, vault, "c1")
    decide("end", until=at + DAY, reason=" Merged ")
    assert company_requests.opened(session, vault, "c1") == replace(stated, ending="Merged")
    with pytest.raises(CompanyRefused, match="over"):
        decide("end", until=at + 2 * DAY)
    assert [kind for kind, _ in logged()].count("company.ended") == 2


def test_a_manager_sees_only_their_own_companies_by_name_in_any_case(session, vault, asking, at):
    asking("c2", name="Beta")
    asking("c3", name="aleph")
    asking("c1", name="Alpha")
    found = company_requests.of_manager(session, vault, 12, accepted=TEXTS, at=at)
    assert [overview.name for overview in found] == ["aleph", "Alpha", "Beta"]
    found = managers.looked_after(session, vault, 12, at=at)
    assert [name for _id, name in found] == ["aleph", "Alpha", "Beta"]
    assert company_requests.of_manager(session, vault, 13, accepted=TEXTS, at=at) == ()


def test_the_company_s_statement_stays_after_the_signer_s_erasure(session, vault, asking, at):
    asking()
    session.exec(select(PersonRecord)).one().wrapped_key = b""
    session.flush()
    opened = company_requests.opened(session, vault, "c1")
    assert (opened.signed, opened.fields["legal-name"]) == (None, "Huawei")
    with pytest.raises(DecryptionFailed):
        company_requests.opened(session, Vault(KeyRing.parse(KeyRing.generate("k2"))), "c1")


def test_unknown_companies_are_errors(session, vault, decide, at):
    for ask in (
        lambda: company_requests.overview(session, "x", accepted=(), at=at),
        lambda: company_requests.opened(session, vault, "x"),
        lambda: decide("countersign", "x"),
        lambda: decide("refuse", "x"),
        lambda: decide("end", "x", until=at),
    ):
        with pytest.raises(LookupError):
            ask()
