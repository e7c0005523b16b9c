"""Companies' domains from another tool's list: each a company's record that waits, and covers no one until countersigned."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from agreements import facts
from agreements.domains.canonical_form import approvable, canonical_domain, with_parents
from agreements.imports.entries import Domain, RejectedEntry, shown
from agreements.store.companies import companies, company_agreements, company_rows
from agreements.store.companies.companies import CompanyDraft, DomainRefused
from agreements.store.imports.imported import ImportSource
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord

_TAKEN = "another company holds it"

_WHY = {
    "public-suffix": "a public suffix belongs to many",
    "free-mail": "a free-mail provider's domain belongs to everybody",
    "disposable": "a disposable-mail domain belongs to everybody",
    "ip-address": "an IP address is not a domain",
    "single-label": "one label is no domain",
    "www": "www. is never covered",
    "code-host": "a code host's domain belongs to everybody",
    "unknown-suffix": "this domain ending does not exist",
}


@dataclass(frozen=True, slots=True)
class SkippedDomains:
    """Domains that add nothing: `unchanged` (why), or `refused`."""

    unchanged: tuple[tuple[Domain, str], ...] = ()
    refused: tuple[RejectedEntry, ...] = ()


def plan(
    session: Session, domains: Sequence[Domain], *, party: str | None, at: datetime
) -> tuple[tuple[Domain, ...], SkippedDomains]:
    """Part the domains that would become a company's record from those that are there, or that no company may hold."""
    added: dict[str, Domain] = {}
    unchanged, refused = [], []
    # The shortest first: a domain under another of the same list adds nothing to it.
    for domain in sorted(domains, key=lambda entry: entry.name.count(".")):
        name = canonical_domain(domain.name)
        reason = approvable(domain.name)
        if reason or name is None:
            refused.append(
                RejectedEntry(domain.where, shown(domain.name), _WHY.get(reason or "", "it is not a domain"))
            )
        elif _imported(session, name, party):
            unchanged.append((domain, "imported before"))
        elif any(above in added for above in with_parents(name)):
            unchanged.append((domain, "it is already in the list, or a domain above it is"))
        elif companies.taken(session, None, name, at, subdomains=True, with_whom=party):
            refused.append(RejectedEntry(domain.where, name, _TAKEN))
        else:
            added[name] = domain
    return tuple(added.values()), SkippedDomains(tuple(unchanged), tuple(refused))


def add(context: RecordContext, domain: Domain, source: ImportSource, agreement: tuple[str, str]) -> CompanyRecord:
    """The company's record, named after its domain, and its log entry. Raises DomainRefused when it was taken."""
    name = canonical_domain(domain.name) or domain.name
    company_rows.lock_domains(context.session)  # before anything else is locked
    draft = CompanyDraft(
        name=name, agreement=agreement[0], version=agreement[1], party=source.party, signed_at=context.at
    )
    company = companies.add(context, draft)
    entry = companies.add_entry(context, company, facts.Entry(domain=name))
    details = {"format": source.format, "sha256": source.sha256, "domain": name}
    rows = [company, *companies.party_rows(context.session, company), entry]
    company_rows.log(context, company, "company.imported", rows, details)
    return company


def refusal(domain: Domain, refused: DomainRefused) -> RejectedEntry:
    """The line for a domain that `add` raised for."""
    return RejectedEntry(domain.where, shown(domain.name), _WHY.get(refused.reason, _TAKEN))


def _imported(session: Session, name: str, party: str | None) -> bool:
    """Whether an import made a company of that domain, or one above, with that party, even if it has ended."""
    query = (
        select(CompanyEntry.company_id)
        .join(CompanyRecord)
        .where(
            col(CompanyEntry.domain).in_(with_parents(name)),
            # An import names the company after its domain, and has neither requester nor signature.
            col(CompanyRecord.name) == col(CompanyEntry.domain),
            col(CompanyRecord.requested_by).is_(None),
            col(CompanyRecord.signature_id).is_(None),
        )
    )
    return any(
        party is None or company_agreements.party(session, company_id) in (None, party)
        for company_id in session.exec(query)
    )
