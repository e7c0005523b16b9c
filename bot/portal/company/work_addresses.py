"""The visitor's addresses as a page of enrolment knows them: the company that each one is good for, and an enrolment that runs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agreements.domains.canonical_form import canonical_address, domains_over
from agreements.store.companies import enrolments
from agreements.store.companies.enrolments import Employer, EmployerSearch
from agreements.store.people import emails
from agreements.store.people.emails import MAILED_CODE
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in


@dataclass(frozen=True, slots=True)
class WantedParties:
    """The `parties` with which the employer's agreement should be made (None: any), and whether `only` those will do.

    `company_id` is the one company that will do, None for each.
    """

    parties: Collection[str] | None
    only: bool
    company_id: str | None = None


ANY_PARTY = WantedParties(None, only=False)


@dataclass(frozen=True, slots=True)
class WorkAddress:
    """An `address` of the visitor with the `employer` at which it enrols them, None for none; `until` an enrolment there runs."""

    address: str = field(repr=False)
    employer: Employer | None
    until: datetime | None = None


def of_visitor(company_id: str | None, wanted: WantedParties) -> tuple[WorkAddress, ...]:
    """The addresses that GitHub or a mailed code verified, each with its employer; only the named one if one is named."""
    who, services = signed_in(), portal_services()
    accepted = services.catalog.accepted()
    # Only the visitor's own addresses, so that they cannot try out which companies there are.
    with reading() as (records, vault, at):
        proven = emails.proven(records, vault, [who.account.id], at, how=(MAILED_CODE,)).get(who.account.id, ())
        known = {canonical_address(email): email for email in (*proven, *who.emails)}
        mine = [email for email in dict.fromkeys((*who.emails, *proven)) if email in known.values()]
        mine = [email for email in mine if domains_over(email, services.server)]
        search = EmployerSearch(records, vault, services.server, accepted, at)
        found = search.by_address(who.account.id, mine)
        held = enrolments.of_account(records, who.account.id, accepted=accepted, at=at)
    running = {(enrolment.company_id, enrolment.domain): enrolment.until for enrolment in held if enrolment.running}
    employers = {address: employer(found[address], company_id, wanted) for address in mine}
    return tuple(
        WorkAddress(address, company, running.get((company.company_id, company.domain)) if company else None)
        for address, company in employers.items()
    )


def employer(found: Sequence[Employer], company_id: str | None, wanted: WantedParties) -> Employer | None:
    """The company that is named; without a name the one that has agreed with a wanted party, else any that will do."""
    if named := company_id or wanted.company_id:
        return next((company for company in found if company.company_id == named), None)
    # An employer may have agreed with several parties: those that are wanted come first.
    preferred = [company for company in found if wanted.parties is not None and company.party in wanted.parties]
    return next(iter(preferred or (() if wanted.only else found)), None)
