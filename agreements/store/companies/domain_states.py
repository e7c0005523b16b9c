"""The state of companies' claims of domains: which wait, which are held, which have to be checked again."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, or_, select

from agreements.domains.domains import canonical_domain
from agreements.store.companies import company_rows
from agreements.store.companies.company_facts import company_key
from agreements.store.lookup.keys import text_key
from agreements.store.lookup.row_values import from_row
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord, DomainClaim
from agreements.vault import Vault, place

RECHECK_INTERVAL, MISSING_RECHECK_INTERVAL = timedelta(days=30), timedelta(days=1)
"""How often DNS is asked whether the record is still there, and how often once it is not."""

MISSING_RECORD_GRACE = timedelta(days=14)
"""How long the record may be missing before nobody new can enrol by the domain; those who have enrolled stay."""

State = Literal["open", "expired", "proven", "missing", "refused", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimStatus:
    """One claim of a domain and its state; `token` is what the domain's DNS has to show.

    `entry_subdomains`: the company has the domain, with what is below it.
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
    return tuple(one for one in _claims(session, vault, at, *waits) if one.state == "open")


def due(session: Session, vault: Vault, *, at: datetime) -> tuple[ClaimStatus, ...]:
    """Domains held by a proof from DNS which was looked at too long ago, or at a time to come, as no look ever is."""
    held = _claims(session, vault, at, col(DomainClaim.how) == "dns", col(DomainClaim.proven_at).is_not(None))
    span = {"proven": RECHECK_INTERVAL, "missing": MISSING_RECHECK_INTERVAL}
    return tuple(
        one for one in held if one.state in span and not at - span[one.state] < (one.checked_at or one.claimed_at) <= at
    )


def of_company(session: Session, vault: Vault, company_id: str, *, at: datetime) -> tuple[ClaimStatus, ...]:
    """All claims of a company, the newest first."""
    return tuple(reversed(_claims(session, vault, at, col(DomainClaim.company_id) == text_key(company_id))))


def one(session: Session, vault: Vault, claim_id: str, *, at: datetime) -> ClaimStatus:
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
    """Whether somebody new may enrol by that domain: the company has it, and its record was not missing for too long.

    A domain that was recorded without a claim (an agreement signed on paper) has no record to miss.
    """
    name = canonical_domain(domain)
    if name is None or name not in held(session, company_id, at=at):
        return False
    query = select(DomainClaim.missing_since).where(
        col(DomainClaim.company_id) == company_id,
        col(DomainClaim.domain) == name,
        col(DomainClaim.proven_at).is_not(None),
        col(DomainClaim.missing_since) <= at - MISSING_RECORD_GRACE,
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
        state, reason = _state(row, company, until, at), _reason(vault, company, row)
        entry = {"entry_until": until, "entry_subdomains": bool(subdomains)}
        found.append(from_row(ClaimStatus, row, state=state, reason=reason, **entry))
    return tuple(found)


def _state(row: DomainClaim, company: CompanyRecord, until: datetime | None, at: datetime) -> State:
    if row.refused_at is not None:
        return "refused"
    if company_rows.is_over(company, at):
        return "ended"
    if row.proven_at is None:
        return "open" if row.expires_at > at else "expired"
    if until is not None and until <= at:
        return "ended"
    return "proven" if row.missing_since is None else "missing"


def _reason(vault: Vault, company: CompanyRecord, row: DomainClaim) -> str:
    if row.reason is None:
        return ""
    about = place("domain_claim", "reason", row.id)
    return vault.decrypt(company_key(vault, company), row.reason, about).decode()
