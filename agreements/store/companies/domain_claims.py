"""A company gets a domain only when it has shown that the domain is its own: by its DNS, or to an administrator."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Literal

from sqlmodel import Session, SQLModel, col, select

from agreements.domains.domains import domain_of
from agreements.facts import Entry
from agreements.store.companies import companies, company_rows, managers
from agreements.store.companies.company_facts import company_key
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.domain_states import of_company
from agreements.store.lookup.keys import NewId, account_key, text_key
from agreements.store.people import emails
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import Company, DomainClaim
from agreements.store.tables.records import Person
from agreements.vault import Vault, new_salt, place

LASTS = timedelta(days=7)
"""How long a claim waits for its proof."""

TOKEN_BYTES = 16


def claim(  # noqa: PLR0913 - the session and the vault come first everywhere, the rest is one wish
    session: Session,
    vault: Vault,
    company_id: str,
    domain: str,
    *,
    addresses: Collection[str],
    by: int,
    at: datetime,
    new_id: NewId,
    subdomains: bool = True,
    proven: tuple[Person, ProvenAddress] | None = None,
) -> str:
    """Ask for a domain; the claim's id. `addresses` are the manager's own, verified by GitHub or proven to us.

    `proven` is kept as proven with the claim. One that is open already is given back. Raises LookupError, DomainRefused
    (`approvable`'s reasons, `taken`), and CompanyRefused: `no-address` unless one of the addresses is at that very
    domain, `held` when it is theirs already, `ended` for a company that is no more.
    """
    company_rows.lock_domains(session)
    company = company_rows.locked(session, company_id)
    if company_rows.is_over(company, at):
        raise CompanyRefused("ended")
    name = companies.allowed_domain(session, company, domain, at, subdomains=subdomains)
    if name not in {domain_of(address) for address in addresses}:
        raise CompanyRefused("no-address")
    known = of_company(session, vault, company.id, at=at)
    if any(one.domain == name and one.state in ("proven", "missing") for one in known):
        raise CompanyRefused("held")
    waiting = next((one for one in known if one.domain == name and one.state == "open"), None)
    if waiting is not None and waiting.subdomains == subdomains:
        return waiting.id
    row = _new_claim(company.id, name, by, at, new_id(), subdomains=subdomains)
    session.add(row)
    rows: list[SQLModel] = [row]
    if proven is not None:
        rows.append(emails.prove(session, vault, *proven, new_id=new_id()))
    company_rows.log(session, vault, company, "domain.claimed", rows, told=_told(row), by=by, at=at, new_id=new_id)
    return row.id


def prove(session: Session, vault: Vault, claim_id: str, *, by: int, at: datetime, new_id: NewId) -> None:
    """The domain's DNS showed the token: the domain is the company's from `at` on. The same proof twice is one.

    Raises LookupError, DomainRefused when it cannot be had any more, and CompanyRefused: `expired`, `refused`, `ended`.
    """
    row, company = _found(session, claim_id)
    if row.proven_at is None:
        row.how, row.checked_at = "dns", at
        _grant(session, vault, row, company, by=by, at=at, new_id=new_id)


def approve(  # noqa: PLR0913 - the session and the vault come first everywhere, the rest is one decision
    session: Session, vault: Vault, claim_id: str, *, reason: str, by: int, at: datetime, new_id: NewId
) -> None:
    """An administrator gives the company the domain without a proof by DNS, and says why.

    Raises as `prove` does, and CompanyRefused: `decided`, `reason-needed`, `own` for a manager of the company, or a former one.
    """
    row, company = _undecided(session, claim_id, reason=reason, by=by)
    row.how, row.decided_by, row.reason = "administrator", account_key(by), _sealed(vault, company, row.id, reason)
    _grant(session, vault, row, company, by=by, at=at, new_id=new_id)


def refuse(  # noqa: PLR0913 - the session and the vault come first everywhere, the rest is one decision
    session: Session, vault: Vault, claim_id: str, *, reason: str, by: int, at: datetime, new_id: NewId
) -> None:
    """An administrator turns the claim down; the managers read why. Raises as `approve` does."""
    row, company = _undecided(session, claim_id, reason=reason, by=by)
    row.refused_at, row.decided_by = at, account_key(by)
    row.reason = _sealed(vault, company, row.id, reason)
    company_rows.log(session, vault, company, "domain.refused", [row], told=_told(row), by=by, at=at, new_id=new_id)


def checked(
    session: Session, vault: Vault, claim_id: str, *, present: bool, at: datetime, new_id: NewId
) -> Literal["same", "missing", "returned"]:
    """What DNS certainly answered about a domain that is held; `missing` for the first time is worth a mail.

    Raises LookupError.
    """
    row, company = _found(session, claim_id)
    row.checked_at = at
    if present == (row.missing_since is None):
        return "same"
    row.missing_since = None if present else at
    kind = "domain.returned" if present else "domain.missing"
    company_rows.log(session, vault, company, kind, [row], told=_told(row), by=None, at=at, new_id=new_id)
    return "returned" if present else "missing"


def _new_claim(company_id: str, name: str, by: int, at: datetime, new_id: str, *, subdomains: bool) -> DomainClaim:
    return DomainClaim(
        id=text_key(new_id),
        company_id=company_id,
        domain=name,
        subdomains=subdomains,
        token=new_salt()[:TOKEN_BYTES].hex(),
        claimed_at=at,
        claimed_by=account_key(by),
        expires_at=at + LASTS,
    )


def _found(session: Session, claim_id: str) -> tuple[DomainClaim, Company]:
    """The claim and its company, both kept from others. Raises LookupError."""
    company_rows.lock_domains(session)
    query = select(DomainClaim).where(col(DomainClaim.id) == text_key(claim_id))
    row = session.exec(query).one_or_none()
    if row is None:
        raise LookupError("no such claim")
    company = company_rows.locked(session, row.company_id)
    session.refresh(row)
    return row, company


def _undecided(session: Session, claim_id: str, *, reason: str, by: int) -> tuple[DomainClaim, Company]:
    row, company = _found(session, claim_id)
    if row.proven_at is not None or row.refused_at is not None:
        raise CompanyRefused("decided")
    if not reason.strip():
        raise CompanyRefused("reason-needed")
    if managers.ever_managed(session, by, company.id):
        raise CompanyRefused("own")
    return row, company


def _grant(  # noqa: PLR0913 - as `prove`
    session: Session, vault: Vault, row: DomainClaim, company: Company, *, by: int, at: datetime, new_id: NewId
) -> None:
    if row.refused_at is not None:
        raise CompanyRefused("refused")
    if row.expires_at <= at:
        raise CompanyRefused("expired")
    if company_rows.is_over(company, at):
        raise CompanyRefused("ended")
    held = Entry(domain=row.domain, subdomains=row.subdomains, since=at)
    entry = companies.add_entry(session, vault, company, held, at=at, new_id=new_id())
    entry.added_by = account_key(by)
    row.proven_at, row.entry_id = at, entry.id
    told = _told(row)
    company_rows.log(session, vault, company, "domain.proven", [row, entry], told=told, by=by, at=at, new_id=new_id)


def _sealed(vault: Vault, company: Company, claim_id: str, reason: str) -> bytes:
    about = place("domain_claim", "reason", claim_id)
    return vault.encrypt(company_key(vault, company), reason.strip().encode(), about)


def _told(row: DomainClaim) -> dict[str, str | None]:
    return {"domain": row.domain, "how": row.how}
