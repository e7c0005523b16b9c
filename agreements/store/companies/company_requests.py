"""A company asks for its agreement: signed by a person who may act for it, countersigned by an administrator, ended."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sqlmodel import Session, col, func, select

from agreements.facts import Account
from agreements.store.companies import companies, company_agreements, company_rows, domain_claims, managers, renewals
from agreements.store.companies.companies import CompanyDraft
from agreements.store.companies.company_agreements import CompanyAgreement
from agreements.store.companies.company_rows import CompanyRefused, company_key
from agreements.store.ledger import row_check
from agreements.store.lookup import account_key, from_row, text_key
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import ReceiptView, SignatureDraft, TextKey
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord, SignatoryRequest
from agreements.store.tables.records import PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import Vault, place

MAX_OPEN_REQUESTS = 3
"""The requests that one person may have waiting."""

State = Literal["requested", "refused", "in force", "text missing", "ended"]
"""`text missing`: it would be in force, but covers no one, as the catalog of agreements lacks the text that was signed."""

PERSONAL = frozenset({"title"})
"""Fields about the signer: they stay in the signature, under the signer's own key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request for the agreement of the company `name`: `draft` is the evidence, its fields are the agreement's questions to a company.

    `second` is the second manager; `proven` an address that is kept as proven, None for none; `signer` the person
    without a GitHub account who signs, None where the person who asks does.
    """

    name: str
    draft: SignatureDraft
    second: Account
    proven: ProvenAddress | None = None
    signer: PersonRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """A company's agreement (`agreement`, `version`) and its `state`; `id` and `name` are the company's, moments are UTC.

    It was signed, countersigned, refused or ended at `signed_at`, `countersigned_at`, `refused_at`, `ended_at` (None:
    not), asked for by the account `requested_by` (None: imported), and is reviewed until `renew_by`. `domains`: its own
    mode, None for the rulebook's. `text_missing`: countersigned, it would cover no one.
    """

    id: str
    name: str
    agreement: str
    version: str
    state: State
    signed_at: datetime
    countersigned_at: datetime | None
    refused_at: datetime | None
    ended_at: datetime | None
    renew_by: datetime | None
    requested_by: int | None
    domains: str | None
    text_missing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyStatement:
    """The company's answers (`fields`), and the reasons why an administrator refused or ended it (`refusal`, `ending`; "" for none).

    `signed` is the signer's evidence, None without one or after their erasure. `restricted`: opening it is logged.
    """

    fields: Mapping[str, str] = field(repr=False)
    refusal: str = field(repr=False)
    ending: str = field(repr=False)
    signed: ReceiptView | None = field(repr=False)
    restricted: bool


def ask(context: RecordContext, person: PersonRecord, request: Request, *, company_id: str, receipt: str) -> str:
    """Store signature, company and its first managers; its id. Raises CompanyRefused: `same-person`, `too-many`."""
    session = context.session
    person_rows.lock(session, person)  # Before requests are counted.
    known = session.get(CompanyRecord, text_key(company_id))
    if known is not None and known.requested_by == person.account_id:  # the same form, sent twice
        return known.id
    if request.second.id == person.account_id:  # Two different people must manage it from the start.
        raise CompanyRefused("same-person")
    if open_requests(session, person.account_id, at=context.at) >= MAX_OPEN_REQUESTS:
        raise CompanyRefused("too-many")
    signer = request.signer or person
    # A person may sign for several companies.
    signature = signatures.add(context, signer, request.draft, receipt=receipt, anew=True).row
    company = _asked_for(context, request, signature, company_id)
    company.requested_by = person.account_id
    offices = [
        managers.office(context, company, account)
        for account in (Account(person.account_id, person.login), request.second)
    ]
    proofs = [emails.prove(context, signer, request.proven)] if request.proven else []
    details = {"agreement": company.agreement, "version": company.version, "signer": signer.account_id}
    company_rows.log(context, company, "company.requested", [signature, company, *offices, *proofs], details)
    return company.id


def open_requests(session: Session, account_id: int, *, at: datetime) -> int:
    """The requests of that account that wait: for a countersignature, or for a signatory asked by mail."""
    unsigned = select(func.count()).where(
        col(SignatoryRequest.account_id) == account_key(account_id),
        col(SignatoryRequest.answered_at).is_(None),
        col(SignatoryRequest.expires_at) > at,
    )
    return sum(company.requested_by == account_id for company in waiting(session)) + session.exec(unsigned).one()


def overview(session: Session, company_id: str, *, accepted: Collection[TextKey], at: datetime) -> Overview:
    """The state of the company's agreement at `at`; `accepted`: the texts of the catalog. Raises LookupError."""
    found = overviews(session, [company_id], accepted=accepted, at=at)
    if not found:
        raise LookupError("no such company")
    return found[0]


