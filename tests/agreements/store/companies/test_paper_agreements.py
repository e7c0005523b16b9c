"""Agreements signed elsewhere are recorded with their file, their recorder and one log entry."""

import pytest

from agreements import ledger
from agreements.facts import Account
from agreements.store import log_listing
from agreements.store.companies import company_requests, paper_agreements
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.paper_agreements import Paper, PaperRefused
from agreements.store.log_listing import EntryFilter
from agreements.store.people import documents, person_rows, signatures, withdrawals
from agreements.store.people.documents import DocumentDraft
from agreements.store.record_context import RecordContext
from tests.within import within

PDF = b"%PDF-1.7 signed by hand"
ROOT = Account(90, "root")


@pytest.fixture(name="paper")
def _paper(draft, at):
    """A maker of papers."""

    def paper(**changed):
        document = DocumentDraft(service="paper", name="a.pdf", media_type="application/pdf", content=PDF)
        return Paper(draft=draft(**changed), signed_at=at, document=document, recorder=ROOT)

    return paper


@pytest.fixture(name="context")
def _context(at, fresh):
    """By whom, when, and by which ids."""
    return {"by": ROOT.id, "at": at, "new_id": fresh}


def new_entries(session):
    """The log, newest first."""
    return log_listing.page(session, EntryFilter(), skip=0, most=9)


def test_a_person_s_paper_agreement_stores_its_recorder_and_file_hash_once(session, vault, at, person, paper, fresh):
    later = at.replace(month=6)
    paper_agreements.record(
        RecordContext(session, vault, 90, later, fresh), Account(11, "ada"), paper(), receipt="AAAA"
    )

    found = withdrawals.find(session, vault, "AAAA")
    (file,) = documents.of_signature(session, vault, found.row.id)
    assert (found.row.identity_proof, found.row.signed_at, file.recorded_at) == ("administrator", at, later)
    assert found.row.shown_sha256 == file.sha256
    assert (found.fields["recorder"], found.fields["recorded-by"], found.fields["country"]) == ("root", "90", "CN")
    (entry,) = new_entries(session)
    assert (entry.kind, entry.actor_id, entry.subject_kind) == ("signature.recorded", 90, "person")
    assert {row.table for row in entry.rows} - {"ledger_entry"} == {"person", "signature", "document"}
    assert ledger.rows_of(ledger.rows_text(entry.rows)) == entry.rows


def test_an_agreement_that_is_in_force_already_is_not_recorded_again(session, vault, at, person, paper, fresh):
    context = RecordContext(session, vault, ROOT.id, at, fresh)
    paper_agreements.record(context, Account(11, "ada"), paper(), receipt="AAAA")
    with pytest.raises(PaperRefused, match="signed"):
        paper_agreements.record(context, Account(11, "ada"), paper(), receipt="BBBB")

    assert len(new_entries(session)) == 1


def test_no_administrator_records_their_own_agreement(sessions, vault, paper, context):
    """The account number decides, and not the login."""
    with pytest.raises(PaperRefused, match="own"), sessions() as session:
        paper_agreements.record(
            RecordContext(session, vault, **context), Account(ROOT.id, "renamed"), paper(), receipt="CCCC"
        )
    with sessions() as session:
        assert person_rows.find(session, ROOT.id) is None
        assert (signatures.mine(session, ROOT.id), new_entries(session)) == ((), ())


def test_a_company_s_paper_agreement_waits_for_its_countersignature(session, vault, at, paper, fresh, context):
    pair = (Account(11, "ada"), Account(12, "bob"))
    company_id = paper_agreements.record_company(
        RecordContext(session, vault, **context), "One", pair, paper(agreement="ccla"), receipt="CCCC"
    )

    (waits,) = company_requests.pending(session, accepted=(), at=at)
    assert (waits.id, waits.name, waits.requested_by) == (company_id, "One", 11)
    assert [document_info.service for document_info in documents.of_company(session, vault, company_id)] == ["paper"]
    (entry,) = new_entries(session)
    assert sorted(row.table for row in entry.rows if row.table != "ledger_entry") == [
        "company", "company_manager", "company_manager", "document", "person", "signature",
    ]  # fmt: skip
    assert signatures.of(session, [11], accepted=[("ccla", "2.0", "en", "a" * 64)]) == ()
    company_requests.countersign(RecordContext(session, vault, 90, at, fresh), company_id, reason="seen on paper")


@pytest.mark.parametrize(
    ("second", "reason"), [(Account(11, "ada"), "already"), (Account(13, "x[bot]", "Bot"), "no-person")]
)
def test_managers_that_are_one_account_twice_or_a_bot_are_refused(sessions, vault, paper, context, second, reason):
    pair = (Account(11, "ada"), second)

    with pytest.raises(CompanyRefused, match=reason), sessions() as session:
        paper_agreements.record_company(
            RecordContext(session, vault, **context), "One", pair, paper(agreement="ccla"), receipt="CCCC"
        )
    with sessions() as session:
        assert company_requests.pending(session, accepted=(), at=context["at"]) == ()


def test_one_more_file_is_kept_with_the_company_and_logged(session, vault, paper, fresh, context):
    person_rows.ensure(within(session, vault, context["at"], fresh), Account(11, "ada"))
    pair = (Account(11, "ada"), Account(12, "bob"))
    company_id = paper_agreements.record_company(
        RecordContext(session, vault, **context), "One", pair, paper(agreement="ccla"), receipt="CCCC"
    )
    document = DocumentDraft(service="other", name="b.pdf", media_type="application/pdf", content=PDF)
    paper_agreements.attach(RecordContext(session, vault, 90, context["at"], fresh), company_id, document)

    assert len(documents.of_company(session, vault, company_id)) == 2
    assert new_entries(session)[0].kind == "document.kept"
    with pytest.raises(LookupError):
        paper_agreements.attach(RecordContext(session, vault, 90, context["at"], fresh), "gone", document)
