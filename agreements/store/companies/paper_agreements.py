"""An agreement signed on paper or by another service: signature, file and log entry in one, recorded by an administrator."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import SQLModel

from agreements.facts import Account
from agreements.store.companies import companies, company_rows, managers
from agreements.store.companies.companies import CompanyDraft
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.ledger.stored_ledger import LedgerSubject
from agreements.store.people import documents, person_rows, signatures
from agreements.store.people.documents import DocumentDraft
from agreements.store.people.signatures import SignatureDraft
from agreements.store.record_context import RecordContext

IDENTITY_PROOF = "administrator"
"""The proof of identity of these: an administrator saw the signed agreement and says whose account it is."""


class PaperRefused(CompanyRefused):
    """The agreement can't be recorded; `reason` is `signed` (the same text stands already) or `own`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """An agreement signed elsewhere at `signed_at`: the `document` that proves it, the `recorder`, and the evidence (`draft`) without them."""

    draft: SignatureDraft
    signed_at: datetime
    document: DocumentDraft
    recorder: Account


def record(context: RecordContext, account: Account, paper: Paper, *, receipt: str) -> None:
    """Record a person's agreement under that receipt. Raises PaperRefused: `own` (by themselves), `signed`."""
    if account.id == paper.recorder.id:  # No administrator vouches for a paper of their own.
        raise PaperRefused("own")
    person = person_rows.ensure(context, account)
    signed = signatures.add(context, person, _evidence(paper), receipt=receipt, signed_at=paper.signed_at)
    if not signed.new:
        raise PaperRefused("signed")  # Two signatures of one text would need two withdrawals.
    subject = LedgerSubject("person", person.id, person_rows.data_key(context.vault, person))
    _keep(context, subject, paper, signed.row.id, [signed.row])


def record_company(
    context: RecordContext, name: str, pair: tuple[Account, Account], paper: Paper, *, receipt: str
) -> str:
    """Record a company's agreement with its first two managers; the company's id. Raises CompanyRefused."""
    person = person_rows.ensure(context, pair[0])
    evidence = _evidence(paper)
    # A person may sign for several companies.
    signature = signatures.add(context, person, evidence, receipt=receipt, signed_at=paper.signed_at, anew=True).row
    draft = CompanyDraft(
        name=name,
        agreement=paper.draft.agreement,
        version=paper.draft.version,
        party=paper.draft.party,
        signed_at=paper.signed_at,
        signature_id=signature.id,
    )
    company = companies.add(context, draft)
    company.requested_by = pair[0].id  # The first manager stands for the company, and may not countersign it.
    offices = [managers.office(context, company, account) for account in pair]
    subject = company_rows.subject(context.vault, company)
    _keep(context, subject, paper, signature.id, [signature, company, *offices])
    return company.id


def attach(context: RecordContext, company_id: str, document: DocumentDraft) -> None:
    """Keep one more file with a company. Raises LookupError."""
    company = company_rows.locked(context.session, company_id)
    subject = company_rows.subject(context.vault, company)
    row = _file(context, document, subject, company.signature_id)
    context.log("document.kept", subject, rows=[row], details={"service": document.service, "sha256": document.sha256})


def _evidence(paper: Paper) -> SignatureDraft:
    # Sealed: a signature's row never changes, so an erasure could not take the recorder out of a column.
    recorded = {
        "recorded-by": str(paper.recorder.id),
        "recorder": paper.recorder.login,
        "service": paper.document.service,
    }
    return replace(
        paper.draft,
        identity_proof=IDENTITY_PROOF,
        shown_sha256=paper.document.sha256,  # On paper the file is what was shown.
        fields={**paper.draft.fields, **recorded},
    )


def _file(
    context: RecordContext, document: DocumentDraft, subject: LedgerSubject, signature_id: str | None
) -> SQLModel:
    return documents.add(context, document, subject=subject, signature_id=signature_id)


def _keep(
    context: RecordContext, subject: LedgerSubject, paper: Paper, signature_id: str, rows: list[SQLModel]
) -> None:
    file = _file(context, paper.document, subject, signature_id)
    details = {
        "agreement": paper.draft.agreement,
        "version": paper.draft.version,
        "service": paper.document.service,
        "sha256": paper.document.sha256,
    }
    # One entry for all rows: none of them exists without the others.
    context.log("signature.recorded", subject, rows=[*rows, file], details=details)
