"""Whom a company names besides its domains: accounts and addresses, added and ended from a day on, found by search."""

from datetime import datetime

from flask import abort, flash, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types

from agreements.facts import Entry
from agreements.store.companies import company_entries
from agreements.store.companies.company_entries import EntryDetails
from agreements.store.companies.company_rows import CompanyRefused
from bot.portal.agreement_fields import SAYS
from bot.portal.company.company_access import (
    Unresolved,
    account,
    acting,
    after_day,
    field,
    first_day,
    overview,
    render,
    said,
)
from bot.portal.page_access import Route, Who
from bot.portal.portal_services import portal_services
from bot.store.pulls import rejudge

PAGE = 50
_LONGEST_SEARCH = 300


def routes() -> tuple[Route, ...]:
    """Open to the company's managers. A search is a POST: no address ever stands in the browser's history."""
    page = "/company/<company_id>/people"
    return (
        Route(page, people_page, Who.MANAGER),
        Route(page, add_person, Who.MANAGER, "POST", limit="60 per minute"),
        Route(f"{page}/search", search_people, Who.MANAGER, "POST", limit="60 per minute"),
        Route(f"{page}/<entry_id>", entry_page, Who.MANAGER),
        Route(f"{page}/<entry_id>", end_entry, Who.MANAGER, "POST", limit="60 per minute"),
    )


def people_page(company_id: str) -> ResponseReturnValue:
    """The list, fifty on a page."""
    return _page(company_id, {})


def search_people(company_id: str) -> ResponseReturnValue:
    """Those entries that are just what was typed; what else was sent, as by a tried removal, waits in the form below."""
    return _page(company_id, {}, wanted=field("wanted")[:_LONGEST_SEARCH])


def add_person(company_id: str) -> ResponseReturnValue:
    """Name or exclude an account or an address from a day on."""
    given, who, typed = portal_services(), acting(), field("who")
    since, until, errors = _days()
    if not typed:
        errors = {"who": _("Write a GitHub login or an e-mail address."), **errors}
    if errors:
        return _page(company_id, errors), 400
    try:
        entry, login = _named(typed, since, until)
        with given.sessions() as records:
            rejudge.company(records, given.engine, company_id, since, until, now=given.clock())
            company_entries.add(
                records,
                given.vault,
                company_id,
                entry,
                by=who.account.id,
                at=given.clock(),
                new_id=given.new_id,
                excluded=field("what") == "exclude",
                login=login,
            )
    except Unresolved as error:
        return _page(company_id, {"who": error.sentence}), error.code
    except CompanyRefused as error:
        place = {"past": "since", "order": "until"}.get(error.reason, "who")
        return _page(company_id, {place: said(error)}), 409
    flash(_("Added. Open pull requests are checked again when the entry begins to count."))
    return redirect(f"/company/{company_id}/people")


def entry_page(company_id: str, entry_id: str) -> ResponseReturnValue:
    """One entry, and the form that ends it."""
    return _entry_page(company_id, entry_id, {})


def end_entry(company_id: str, entry_id: str) -> ResponseReturnValue:
    """End it at once, or when a day is over; never backwards."""
    given, at = portal_services(), portal_services().clock()
    entry = _entry(company_id, entry_id)
    try:
        until = after_day(field("until")) or at
    except ValueError:
        return _entry_page(company_id, entry_id, {"until": str(SAYS["no-date"])}), 400
    try:
        with given.sessions() as records:
            rejudge.company(records, given.engine, company_id, until, now=given.clock())
            by = acting().account.id
            company_entries.end(
                records, given.vault, company_id, entry_id, until=until, by=by, at=at, new_id=given.new_id
            )
    except CompanyRefused as error:
        return _entry_page(company_id, entry_id, {"until": said(error)}), 409
    flash(_("The end is saved. Open pull requests are checked again when it comes."))
    return redirect(f"/company/{company_id}/{'domains' if entry.kind == 'domain' else 'people'}")


def _days() -> tuple[datetime | None, datetime | None, dict[str, str]]:
    """Beginning and end as they were typed, and what is wrong with them."""
    errors: dict[str, str] = {}
    moments: dict[str, datetime | None] = {"since": None, "until": None}
    for name, read in (("since", first_day), ("until", after_day)):
        try:
            moments[name] = read(field(name))
        except ValueError:
            errors[name] = str(SAYS["no-date"])
    return moments["since"], moments["until"], errors


def _named(typed: str, since: datetime | None, until: datetime | None) -> tuple[Entry, str]:
    """An address, or the account of a login with its label. Raises Unresolved."""
    if "@" in typed.removeprefix("@"):
        return Entry(email=typed, since=since, until=until), ""
    found = account(typed)
    return Entry(account_id=found.id, since=since, until=until), found.login


def _entry(company_id: str, entry_id: str) -> EntryDetails:
    services = portal_services()
    with services.sessions() as records:
        try:
            return company_entries.one(records, services.vault, company_id, entry_id, at=services.clock())
        except LookupError:
            abort(404)


def _entry_page(company_id: str, entry_id: str, errors: dict[str, str]) -> str:
    entry = _entry(company_id, entry_id)
    page = "domains" if entry.kind == "domain" else "people"
    until = field("until") or request.args.get("until", "")[:10]  # a tried removal leads here with its day
    return render("company/entry.html", overview(company_id), page, entry=entry, errors=errors, until=until)


def _page(company_id: str, errors: dict[str, str], wanted: str = "") -> str:
    given, company = portal_services(), overview(company_id)
    number = request.args.get("page", "1")
    page = int(number) if number.isascii() and number.isdecimal() and len(number) < 7 else 1
    with given.sessions() as records:
        found = company_entries.page(
            records,
            given.vault,
            company_id,
            at=given.clock(),
            skip=0 if wanted else (max(page, 1) - 1) * PAGE,
            most=PAGE,
            wanted=wanted,
        )
    return render(
        "company/people.html",
        company,
        "people",
        found=found,
        number=max(page, 1),
        last=-(-found.total // PAGE),
        wanted=wanted,
        errors=errors,
        sent=request.form,
    )
