"""Claims of domains: a company gets a domain once it has shown, by DNS or to an administrator, that the domain is its own."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement
from sqlmodel import Session, SQLModel, col, or_, select

from agreements.domains.canonical_form import canonical_domain, domain_of
from agreements.facts import Entry
from agreements.store.companies import companies, company_rows, managers
from agreements.store.companies.company_rows import CompanyRefused, company_key
from agreements.store.lookup import from_row, text_key
from agreements.store.people import emails
from agreements.store.people.emails import ProvenAddress
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord, DomainClaim
from agreements.store.tables.records import PersonRecord
from agreements.vault import Vault, new_salt, place

PROOF_DEADLINE = timedelta(days=7)
"""The time that a claim waits for its proof."""

TOKEN_BYTES = 16  # 128 bits: no one guesses the word that DNS must show.


def claim(
    context: RecordContext,
    company_id: str,
    domain: str,
    *,
    addresses: Collection[str],
    subdomains: bool = True,
    proven: tuple[PersonRecord, ProvenAddress] | None = None,
) -> str:
    """Ask for a domain; the claim's id. `addresses` are the manager's own, verified by GitHub or proven here.

    `proven` is stored with the claim. An open claim of the same domain is returned, with this choice. Raises LookupError, DomainRefused
    (reasons of `approvable`, `taken`), and CompanyRefused: `no-address` unless an address is at that very domain,
    `held`, `ended`.
    """
    session, at = context.session, context.at
    company_rows.lock_domains(session)  # before the company, as everywhere
    company = company_rows.locked(session, company_id)
    if company_rows.is_over(company, at):
        raise CompanyRefused("ended")
    name = companies.allowed_domain(session, company, domain, at, subdomains=subdomains)
    # A claim by people without an address there is refused before DNS is asked.
    if name not in {domain_of(address) for address in addresses}:
        raise CompanyRefused("no-address")
    known = of_company(session, context.vault, company.id, at=at)
    if any(status.domain == name and status.state in ("proven", "missing") for status in known):
        raise CompanyRefused("held")
    waiting = next((status for status in known if status.domain == name and status.state == "open"), None)
    if waiting is None:
        row = _new_claim(context, company.id, name)
    elif waiting.subdomains == subdomains:
        return waiting.id
    else:
        row = session.get_one(DomainClaim, waiting.id)  # Its token may stand in DNS already.
    row.subdomains = subdomains
    session.add(row)
    proofs = [emails.prove(context, *proven)] if proven else []
    _log(context, company, "domain.claimed", row, *proofs)
    return row.id


def prove(context: RecordContext, claim_id: str) -> None:
    """Give the company the domain from `at` on, as its DNS showed the token; the same proof twice is one.

    Raises LookupError, DomainRefused when it is taken since, and CompanyRefused: `expired`, `refused`, `ended`.
    """
    row, company = _found(context.session, claim_id)
    if row.proven_at is None:
        row.how, row.checked_at = "dns", context.at
        _grant(context, row, company)


def approve(context: RecordContext, claim_id: str, *, reason: str) -> None:
    """Give the company the domain by an administrator's word, with a reason.

    Raises as `prove` does, and CompanyRefused: `decided`, `reason-needed`, `own` for its managers, present or former.
    """
    row, company = _undecided(context, claim_id, reason)
    row.how = "administrator"
    _grant(context, row, company)


def refuse(context: RecordContext, claim_id: str, *, reason: str) -> None:
    """Turn the claim down; the managers read the reason. Raises as `approve` does."""
    row, company = _undecided(context, claim_id, reason)
    row.refused_at = context.at
    _log(context, company, "domain.refused", row)


def checked(context: RecordContext, claim_id: str, *, present: bool) -> Literal["same", "missing", "returned"]:
    """Store whether DNS shows the record of a held domain; the first `missing` is worth a mail. Raises LookupError."""
    row, company = _found(context.session, claim_id)
    row.checked_at = context.at
    if present == (row.missing_since is None):
        return "same"
    row.missing_since = None if present else context.at
    _log(context, company, "domain.returned" if present else "domain.missing", row)
    return "returned" if present else "missing"


def _new_claim(context: RecordContext, company_id: str, name: str) -> DomainClaim:
    return DomainClaim(
        id=text_key(context.new_id()),
        company_id=company_id,
        domain=name,
        subdomains=True,
        token=new_salt()[:TOKEN_BYTES].hex(),
        claimed_at=context.at,
        claimed_by=context.actor,
        expires_at=context.at + PROOF_DEADLINE,
    )


def _found(session: Session, claim_id: str) -> tuple[DomainClaim, CompanyRecord]:
    """The claim and its company, both locked. Raises LookupError."""
    company_rows.lock_domains(session)
    row = session.get(DomainClaim, text_key(claim_id))
    if row is None:
        raise LookupError("no such claim")
    company = company_rows.locked(session, row.company_id)
    session.refresh(row)  # It may have changed before the lock was had.
    return row, company


def _undecided(context: RecordContext, claim_id: str, reason: str) -> tuple[DomainClaim, CompanyRecord]:
    row, company = _found(context.session, claim_id)
    if row.proven_at is not None or row.refused_at is not None:
        raise CompanyRefused("decided")
    if not reason.strip():
        raise CompanyRefused("reason-needed")
    # A manager who administers this site must not judge for their own company.
    if managers.ever_managed(context.session, context.actor, company.id):
        raise CompanyRefused("own")
    key, about = company_key(context.vault, company), place("domain_claim", "reason", row.id)
    row.decided_by, row.reason = context.actor, context.vault.encrypt(key, reason.strip().encode(), about)
    return row, company


def _grant(context: RecordContext, row: DomainClaim, company: CompanyRecord) -> None:
    at = context.at
    if row.refused_at is not None:
        raise CompanyRefused("refused")  # DNS may show the token of a claim that was refused since.
    if row.expires_at <= at:
        raise CompanyRefused("expired")
    if company_rows.is_over(company, at):
        raise CompanyRefused("ended")
    # An import, or a claim of an earlier release: with two entries the end of one would leave the other in force.
    before = company_rows.domain_entries(context.session, company.id, row.domain, excluded=False, at=at)
    held = Entry(domain=row.domain, subdomains=row.subdomains, since=at)
    entry = companies.add_entry(context, company, held)  # It asks again whether another company holds the domain.
    for old_entry in before:
        old_entry.until = at
    row.proven_at, row.entry_id = at, entry.id
    _log(context, company, "domain.proven", row, entry, *before)


def _log(context: RecordContext, company: CompanyRecord, kind: str, row: DomainClaim, *more: SQLModel) -> None:
    company_rows.log(context, company, kind, [row, *more], {"domain": row.domain, "how": row.how})


RECHECK_INTERVAL, MISSING_RECHECK_INTERVAL = timedelta(days=30), timedelta(days=1)
"""The time between two looks at the DNS record: while it is there, and once it is missing."""

MISSING_RECORD_GRACE = timedelta(days=14)
"""The time that the record may be missing before no one new can enrol by the domain; enrolled people stay."""

UNANSWERED_GRACE = timedelta(days=30)
"""The time that DNS servers may leave a look unanswered before the record counts as missing."""

State = Literal["open", "expired", "proven", "missing", "refused", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimStatus:
    """A claim (`id`) of a `domain` by `company_id`: its `state`, and the `token` that the domain's DNS has to show.

    The account `claimed_by` made it at `claimed_at`; it waits until `expires_at`. `proven_at` and `how` (`dns`,
    `administrator`) are None before it is proven; its entry `entry_id` then runs until `entry_until`. `subdomains` were
    asked for, `entry_subdomains` are held. The last look at the DNS that counted was at `checked_at`; the record is not
    found since `missing_since`. `reason`: the administrator's, "" without one.
    """

    id: str
    company_id: str
    domain: str
    subdomains: bool
    token: str
    state: State
    claimed_at: datetime
    claimed_by: int
    expires_at: datetime
    proven_at: datetime | None
    how: str | None
    entry_id: str | None
    entry_until: datetime | None
    entry_subdomains: bool
    checked_at: datetime | None
    missing_since: datetime | None
    reason: str = field(default="", repr=False)


def pending(session: Session, vault: Vault, *, at: datetime) -> tuple[ClaimStatus, ...]:
    """Claims of all companies that wait for a proof or an administrator, the oldest first."""
    waits = (
        col(DomainClaim.proven_at).is_(None),
        col(DomainClaim.refused_at).is_(None),
        col(DomainClaim.expires_at) > at,
    )
    return tuple(status for status in _claims(session, vault, at, *waits) if status.state == "open")


def due(session: Session, vault: Vault, *, at: datetime) -> tuple[ClaimStatus, ...]:
    """Domains held by a proof from DNS that are to be looked up again."""
    held = _claims(session, vault, at, col(DomainClaim.how) == "dns", col(DomainClaim.proven_at).is_not(None))
    span = {"proven": RECHECK_INTERVAL, "missing": MISSING_RECHECK_INTERVAL}
    # A look at a time to come counts as none: the log does not cover `checked_at`.
    return tuple(
        status
        for status in held
        if status.state in span and not at - span[status.state] < (status.checked_at or status.claimed_at) <= at
    )


def is_unanswered(claim: ClaimStatus, at: datetime) -> bool:
    """Whether no look at the DNS was answered for so long that the record counts as missing."""
    answered = claim.checked_at if claim.checked_at and claim.checked_at <= at else claim.claimed_at
    return at - answered >= RECHECK_INTERVAL + UNANSWERED_GRACE


def of_company(session: Session, vault: Vault, company_id: str, *, at: datetime) -> tuple[ClaimStatus, ...]:
    """All claims of a company, the newest first."""
    return tuple(reversed(_claims(session, vault, at, col(DomainClaim.company_id) == text_key(company_id))))


def read_claim(session: Session, vault: Vault, claim_id: str, *, at: datetime) -> ClaimStatus:
    """The claim as it stands. Raises LookupError."""
    found = _claims(session, vault, at, col(DomainClaim.id) == text_key(claim_id))
    if not found:
        raise LookupError("no such claim")
    return found[0]


def held(session: Session, company_id: str, *, at: datetime) -> tuple[str, ...]:
    """The domains that the company has at `at`, sorted."""
    query = select(CompanyEntry.domain).where(
        col(CompanyEntry.company_id) == text_key(company_id),
        col(CompanyEntry.kind) == "domain",
        col(CompanyEntry.excluded).is_(False),
        or_(col(CompanyEntry.since).is_(None), col(CompanyEntry.since) <= at),
        or_(col(CompanyEntry.until).is_(None), col(CompanyEntry.until) > at),
    )
    return tuple(sorted({domain for domain in session.exec(query) if domain}))


def accepts_enrolments(session: Session, company_id: str, domain: str, at: datetime) -> bool:
    """Whether new people may enrol by that domain: the company has it, and its record was not missing for too long."""
    name = canonical_domain(domain)
    # A domain recorded without a claim (an agreement on paper) has no record to miss.
    if name is None or name not in held(session, company_id, at=at):
        return False
    query = (
        select(DomainClaim.missing_since)
        .join(CompanyEntry, col(CompanyEntry.id) == col(DomainClaim.entry_id), isouter=True)
        .where(
            col(DomainClaim.company_id) == company_id,
            col(DomainClaim.domain) == name,
            col(DomainClaim.proven_at).is_not(None),
            col(DomainClaim.missing_since) <= at - MISSING_RECORD_GRACE,
            # No one looks for the record of a claim that was given up.
            or_(col(CompanyEntry.until).is_(None), col(CompanyEntry.until) > at),
        )
    )
    return session.exec(query).first() is None


def _claims(session: Session, vault: Vault, at: datetime, *wanted: ColumnElement[bool]) -> tuple[ClaimStatus, ...]:
    query = (
        select(DomainClaim, CompanyRecord, CompanyEntry.until, CompanyEntry.subdomains)
        .join(CompanyRecord, col(CompanyRecord.id) == col(DomainClaim.company_id))
        .join(CompanyEntry, col(CompanyEntry.id) == col(DomainClaim.entry_id), isouter=True)
        .where(*wanted)
        .order_by(col(DomainClaim.claimed_at), col(DomainClaim.id))
    )
    found = []
    for row, company, until, subdomains in session.exec(query):
        reason = ""
        if row.reason is not None:
            about = place("domain_claim", "reason", row.id)
            reason = vault.decrypt(company_key(vault, company), row.reason, about).decode()
        entry = {"entry_until": until, "entry_subdomains": bool(subdomains)}
        found.append(from_row(ClaimStatus, row, state=_state(row, company, until, at), reason=reason, **entry))
    return tuple(found)


def _state(row: DomainClaim, company: CompanyRecord, until: datetime | None, at: datetime) -> State:
    if row.refused_at is not None:
        return "refused"
    if company_rows.is_over(company, at):
        return "ended"
    if row.proven_at is None:
        return "open" if row.expires_at > at else "expired"
    if until is not None and until <= at:
        return "ended"  # the managers gave it up
    return "proven" if row.missing_since is None else "missing"