def overviews(
    session: Session, company_ids: Sequence[str], *, accepted: Collection[TextKey], at: datetime
) -> tuple[Overview, ...]:
    """The same of several companies, in that order; unknown ids are left out."""
    found = company_agreements.with_agreement(session, company_ids, accepted=accepted)
    return tuple(overview_of(found[company_id], at) for company_id in company_ids if company_id in found)


def overview_of(found: CompanyAgreement, at: datetime) -> Overview:
    """The same of a company that was read."""
    missing = found.text_missing
    return from_row(Overview, found.company, state=_state(found.company, at, missing=missing), text_missing=missing)


def of_manager(
    session: Session, vault: Vault, account_id: int, *, accepted: Collection[TextKey], at: datetime
) -> tuple[Overview, ...]:
    """The companies that the account manages, by name."""
    mine = managers.companies_of(session, vault, account_id, at=at)
    found = overviews(session, mine, accepted=accepted, at=at)
    return tuple(sorted(found, key=lambda company: (company.name.lower(), company.id)))


def pending(session: Session, *, accepted: Collection[TextKey], at: datetime) -> tuple[Overview, ...]:
    """The state of each agreement in `waiting`."""
    return overviews(session, [company.id for company in waiting(session)], accepted=accepted, at=at)


def waiting(session: Session) -> tuple[CompanyRecord, ...]:
    """Requests that wait for an administrator, the oldest first."""
    query = select(CompanyRecord).where(
        col(CompanyRecord.countersigned_at).is_(None),
        col(CompanyRecord.refused_at).is_(None),
        col(CompanyRecord.ended_at).is_(None),
    )
    return tuple(session.exec(query.order_by(col(CompanyRecord.signed_at), col(CompanyRecord.id))))


def opened(session: Session, vault: Vault, company_id: str) -> CompanyStatement:
    """The company's statement, for its managers and for administrators. Raises LookupError."""
    company = company_rows.find(session, company_id)
    statement = _described(vault, company)
    why = {name: statement.get(name, "") for name in ("refusal", "ending")}
    signed = signatures.opened(session, vault, company.signature_id) if company.signature_id else None
    restricted = signed is not None and signed.restricted
    return CompanyStatement(fields=statement.get("fields", {}), signed=signed, restricted=restricted, **why)


def countersign(context: RecordContext, company_id: str, *, reason: str = "") -> None:
    """Put the agreement into force from `at` on, for a year. Without a proven domain it needs a reason.

    Raises LookupError, and CompanyRefused: `decided`, `own` (by a manager of the company, present or former),
    `two-managers`, `reason-needed`.
    """
    session, at = context.session, context.at
    company = company_rows.locked(session, company_id)
    _open(session, company, context.actor)
    # A manager who was named unasked may have left.
    if len(managers.in_office(session, company.id, at=at)) < managers.MIN_MANAGERS:
        raise CompanyRefused("two-managers")
    # Without either, anyone could name any company.
    if not reason.strip() and not domain_claims.held(session, company.id, at=at):
        raise CompanyRefused("reason-needed")
    company.countersigned_at, company.renew_by, company.decided_by = at, at + renewals.RENEWAL_PERIOD, context.actor
    company_rows.log(context, company, "company.countersigned", [company], {"reason": reason})


