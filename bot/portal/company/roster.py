"""Who is covered by a company now and why, for its managers, who may also end an enrolment."""

from dataclasses import dataclass, field

from flask import abort, redirect, render_template, request
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from agreements.domains import canonical_address
from agreements.store import enrolments, rosters
from agreements.store.enrolments import Enrolled
from agreements.store.rosters import Covered, Roll
from bot.portal.access import Route, Who
from bot.portal.company import enrolling
from bot.portal.parts import parts
from bot.portal.visitor import visitor

PAGE = 50
"""How many people one page shows."""

_LONGEST_SEARCH = 254


@dataclass(frozen=True, slots=True)
class Line:
    """Somebody who is covered, and their enrolment if they have one."""

    covered: Covered
    enrolment: Enrolled | None

    def found_by(self, wanted: str) -> bool:
        """Whether a search means this person: part of the login, the account's number, or the address enrolled."""
        login = self.covered.login.lower()
        if wanted == str(self.covered.account_id) or (wanted.lower().removeprefix("@") or " ") in login:
            return True
        address = canonical_address(wanted)
        named = {one.entry.email for one in self.covered.by} | {self.enrolment.address if self.enrolment else None}
        return address is not None and address in named


@dataclass(frozen=True, slots=True)
class Roster:
    """A company and everybody whom it covers, as far as we know without a pull request."""

    roll: Roll
    mode: str
    lines: tuple[Line, ...] = field(repr=False)


def routes() -> tuple[Route, ...]:
    """The roster, a search in it, and the end of an enrolment."""
    return (
        Route("/company/<company_id>/roster", roster_page, Who.MANAGER),
        Route("/company/<company_id>/roster", search, Who.MANAGER, "POST", limit="60 per minute"),
        Route("/company/<company_id>/enrolments/<enrolment_id>/end", end, Who.MANAGER, "POST", limit="60 per minute"),
    )


def roster_page(company_id: str) -> ResponseReturnValue:
    """Everybody, fifty a page."""
    found = _roster(company_id)
    number = request.args.get("page", "1")
    page = int(number) if number.isascii() and number.isdecimal() and len(number) < 6 else 1
    pages = max(1, -(-len(found.lines) // PAGE))
    page = min(max(page, 1), pages)
    return _shown(found, found.lines[(page - 1) * PAGE : page * PAGE], page=page, pages=pages)


def search(company_id: str) -> ResponseReturnValue:
    """Those whom a search means. It comes in a form: what is searched for is in no address and no log."""
    found = _roster(company_id)
    wanted = request.form.get("who", "")[:_LONGEST_SEARCH].strip()
    lines = tuple(line for line in found.lines if line.found_by(wanted))
    return _shown(found, lines[:PAGE], wanted=wanted)


def end(company_id: str, enrolment_id: str) -> ResponseReturnValue:
    """End an enrolment at this company; one at another does not exist here."""
    who = visitor()
    with parts().sessions() as records:
        found = enrolments.find(records, enrolment_id)
    if who is None or found is None or found[0] != company_id:
        abort(404)
    enrolling.end(parts(), enrolment_id, by=who.account.id)
    return redirect(f"/company/{company_id}/roster")


def _roster(company_id: str) -> Roster:
    at, rules = parts().clock(), parts().rules(None)
    with parts().sessions() as records:
        roll = rosters.roll(records, parts().vault, company_id)
        covered = rosters.covered(records, parts().vault, roll, rules, at=at)
        enrolled = _enrolled(records, company_id)
    mode = "enrolled" if "enrolled" in (rules.people.domains, roll.company.domains) else "linked"
    return Roster(roll, mode, tuple(Line(one, enrolled.get(one.account_id)) for one in covered))


def _enrolled(records: Session, company_id: str) -> dict[int, Enrolled]:
    """Whose enrolment runs; of two the one that lasts longer."""
    at = parts().clock()
    every = enrolments.of_company(records, parts().vault, company_id)
    running = [one for one in every if one.ended_at is None and one.until > at]
    return {one.account_id: one for one in sorted(running, key=lambda one: one.until)}


def _shown(found: Roster, lines: tuple[Line, ...], *, page: int = 1, pages: int = 1, wanted: str = "") -> str:
    return render_template(
        "company_roster.html", roster=found, lines=lines, page=page, pages=pages, wanted=wanted, total=len(found.lines)
    )
