"""A manager's overview of people: how many are covered, invited and leaving, and which of their pull requests are red."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from flask import render_template

from agreements.store.companies import employee_invitations, enrolments
from agreements.store.companies.rosters import CoveredPerson, Roster
from bot.portal.company.roster import everybody
from bot.portal.portal_services import portal_services
from bot.store.pulls import red_pulls

ENDING_WITHIN = timedelta(days=30)
"""How near a last day is that the page names."""

MAX_NAMES = 50
"""How many of each kind the page names; the numbers count all of them."""


@dataclass(frozen=True, slots=True)
class EndingCover:
    """Somebody whose cover by one of the entries, or whose enrolment, ends soon."""

    account_id: int
    login: str
    until: datetime
    is_enrolment: bool


def coverage_page(company_id: str) -> str:
    """Everything at a glance, each with the way to its own page."""
    services, found = portal_services(), everybody(company_id)
    roster, people = found.roster, found.people
    at = services.clock()
    with services.sessions() as records:
        running = enrolments.running(records, company_id, at=at)
        ends = {account_id: row.until for account_id, row in running.items()}
        sent = employee_invitations.of_company(records, services.vault, company_id)
        red = red_pulls.of_accounts(records, [one.account_id for one in people])
    waiting = [one for one in sent if one.state == "waiting"]
    return render_template(
        "company/coverage.html",
        company=found.company,
        covered=len(people),
        enrolled=sum(one.account_id in running for one in people),
        waiting=waiting,
        leaving=_leaving(roster, people, ends, at),
        red=[f"{one.owner}/{one.name}#{one.number}" for one in red if not one.private],
        red_private=sum(one.private for one in red),
        most=MAX_NAMES,
        days=ENDING_WITHIN.days,
    )


def _leaving(
    roster: Roster, people: tuple[CoveredPerson, ...], ends: dict[int, datetime], at: datetime
) -> list[EndingCover]:
    """The next end of each: of the entry that covers longest, else of the enrolment; those who go first come first.

    Where an entry has no end nobody leaves by it.
    """
    found = []
    for one in people:
        untils = [named.entry.until for named in one.by]
        last = None if None in untils else max((until for until in untils if until), default=None)
        enrolled = ends.get(one.account_id)
        excluded = [
            named.entry.since
            for named in roster.named
            if named.excluded and named.entry.account_id == one.account_id and named.entry.since
        ]
        nearest = min((until for until in (last, *excluded) if until), default=None)
        if nearest is not None and nearest <= at + ENDING_WITHIN:
            found.append(EndingCover(one.account_id, one.login, nearest, is_enrolment=False))
        elif enrolled is not None and enrolled <= at + ENDING_WITHIN:
            found.append(EndingCover(one.account_id, one.login, enrolled, is_enrolment=True))
    return sorted(found, key=lambda one: (one.until, one.login.lower()))
