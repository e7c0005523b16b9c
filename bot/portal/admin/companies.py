"""Companies for those who administer: the list, one company opened, and the decisions about it, each with its reason."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from sqlmodel import Session

from agreements.domains.confusables import mixed_words, skeleton
from agreements.store import admin_search
from agreements.store.companies import company_entries, company_requests, company_rows, domain_states, managers
from agreements.store.companies.company_requests import CompanyStatement, Overview
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.people import documents
from bot.mail import manager_emails
from bot.mail.manager_emails import Occasion, Office
from bot.portal import agreement_fields
from bot.portal.admin import paper_form
from bot.portal.admin.page_context import PAGE, acting, part, render
from bot.portal.company.company_access import SAYS, Unresolved, account, after_day
from bot.portal.company.request import LEGAL_NAME
from bot.portal.languages import language
from bot.portal.page_access import Route, Who
from bot.portal.portal_services import PortalServices, portal_services
from bot.store.pulls import rejudge

LONGEST_REASON = 2000


def companies_page() -> ResponseReturnValue:
    """All companies by name; those that wait for a decision stand first."""
    services = portal_services()
    at = services.clock()
    with services.sessions() as records:
        waiting = company_requests.pending(records, at=at)
        found = part(
            lambda skip, most: [
                company_requests.overview(records, company_id, at=at)
                for company_id in admin_search.company_ids(records, skip=skip, most=most)
            ]
        )
        looks = _name_looks(records, (*waiting, *found.rows))
    return render("admin/companies.html", waiting=waiting, part=found, looks=looks)


def company_page(company_id: str) -> ResponseReturnValue:
    """Everything that the company stated and holds, opened."""
    return _page(company_id)


def countersign_company(company_id: str) -> ResponseReturnValue:
    """The agreement is in force from now on."""
    reason = _reason()

    def decide(records: Session, services: PortalServices, by: int, at: datetime) -> None:
        company_requests.countersign(
            records, services.vault, company_id, by=by, at=at, new_id=services.new_id, reason=reason
        )

    return _decided(company_id, "company-countersigned", reason, decide)


def refuse_company(company_id: str) -> ResponseReturnValue:
    """The request is turned down; its managers read why."""
    reason = _reason()

    def decide(records: Session, services: PortalServices, by: int, at: datetime) -> None:
        company_requests.refuse(
            records, services.vault, company_id, reason=reason, by=by, at=at, new_id=services.new_id
        )

    return _decided(company_id, "company-refused", reason, decide)


def end_company(company_id: str) -> ResponseReturnValue:
    """The agreement ends when a day is over."""
    reason, until = _reason(), _last_day()
    if until is None:
        return _page(
            company_id, {"until": _("Write a day, such as 2026-12-31; the agreement ends when it is over.")}
        ), 400
    if not reason:
        return _page(company_id, {"end-reason": _("Write why.")}), 400

    def decide(records: Session, services: PortalServices, by: int, at: datetime) -> None:
        company_requests.end(
            records, services.vault, company_id, until=until, reason=reason, by=by, at=at, new_id=services.new_id
        )

    return _decided(company_id, "company-ended", reason, decide, until)


def appoint_manager(company_id: str) -> ResponseReturnValue:
    """Put somebody into office where too few are left."""
    reason = _reason()
    try:
        found = account(request.form.get("login", ""))
    except Unresolved as error:
        return _page(company_id, {"login": error.sentence}), error.code

    def decide(records: Session, services: PortalServices, by: int, at: datetime) -> None:
        company, url = company_rows.locked(records, company_id), f"{services.settings.url}/company/{company_id}"
        office = Office(company_id=company.id, company=company.name, url=url, by=acting().login)
        manager_emails.welcome(records, services.vault, found, office, at=at, new_id=services.new_id)
        managers.appoint(
            records, services.vault, company_id, found, by=by, at=at, new_id=services.new_id, reason=reason
        )

    return _decided(company_id, "", reason, decide)


class Named(Protocol):
    """What a letter says of a company."""

    id: str
    name: str


Decision = Callable[[Session, PortalServices, int, datetime], None]


def _decided(company_id: str, letter: str, reason: str, decide: Decision, *moments: datetime) -> ResponseReturnValue:
    """Letters, rechecks and the decision in one transaction, the decision with its log entry last."""
    given, by = portal_services(), acting()
    at = given.clock()
    try:
        with given.sessions() as records:
            row = company_rows.locked(records, company_id)
            if letter:
                told = _told(given, letter, row, reason, *moments)
                # Before the countersignature nobody was told of their office: this is their letter of welcome.
                once = manager_emails.welcomed(told["url"], at) if letter == "company-countersigned" else None
                occasion = Occasion(kind=letter, values=told, once=once)
                manager_emails.write(records, given.vault, row.id, occasion, at=at, new_id=given.new_id)
                rejudge.company(records, given.engine, row.id, *moments, now=given.clock())
            decide(records, given, by.id, at)
    except LookupError:
        abort(404)
    except CompanyRefused as error:
        return _page(company_id, {"decision": refusal(error.reason)}), 409
    return redirect(f"/admin/companies/{company_id}")


def _told(services: PortalServices, letter: str, row: Named, reason: str, *moments: datetime) -> dict[str, str]:
    """What the letter to its managers says: each leads to the page where they go on."""
    pages = {"company-refused": "/company/request", "company-ended": ""}
    told = {
        "company": row.name,
        "reason": reason,
        "url": services.settings.url + pages.get(letter, f"/company/{row.id}"),
    }
    return {**told, "day": f"{moments[0] - timedelta(days=1):%Y-%m-%d}"} if moments else told


def _page(company_id: str, errors: dict[str, str] | None = None) -> str:
    services = portal_services()
    at = services.clock()
    with services.sessions() as records:
        try:
            found = company_requests.overview(records, company_id, at=at)
        except LookupError:
            abort(404)
        entries = company_entries.page(records, services.vault, company_id, at=at, skip=0, most=PAGE)
        stated = company_requests.opened(records, services.vault, company_id)
        return render(
            "admin/company.html",
            company=found,
            stated=stated,
            told=_fields(found, stated),
            managers=managers.in_office(records, company_id, at=at),
            reached=managers.addresses(records, services.vault, company_id, at=at),
            least=managers.LEAST,
            claims=domain_states.of_company(records, services.vault, company_id, at=at),
            entries=entries,
            kept=documents.of_company(records, services.vault, company_id),
            services=paper_form.SERVICES,
            look=_name_looks(records, (found,)).get(company_id),
            errors=errors or {},
            sent=request.form,
        )


@dataclass(frozen=True, slots=True)
class NameLook:
    """What is odd about a company's name: words of mixed scripts, and other companies (id and name) that look the same."""

    mixed: tuple[str, ...]
    others: tuple[tuple[str, str], ...]


