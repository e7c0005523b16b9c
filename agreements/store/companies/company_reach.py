"""Everybody whom any entry of a company could cover at any time: whose pull requests a change of the company may affect."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlmodel import Session, col, select

from agreements.domains.domains import canonical_address, domains_over
from agreements.github_server import GitHubServer
from agreements.store.companies import company_facts
from agreements.store.lookup.keys import text_key
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord, Enrolment
from agreements.vault import Vault


@dataclass(frozen=True, slots=True)
class CompanyReach:
    """Account ids, canonical addresses and domains that a company names or excludes, named before or will name."""

    accounts: frozenset[int]
    addresses: frozenset[str] = field(repr=False)
    domains: frozenset[str]

    def touches(self, accounts: Iterable[int], addresses: Iterable[str], server: GitHubServer) -> bool:
        """Whether any of these people or addresses is among them; what is no valid address is not."""
        if not self.accounts.isdisjoint(accounts):
            return True
        for address in addresses:
            canonical = canonical_address(address)
            if canonical in self.addresses or not self.domains.isdisjoint(domains_over(address, server)):
                return True
        return False


def of(session: Session, vault: Vault, company_id: str) -> CompanyReach:
    """The company's reach; nobody for an unknown company."""
    company = session.get(CompanyRecord, text_key(company_id))
    if company is None:
        return CompanyReach(frozenset(), frozenset(), frozenset())
    rows = session.exec(select(CompanyEntry).where(col(CompanyEntry.company_id) == company.id)).all()
    enrolled = session.exec(select(Enrolment.account_id).where(col(Enrolment.company_id) == company.id))
    addresses = (company_facts.address(vault, company, row) for row in rows)
    return CompanyReach(
        frozenset({row.account_id for row in rows if row.account_id is not None} | set(enrolled)),
        frozenset(one for one in addresses if one is not None),
        frozenset(row.domain for row in rows if row.domain),
    )
