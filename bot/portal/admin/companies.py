"""Companies for those who administer: the list, one company opened, and the decisions about it, each with its reason."""

from collections.abc import Callable
from datetime import UTC, datetime

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from sqlmodel import Session

from agreements.store import (
    company_entries,
    company_requests,
    company_rows,
    documents,
    domain_claims,
    looking,
    managers,
)
from agreements.store.company_rows import CompanyRefused
from bot import manager_letters
from bot.hub.ports import HubError, Missing
from bot.manager_letters import Occasion
from bot.portal.access import Route, Who
from bot.portal.admin import paper_form
from bot.portal.admin.pages import PAGE, acting, part, render
from bot.portal.parts import Parts, parts
from bot.store import pulls

LONGEST_REASON = 2000


def companies_page() -> ResponseReturnValue:
    """All companies by name; those that wait for a decision stand first."""
    given = parts()
    at = given.clock()
    with given.sessions() as records:
        waiting = company_requests.pending(records, at=at)
        found = part(
            lambda skip, most: [
                company_requests.overview(records, company_id, at=at)
                for company_id in looking.company_ids(records, skip=skip, most=most)
            ]
        )
    return render("admin_companies.html", waiting=waiting, part=found)


def company_page(company_id: str) -> ResponseReturnValue:
    """Everything that the company stated and holds, opened."""
    return _page(company_id)


def countersign_company(company_id: str) -> ResponseReturnValue:
    """The agreement is in force from now on."""
    reason = _reason()

    def decide(records: Session, given: Parts, by: int, at: datetime) -> None:
        company_requests.countersign(records, given.vault, company_id, by=by, at=at, new_id=given.new_id, reason=reason)

    return _decided(company_id, "company-countersigned", reason, decide)


def refuse_company(company_id: str) -> ResponseReturnValue:
    """The request is turned down; its managers read why."""
    reason = _reason()

    def decide(records: Session, given: Parts, by: int, at: datetime) -> None:
        company_requests.refuse(records, given.vault, company_id, reason=reason, by=by, at=at, new_id=given.new_id)

    return _decided(company_id, "company-refused", reason, decide)


def end_company(company_id: str) -> ResponseReturnValue:
    """The agreement ends at the end of a day."""
    reason, until = _reason(), _end_of_day(request.form.get("until", ""))
    if until is None:
        return _page(
            company_id, {"until": _("Write a day, such as 2026-12-31; the agreement ends when it is over.")}
        ), 400
    if not reason:
        return _page(company_id, {"end-reason": _("Write why.")}), 400

    def decide(records: Session, given: Parts, by: int, at: datetime) -> None:
        company_requests.end(
            records, given.vault, company_id, until=until, reason=reason, by=by, at=at, new_id=given.new_id
        )

    return _decided(company_id, "company-ended", reason, decide)


def appoint_manager(company_id: str) -> ResponseReturnValue:
    """Put somebody into office where too few are left."""
    reason, login = _reason(), request.form.get("login", "").strip().removeprefix("@")
    if not paper_form.is_login(login):
        return _page(company_id, {"login": _("Write the GitHub login of a person.")}), 400
    try:
        account = parts().hub.account_by_login(login)
    except Missing:
        return _page(company_id, {"login": _("Nobody at GitHub has this login.")}), 400
    except HubError:
        return _page(company_id, {"login": _("GitHub does not answer at the moment. Try again in a few minutes.")}), 503

    def decide(records: Session, given: Parts, by: int, at: datetime) -> None:
        managers.appoint(records, given.vault, company_id, account, by=by, at=at, new_id=given.new_id, reason=reason)

    return _decided(company_id, "", reason, decide)


Decision = Callable[[Session, Parts, int, datetime], None]


def _decided(company_id: str, letter: str, reason: str, decide: Decision) -> ResponseReturnValue:
    """Letters, rechecks and the decision in one transaction, the decision with its log entry last."""
    given, by = parts(), acting()
    at = given.clock()
    try:
        with given.sessions() as records:
            row = company_rows.locked(records, company_id)
            if letter:
                values = {"company": row.name, "reason": reason or "-", "url": f"{given.settings.url}/company/{row.id}"}
                occasion = Occasion(kind=letter, values={**values, "site": given.settings.url})
                manager_letters.write(records, given.vault, row.id, occasion, at=at, new_id=given.new_id)
                pulls.touch_open(records, given.engine)
            decide(records, given, by.id, at)
    except LookupError:
        abort(404)
    except CompanyRefused as error:
        return _page(company_id, {"decision": refusal(error.reason)}), 409
    return redirect(f"/admin/companies/{company_id}")


def _page(company_id: str, errors: dict[str, str] | None = None) -> str:
    given = parts()
    at = given.clock()
    with given.sessions() as records:
        try:
            found = company_requests.overview(records, company_id, at=at)
        except LookupError:
            abort(404)
        entries = company_entries.page(records, given.vault, company_id, at=at, skip=0, most=PAGE)
        return render(
            "admin_company.html",
            company=found,
            stated=company_requests.opened(records, given.vault, company_id),
            managers=managers.in_office(records, company_id, at=at),
            least=managers.LEAST,
            claims=domain_claims.of_company(records, given.vault, company_id, at=at),
            entries=entries,
            kept=documents.of_company(records, given.vault, company_id),
            services=paper_form.SERVICES,
            errors=errors or {},
            sent=request.form,
        )


def _reason() -> str:
    return " ".join(request.form.get("reason", "").split())[:LONGEST_REASON]


def _end_of_day(text: str) -> datetime | None:
    """The end of that day, UTC: its last second, so that the day itself counts."""
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return day.replace(hour=23, minute=59, second=59) if day.year < 9000 else None


def refusal(reason: str) -> str:
    """The sentence for what the records did not take."""
    sentences = {
        "decided": _("This was decided already."),
        "own": _("You look after this company yourself: another administrator has to decide."),
        "two-managers": _("A company needs two managers before it can be countersigned."),
        "reason-needed": _("Write a reason. Without a proven domain a countersignature needs one, a refusal always."),
        "not-in-force": _("This agreement is not in force."),
        "past": _("The day lies in the past. What was covered until now stays covered."),
        "over": _("The agreement ends sooner already."),
        "already": _("This person looks after the company already."),
        "no-person": _("This is no person's account."),
        "too-many": _("Too many people look after this company already."),
        "expired": _("The claim has expired; the company has to ask again."),
        "refused": _("The claim was refused; the company has to ask again."),
        "ended": _("The company's agreement has ended."),
        "taken": _("Another company holds this domain, or one above it."),
    }
    return str(sentences.get(reason) or _("No company may hold this domain: %(why)s.", why=reason))


ROUTES = (
    Route("/admin/companies", companies_page, Who.READER),
    Route("/admin/companies/<company_id>", company_page, Who.READER),
    Route("/admin/companies/<company_id>/countersign", countersign_company, Who.ADMINISTRATOR, "POST"),
    Route("/admin/companies/<company_id>/refuse", refuse_company, Who.ADMINISTRATOR, "POST"),
    Route("/admin/companies/<company_id>/end", end_company, Who.ADMINISTRATOR, "POST"),
    Route("/admin/companies/<company_id>/appoint", appoint_manager, Who.ADMINISTRATOR, "POST"),
)