def _name_looks(records: Session, companies: Iterable[Overview]) -> dict[str, NameLook]:
    """What should be looked at, by company; one whose name is like no other and of one script is left out."""
    alike: dict[str, list[tuple[str, str]]] = {}
    for company_id, name in admin_search.company_names(records):
        alike.setdefault(skeleton(name), []).append((company_id, name))
    found = {}
    for one in companies:
        looks = skeleton(one.name)
        others = tuple(other for other in alike.get(looks, ()) if looks and other[0] != one.id)
        if mixed := mixed_words(one.name):
            found[one.id] = NameLook(mixed, others)
        elif others:
            found[one.id] = NameLook((), others)
    return found


def _fields(company: Overview, stated: CompanyStatement) -> list[tuple[str, str]]:
    """What the company and who signed for it filled in, under the labels of the agreement."""
    given = {**(stated.signed.draft.fields if stated.signed else {}), **stated.fields}
    catalog, tongue = portal_services().catalog, stated.signed.draft.language if stated.signed else "en"
    # A version that declares none of its own has the labels of another.
    known = (
        catalog.get(company.agreement, one, tongue) for one in (*catalog.versions(company.agreement), company.version)
    )
    fields = [field for text in known if text for field in text.fields]
    return agreement_fields.shown((LEGAL_NAME, *fields), given, language(), own=False)


def _reason() -> str:
    return " ".join(request.form.get("reason", "").split())[:LONGEST_REASON]


def _last_day() -> datetime | None:
    """The end of the day that was typed, UTC; None for no day."""
    try:
        return after_day(request.form.get("until", ""))
    except (ValueError, OverflowError):
        return None


def refusal(reason: str) -> str:
    """The sentence for what the records did not take."""
    sentences = {
        "reason-needed": _("Write a reason. Without a proven domain a countersignature needs one, a refusal always."),
    }
    return str(sentences.get(reason) or SAYS[reason])


ROUTES = (
    Route("/admin/companies", companies_page, Who.READER),
    Route("/admin/companies/<company_id>", company_page, Who.READER),
    Route("/admin/companies/<company_id>/countersign", countersign_company, Who.ADMINISTRATOR, "POST"),
    Route("/admin/companies/<company_id>/refuse", refuse_company, Who.ADMINISTRATOR, "POST"),
    Route("/admin/companies/<company_id>/end", end_company, Who.ADMINISTRATOR, "POST"),
    Route("/admin/companies/<company_id>/appoint", appoint_manager, Who.ADMINISTRATOR, "POST"),
)
