"""The people whom a company covers now and why, for its managers: at a glance, and person by person."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from agreements.domains.canonical_form import canonical_address
from agreements.rulebook.rules import Rules
from agreements.store.companies import company_agreements, company_requests, employee_invitations, enrolments, rosters
from agreements.store.companies.company_requests import Overview
from agreements.store.companies.rosters import CoveredPerson, Roster
from agreements.store.people import emails
from bot.portal import organizations
from bot.portal.company import linked_people
from bot.portal.company.enrol import end_enrolment
from bot.portal.forms.typed_values import page_number
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.store.pulls import red_pulls

PAGE_PEOPLE = 50
"""People on one page."""

_MAX_SEARCH_CHARACTERS = 254

ENDING_WITHIN = timedelta(days=30)
"""The time before a last day within which the page names it."""

MAX_NAMES = 50
"""People of each kind whom the page names; the numbers count all of them."""


@dataclass(frozen=True, slots=True)
class CompanyPeople:
    """A `company` with its `roster` and `rules`, all `people` whom it covers by login, and those of them who are `linked`.

    Of these only GitHub's link to an address is known, from open pull requests alone.
    """

    company: Overview
    roster: Roster
    rules: Rules
    people: tuple[CoveredPerson, ...]
    linked: frozenset[int]


def roster_page(company_id: str) -> ResponseReturnValue:
    """All people, fifty a page."""
    found = company_people(company_id)
    people = found.people
    pages = max(1, -(-len(people) // PAGE_PEOPLE))
    page = min(page_number(), pages)
    return _page(found, people[(page - 1) * PAGE_PEOPLE : page * PAGE_PEOPLE], page=page, pages=pages)


def search(company_id: str) -> ResponseReturnValue:
    """The page with the people whom a search finds."""
    found = company_people(company_id)
    # The words are sent in a form, so that no address and no log has them.
    wanted = request.form.get("who", "")[:_MAX_SEARCH_CHARACTERS].strip()
    matching = _matching(found.roster, found.people, wanted)
    return _page(found, matching[:PAGE_PEOPLE], wanted=wanted, matching=len(matching))


def end(company_id: str, enrolment_id: str) -> ResponseReturnValue:
    """End an enrolment at this company."""
    with reading() as (records, _vault, _at):
        found = enrolments.find(records, enrolment_id)
    if found is None or found[0] != company_id:  # One at another company does not exist here.
        abort(404)
    end_enrolment(portal_services(), enrolment_id, by=signed_in().account.id)
    return redirect(f"/company/{company_id}/roster")


def company_people(company_id: str) -> CompanyPeople:
    """All people whom a company covers."""
    services = portal_services()
    accepted = services.catalog.accepted()
    with reading() as (records, vault, _at):
        signed = company_agreements.with_agreement(records, [company_id], accepted=accepted).get(company_id) or abort(
            404
        )
        roster = rosters.of(records, vault, signed)
    rules = organizations.rules_with(roster.company.party)
    with reading() as (records, vault, at):
        known = rosters.covered(records, vault, roster, rules, server=services.server, at=at)
        ids = frozenset(person.account_id for person in known)
        linked = linked_people.find(services, records, roster, rules, ids)
    people = tuple(sorted((*known, *linked), key=lambda person: (person.login.lower(), person.account_id)))
    company = company_requests.overview_of(signed, at)
    return CompanyPeople(company, roster, rules, people, frozenset(person.account_id for person in linked))


def _matching(roster: Roster, people: tuple[CoveredPerson, ...], wanted: str) -> tuple[CoveredPerson, ...]:
    address, login = canonical_address(wanted), wanted.lower().removeprefix("@")
    enrolled: frozenset[int] = frozenset()
    if address is not None:
        with reading() as (records, vault, at):
            enrolled = enrolments.by_address(records, vault, roster.company_id, address, at=at)
    # By a part of the login, the account's number, or an address that is named here or was shown to enrol.
    return tuple(
        person
        for person in people
        if (login and login in person.login.lower())
        or wanted == str(person.account_id)
        or person.account_id in enrolled
        or (address is not None and address in {named.entry.email for named in person.by})
    )


def _page(found: CompanyPeople, shown: tuple[CoveredPerson, ...], **place: object) -> str:
    roster = found.roster
    with reading() as (records, vault, at):
        running = enrolments.running(records, roster.company_id, at=at)
        # Only addresses that were shown to enrol are opened: no other one is the company's to know.
        proofs = [running[person.account_id].proof_id for person in shown if person.account_id in running]
        addresses = emails.opened(records, vault, proofs)
    needs_enrolment = "enrolled" in (found.rules.people.domains, roster.company.domains)
    return render_template(
        "company/roster.html",
        company=found.company,
        mode="enrolled" if needs_enrolment else "linked",
        people=shown,
        linked=found.linked,
        enrolments=running,
        addresses=addresses,
        enrolled=sum(person.account_id in running for person in found.people),
        total=len(found.people),
        today=f"{at:%Y-%m-%d}",
        enrol_url=f"{portal_services().url}/company/{roster.company_id}/enrol",
        # The page and how many there are, or what was searched for and how many match.
        **{"page": 1, "pages": 1, "wanted": "", "matching": 0, **place},
    )


@dataclass(frozen=True, slots=True)
class EndingCover:
    """A person (`account_id`, `login`) whose cover by an entry, or whose enrolment (`is_enrolment`), ends soon: at `until`."""

    account_id: int
    login: str
    until: datetime
    is_enrolment: bool


def coverage_page(company_id: str) -> str:
    """The page that sums up the company's cover, with links to the pages of each part."""
    found = company_people(company_id)
    people = found.people
    with reading() as (records, vault, at):
        running = enrolments.running(records, company_id, at=at)
        ends = {account_id: row.until for account_id, row in running.items()}
        sent = employee_invitations.of_company(records, vault, company_id)
        red = red_pulls.of_accounts(records, [person.account_id for person in people])
    return render_template(
        "company/coverage.html",
        company=found.company,
        covered=len(people),
        enrolled=sum(person.account_id in running for person in people),
        waiting=[invitation for invitation in sent if invitation.state == "waiting"],
        leaving=_leaving(found.roster, people, ends, at),
        red=[f"{pull.owner}/{pull.name}#{pull.number}" for pull in red if not pull.private],
        red_private=sum(pull.private for pull in red),
        most=MAX_NAMES,
        days=ENDING_WITHIN.days,
    )


def _leaving(
    roster: Roster, people: tuple[CoveredPerson, ...], ends: dict[int, datetime], at: datetime
) -> list[EndingCover]:
    """The next end of each: of the entry that covers longest, else of the enrolment; those who go first come first."""
    found = []
    for person in people:
        untils = [named.entry.until for named in person.by]
        # By an entry without an end no person leaves.
        last = None if None in untils else max((until for until in untils if until), default=None)
        enrolled = ends.get(person.account_id)
        excluded = [
            named.entry.since
            for named in roster.named
            if named.excluded and named.entry.account_id == person.account_id and named.entry.since
        ]
        nearest = min((until for until in (last, *excluded) if until), default=None)
        if nearest is not None and nearest <= at + ENDING_WITHIN:
            found.append(EndingCover(person.account_id, person.login, nearest, is_enrolment=False))
        elif enrolled is not None and enrolled <= at + ENDING_WITHIN:
            found.append(EndingCover(person.account_id, person.login, enrolled, is_enrolment=True))
    return sorted(found, key=lambda cover: (cover.until, cover.login.lower()))
