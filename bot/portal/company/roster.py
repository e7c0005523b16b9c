"""Who is covered by a company now and why, for its managers, who may also end an enrolment."""

from dataclasses import dataclass

from flask import abort, redirect, render_template, request
from flask.typing import ResponseReturnValue

from agreements.domains.domains import canonical_address
from agreements.rulebook.rules import Rules
from agreements.store.companies import companies, company_requests, enrolments, rosters
from agreements.store.companies.company_requests import Overview
from agreements.store.companies.rosters import CoveredPerson, Roster
from agreements.store.people import emails
from bot.portal import organizations
from bot.portal.company import linked_people
from bot.portal.company.enrol import end_enrolment
from bot.portal.forms.typed_values import page_number
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in

PAGE_PEOPLE = 50
"""How many people one page shows."""

_MAX_SEARCH_CHARACTERS = 254


@dataclass(frozen=True, slots=True)
class CompanyPeople:
    """A company and its rules, everybody whom it covers by login, and those of whom only GitHub's link to an address is known.

    These are known from open pull requests alone.
    """

    company: Overview
    roster: Roster
    rules: Rules
    people: tuple[CoveredPerson, ...]
    linked: frozenset[int]


def roster_page(company_id: str) -> ResponseReturnValue:
    """Everybody, fifty a page."""
    found = everybody(company_id)
    people = found.people
    pages = max(1, -(-len(people) // PAGE_PEOPLE))
    page = min(page_number(), pages)
    return _page(found, people[(page - 1) * PAGE_PEOPLE : page * PAGE_PEOPLE], page=page, pages=pages)


def search(company_id: str) -> ResponseReturnValue:
    """Those whom a search means. It comes in a form: what is searched for is in no address and no log."""
    found = everybody(company_id)
    wanted = request.form.get("who", "")[:_MAX_SEARCH_CHARACTERS].strip()
    matching = _matching(found.roster, found.people, wanted)
    return _page(found, matching[:PAGE_PEOPLE], wanted=wanted, matching=len(matching))


def end(company_id: str, enrolment_id: str) -> ResponseReturnValue:
    """End an enrolment at this company; one at another does not exist here."""
    with portal_services().sessions() as records:
        found = enrolments.find(records, enrolment_id)
    if found is None or found[0] != company_id:
        abort(404)
    end_enrolment(portal_services(), enrolment_id, by=signed_in().account.id)
    return redirect(f"/company/{company_id}/roster")


def everybody(company_id: str) -> CompanyPeople:
    """Everybody whom a company covers."""
    services = portal_services()
    at, accepted = services.clock(), services.catalog.accepted()
    with services.sessions() as records:
        signed = companies.with_agreement(records, [company_id], accepted=accepted).get(company_id) or abort(404)
        roster = rosters.of(records, services.vault, signed)
    rules = organizations.rules_with(roster.company.party)
    with services.sessions() as records:
        known = rosters.covered(records, services.vault, roster, rules, server=services.server, at=at)
        ids = frozenset(one.account_id for one in known)
        linked = linked_people.find(services, records, roster, rules, ids)
    people = tuple(sorted((*known, *linked), key=lambda one: (one.login.lower(), one.account_id)))
    company = company_requests.overview_of(signed, at)
    return CompanyPeople(company, roster, rules, people, frozenset(one.account_id for one in linked))


def _matching(roster: Roster, people: tuple[CoveredPerson, ...], wanted: str) -> tuple[CoveredPerson, ...]:
    """By a part of the login, the account's number, or an address: one that is named here or was shown to enrol."""
    address, login = canonical_address(wanted), wanted.lower().removeprefix("@")
    enrolled: frozenset[int] = frozenset()
    if address is not None:
        with portal_services().sessions() as records:
            at = portal_services().clock()
            enrolled = enrolments.by_address(records, portal_services().vault, roster.company_id, address, at=at)
    return tuple(
        one
        for one in people
        if (login and login in one.login.lower())
        or wanted == str(one.account_id)
        or one.account_id in enrolled
        or (address is not None and address in {named.entry.email for named in one.by})
    )


def _page(
    found: CompanyPeople,
    shown: tuple[CoveredPerson, ...],
    **place: object,
) -> str:
    """These of the people with their enrolments; no other address is opened.

    `place` is the page and how many there are, or what was searched for and how many match.
    """
    services, roster, people = portal_services(), found.roster, found.people
    with services.sessions() as records:
        running = enrolments.running(records, roster.company_id, at=services.clock())
        proofs = [running[one.account_id].proof_id for one in shown if one.account_id in running]
        addresses = emails.opened(records, services.vault, proofs)
    needs_enrolment = "enrolled" in (
        found.rules.people.domains,
        roster.company.domains,
    )
    return render_template(
        "company/roster.html",
        company=found.company,
        mode="enrolled" if needs_enrolment else "linked",
        people=shown,
        linked=found.linked,
        enrolments=running,
        addresses=addresses,
        enrolled=sum(one.account_id in running for one in people),
        total=len(people),
        today=f"{services.clock():%Y-%m-%d}",
        enrol_url=f"{services.settings.url}/company/{roster.company_id}/enrol",
        **{"page": 1, "pages": 1, "wanted": "", "matching": 0, **place},
    )