def refuse(context: RecordContext, company_id: str, *, reason: str) -> None:
    """Turn the request down. Raises LookupError, and CompanyRefused: `decided`, `own`, `reason-needed`."""
    company = company_rows.locked(context.session, company_id)
    _open(context.session, company, context.actor)
    if not reason.strip():
        raise CompanyRefused("reason-needed")
    # Its domains are free again.
    company.refused_at, company.ended_at, company.decided_by = context.at, context.at, context.actor
    _describe(context.vault, company, {**_described(context.vault, company), "refusal": reason.strip()})
    company_rows.log(context, company, "company.refused", [company], {"reason": reason.strip()})


def end(context: RecordContext, company_id: str, *, until: datetime, reason: str) -> None:
    """End the company's cover at `until`; its managers read the reason. Signatures of its people stay as they are.

    Raises LookupError, and CompanyRefused: `not-in-force`, `past` for a moment before `at`, `over` when it ends sooner.
    """
    company = company_rows.locked(context.session, company_id)
    if company.countersigned_at is None or company.refused_at is not None:
        raise CompanyRefused("not-in-force")
    if until < context.at:  # Verdicts before `at` rest on it.
        raise CompanyRefused("past")
    if company.ended_at is not None and company.ended_at <= until:
        raise CompanyRefused("over")
    _describe(context.vault, company, {**_described(context.vault, company), "ending": reason.strip()})
    company.ended_at = until
    company_rows.log(context, company, "company.ended", [company], {"reason": reason, "until": until.isoformat()})


REVOKED = "The signature under the agreement was revoked. 协议的签署已被撤销。"
"""The reason that is kept, and shown to managers, where the server ends such an agreement."""


def end_revoked(context: RecordContext, company_id: str) -> bool:
    """End an agreement that outlives its signature, as of the signature's end; whether it ended.

    Rows that are not as the log says end nothing, and are not named in it anew. Raises LookupError, DecryptionFailed.
    """
    session, vault = context.session, context.vault
    company = company_rows.locked(session, company_id)
    found = company_agreements.revoked(session).get(company.id)
    if found is None:
        return False
    signature_id, at = found
    if row_check.unlogged(session, vault, Withdrawal, [signature_id]) or row_check.unlogged(
        session, vault, CompanyRecord, [company.id]
    ):
        return False
    _describe(vault, company, {**_described(vault, company), "ending": REVOKED})
    company.ended_at = at
    company_rows.log(context, company, "company.ended", [company], {"reason": REVOKED, "until": at.isoformat()})
    return True


def _asked_for(context: RecordContext, request: Request, signature: SignatureRecord, company_id: str) -> CompanyRecord:
    draft = CompanyDraft(
        name=request.name,
        agreement=request.draft.agreement,
        version=request.draft.version,
        party=request.draft.party,
        signed_at=signature.signed_at,
        signature_id=signature.id,
    )
    company = companies.add(context, draft, company_id)
    # The signer's title would outlive their erasure here.
    fields = {name: value for name, value in request.draft.fields.items() if name not in PERSONAL}
    _describe(context.vault, company, {"fields": fields})
    return company


def _open(session: Session, company: CompanyRecord, by: int) -> None:
    is_decided = company.countersigned_at is not None or company.refused_at is not None or company.ended_at is not None
    if is_decided or company.id in company_agreements.revoked(session):
        raise CompanyRefused("decided")
    # No one decides about their own company, not even after leaving it.
    if by == company.requested_by or managers.ever_managed(session, by, company.id):
        raise CompanyRefused("own")


def _state(company: CompanyRecord, at: datetime, *, missing: bool) -> State:
    if company.refused_at is not None:  # A refused company has ended, too: the refusal says more.
        return "refused"
    if company_rows.is_over(company, at):
        return "ended"
    if company.countersigned_at is None:
        return "requested"
    return "text missing" if missing else "in force"


def _describe(vault: Vault, company: CompanyRecord, statement: Mapping[str, object]) -> None:
    text = json.dumps(dict(statement), ensure_ascii=False, sort_keys=True).encode()
    company.details = vault.encrypt(company_key(vault, company), text, place("company", "details", company.id))


def _described(vault: Vault, company: CompanyRecord) -> dict[str, Any]:
    if company.details is None:
        return {}
    key = company_key(vault, company)
    found: dict[str, Any] = json.loads(vault.decrypt(key, company.details, place("company", "details", company.id)))
    return found
