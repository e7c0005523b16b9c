"""Agreements as a test puts them into the records: the values that matter to it beside values that do not."""

from agreements.store.companies.companies import CompanyDraft
from agreements.store.people.signatures import SignatureDraft

PARTY = "The CANN Authors"
FILLED = ("source_sha256", "shown_sha256", "statement_id", "statement_sha256", "identity_proof", "name", "email")


def company_draft(name, at, *, countersigned=False, **changed):
    """A company's agreement that was signed at that time, and countersigned at once when a test says so."""
    signed = {"party": PARTY, "agreement": "ccla", "version": "2.0", "signed_at": at}
    return CompanyDraft(name=name, countersigned_at=at if countersigned else None, **(signed | changed))


def signature_draft(**changed):
    """A person's agreement in English."""
    signed = {"party": PARTY, "agreement": "icla", "version": "2.0", "language": "en"}
    return SignatureDraft(**(dict.fromkeys(FILLED, "x") | signed | changed))
