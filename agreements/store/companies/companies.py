"""Companies with a corporate agreement are added, and the people and domains that they name or exclude."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import false, true
from sqlmodel import Session, SQLModel, col, or_, select

from agreements import facts
from agreements.cla.party import canonical_party
from agreements.domains.canonical_form import approvable, canonical_domain, with_parents
from agreements.store.companies import company_agreements
from agreements.store.companies.company_agreements import PARTY
from agreements.store.companies.company_rows import company_key
from agreements.store.lookup import account_key, canonical_key, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.store.tables.records import RECORDED, PartyRecord
from agreements.vault import place


class DomainRefused(Exception):
    """A company may not hold this domain; `reason` is one of `agreements.domains.canonical_form.approvable`'s, or `taken`."""

    def __init__(self, domain: str, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{domain}: {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyDraft:
    """A corporate agreement (`name`, `agreement`, `version`) signed at `signed_at`; until `countersigned_at` is set it covers no one.

    `party` is its other side, None where it is not known (it counts nowhere); `signature_id` is the evidence, None for
    an import. `ended_at`: when it ends; `domains`: the mode that the company chose, None for the rulebook's.
    """

    name: str
    agreement: str
    version: str
    party: str | None
    signed_at: datetime
    signature_id: str | None = None
    countersigned_at: datetime | None = None
    ended_at: datetime | None = None
    domains: Literal["linked", "enrolled"] | None = None


def add(context: RecordContext, draft: CompanyDraft, company_id: str = "") -> CompanyRecord:
    """Store the company with its own data key, under that id or a new one. Raises ValueError for a blank value."""
    session, company_id = context.session, text_key(company_id or context.new_id())
    _, wrapped = context.vault.new_data_key("company", company_id)
    row = CompanyRecord(
        id=company_id,
        name=text_key(draft.name),
        agreement=text_key(draft.agreement),
        version=text_key(draft.version),
        signed_at=draft.signed_at,
        countersigned_at=draft.countersigned_at,
        ended_at=draft.ended_at,
        domains=draft.domains,
        wrapped_key=wrapped.sealed,
        ring_key_id=wrapped.ring_key_id,
        signature_id=draft.signature_id,
    )
    session.add(row)
    session.flush()
    # With a signature, the signature's party is the company's.
    if draft.signature_id is None and draft.party is not None:
        party = canonical_party(text_key(draft.party))
        session.add(PartyRecord(id=f"company-{row.id}", company_id=row.id, party=party, how=RECORDED, at=row.signed_at))
        session.flush()
    return row


def party_rows(session: Session, company: CompanyRecord) -> list[SQLModel]:
    """The row that names the party of a company without a signature, for the log; empty where the signature does."""
    return [*session.exec(select(PartyRecord).where(col(PartyRecord.company_id) == company.id))]


def add_entry(
    context: RecordContext, company: CompanyRecord, entry: facts.Entry, *, excluded: bool = False
) -> CompanyEntry:
    """Name a person or a domain, or exclude them. Raises as `new_entry`."""
    row = new_entry(context, company, entry, excluded=excluded)
    context.session.add(row)
    context.session.flush()
    return row


def new_entry(
    context: RecordContext, company: CompanyRecord, entry: facts.Entry, *, excluded: bool = False
) -> CompanyEntry:
    """The row, not yet stored, that names a person or a domain, or excludes them.

    Raises ValueError unless the entry has exactly one valid key, DomainRefused for a domain that it may not hold.
    """
    kind, vault = _kind(entry), context.vault
    domain = None if entry.domain is None else _entry_domain(context, company, entry, excluded=excluded)
    entry_id, sealed, index = text_key(context.new_id()), None, None
    if entry.email is not None:
        address = canonical_key(entry.email)  # One spelling: an entry typed in capitals must cover, too.
        # Managers see it: the company's key, not the person's.
        sealed = vault.encrypt(company_key(vault, company), address.encode(), place("company_entry", "email", entry_id))
        index = vault.blind_index(EMAIL_INDEX, address)
    return CompanyEntry(
        id=entry_id,
        company_id=company.id,
        kind=kind,
        excluded=excluded,
        domain=domain,
        subdomains=entry.subdomains,
        email=sealed,
        email_index=index,
        account_id=entry.account_id,
        since=entry.since,
        until=entry.until,
        added_at=context.at,
        added_by=context.by,
    )


def _kind(entry: facts.Entry) -> str:
    keys = {"domain": entry.domain, "email": entry.email, "account": entry.account_id}
    named = [kind for kind, key in keys.items() if key is not None]
    if len(named) != 1:
        raise ValueError("an entry names exactly one domain, address or account")
    if entry.account_id is not None:
        account_key(entry.account_id)
    return named[0]


def _entry_domain(context: RecordContext, company: CompanyRecord, entry: facts.Entry, *, excluded: bool) -> str:
    domain = canonical_domain(text_key(entry.domain))
    if domain is None:
        raise ValueError("an entry needs a valid domain")
    if excluded:  # An exclusion takes cover away, so any domain may be excluded.
        return domain
    since = entry.since or context.at
    return allowed_domain(context.session, company, domain, since, subdomains=entry.subdomains)


def allowed_domain(session: Session, company: CompanyRecord, domain: str, since: datetime, *, subdomains: bool) -> str:
    """The domain in its one spelling, if the company may hold it from then on. Raises DomainRefused."""
    reason, name = approvable(domain), canonical_domain(domain)
    if reason is not None or name is None:
        raise DomainRefused(domain, reason or "invalid")
    if taken(session, company, name, since, subdomains=subdomains):
        raise DomainRefused(name, "taken")
    return name


def taken(
    session: Session,
    company: CompanyRecord | None,
    domain: str,
    since: datetime,
    *,
    subdomains: bool,
    with_whom: str | None = None,
) -> bool:
    """Whether another company holds, from then on, the domain, one above that takes it in, or one below.

    `company` None: a company not yet stored, whose agreement is made with the party `with_whom`.
    """
    whom = with_whom if company is None else company_agreements.party(session, company.id)
    above = col(CompanyEntry.domain).in_(with_parents(domain))
    below = col(CompanyEntry.domain).endswith(f".{domain}") if subdomains else false()
    # With another party the same employer has another record: its domains are free here.
    of_party = or_(PARTY.is_(None), whom == PARTY) if whom is not None else true()
    query: Any = (
        company_agreements.joined_with_party(select(CompanyEntry).join(CompanyRecord))
        .where(of_party)
        .where(
            or_(above, below),
            col(CompanyEntry.company_id) != (company.id if company else ""),
            col(CompanyEntry.excluded).is_(False),
            or_(col(CompanyEntry.until).is_(None), col(CompanyEntry.until) > since),
            or_(col(CompanyRecord.ended_at).is_(None), col(CompanyRecord.ended_at) > since),
            col(CompanyRecord.refused_at).is_(None),  # a refused request held nothing
        )
    )
    # `above` also finds domains whose companies left subdomains out: those hold only themselves.
    return any(
        held.subdomains or held.domain == domain or (held.domain or "").endswith(f".{domain}")
        for held in session.exec(query)
    )
