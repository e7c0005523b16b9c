"""The companies that cover the visitor, or would: found by the visitor's account and verified addresses alone."""

from dataclasses import dataclass, field, replace
from typing import Literal

from sqlmodel import Session

from agreements.cla.company_cover import candidate, match
from agreements.cla.coverage import AgreementIndex
from agreements.domains.canonical_form import domains_over
from agreements.facts import Company
from agreements.rulebook.rules import Rules
from agreements.store.companies.enrolments import EmployerSearch
from agreements.store.coverage_records import Records
from bot.portal.portal_services import PortalServices
from bot.portal.session.visitor import Visitor


@dataclass(frozen=True, slots=True)
class EmployerCover:
    """A company (`company_id`, `name`) that takes the visitor in by an `address` of theirs; "": it names the account.

    `how`: `covered` in every commit, `linked` in commits with that address, `possible` once they show that they work there.
    `enrol` is the domain at which they may enrol, "" for none, with `works_at`, their addresses there; `listed`: the
    company names the address itself.
    """

    company_id: str
    name: str
    how: Literal["covered", "linked", "possible"]
    address: str = field(default="", repr=False)
    enrol: str = ""
    listed: bool = False
    works_at: tuple[str, ...] = field(default=(), repr=False)


def records_of(services: PortalServices, who: Visitor) -> Records:
    """The records about the visitor and their verified addresses, which `among` reads."""
    return services.records_of(who.account.id, frozenset(who.emails), at=services.clock())


def among(
    session: Session, services: PortalServices, who: Visitor, rules: Rules, known: Records, *, owner: int | None
) -> tuple[EmployerCover, ...]:
    """The companies among the visitor's records whose agreement counts under those rules, the surest cover first."""
    # The person's own signature is another question, which `sign-too` would mix in.
    lookup = _VisitorLookup(session, services, who, replace(rules, employees="covered"), services.owner_id(owner))
    proven = frozenset(known.emails.get(who.account.id, ()))
    found = [cover for company in known.companies if (cover := lookup.cover(company, proven)) is not None]
    return tuple(sorted(found, key=lambda cover: _SUREST_FIRST.index(cover.how)))


_SUREST_FIRST = ("covered", "linked", "possible")


@dataclass(frozen=True, slots=True)
class _VisitorLookup:
    """A look-up for the visitor `who` by `services` and `session`, under the `rules` of the owner `owner_id`."""

    session: Session
    services: PortalServices
    who: Visitor
    rules: Rules
    owner_id: int | None

    def cover(self, company: Company, proven: frozenset[str]) -> EmployerCover | None:
        """The company's cover of the visitor, who has proven these addresses by a code; None when it has nothing for them."""
        services, account_id, none = self.services, self.who.account.id, frozenset[str]()
        verified, now = frozenset(self.who.emails), services.clock()
        index = AgreementIndex(self.rules, now, (), [company], owner_id=self.owner_id, server=services.server)
        # Sure is an address that was proven to us; one that GitHub links covers only the commits that have it.
        sure = index.coverage_of(account_id, linked=none, proven=proven)
        if sure.covered:
            return EmployerCover(company.record, company.name, "covered", address=sure.address or "")
        linked = index.coverage_of(account_id, linked=verified, proven=proven)
        # As it will be once every verified address is proven; an exclusion of any of them already counts.
        later = index.coverage_of(account_id, linked=none, proven=verified | proven)
        if not (linked.covered or later.covered):
            return None
        search = EmployerSearch(self.session, services.vault, services.server, services.catalog.accepted(), now)
        # To enrol takes an address that GitHub verified.
        employer = search.at_company(company, account_id, verified)
        every = candidate(account_id, linked=none, proven=verified | proven, server=services.server)
        entry = match(company, every, "enrolled", now)
        return EmployerCover(
            company.record,
            company.name,
            "linked" if linked.covered else "possible",
            address=(linked if linked.covered else later).address or "",
            enrol=employer.domain if employer else "",
            listed=entry is not None and entry.code == "cla/company-email",
            works_at=tuple(
                email
                for email in self.who.emails
                if employer and employer.domain in domains_over(email, services.server)
            ),
        )
