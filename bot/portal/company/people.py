"""Whom a company names besides its domains: accounts and addresses, added and ended from a day on, found by search."""

from datetime import datetime

from flask import abort, flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.domains import canonical_address
from agreements.facts import Entry
from agreements.store.companies import company_entries, domain_states
from agreements.store.companies.company_entries import EntryDetails
from agreements.store.companies.company_rows import CompanyRefused
from bot.portal.company.address_doubts import LOOK_ALIKE, doubt
from bot.portal.company.company_access import Unresolved, account, after_day, first_day, overview, refusal_text
from bot.portal.forms.agreement_fields import FIELD_ERRORS
from bot.portal.forms.typed_values import field, page_number
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.store.pulls import rejudge

PAGE_ROWS = 50
_MAX_SEARCH_CHARACTERS = 300


def search_people(company_id: str) -> ResponseReturnValue:
    """Those entries that are just what was typed; what else was sent, as by a tried removal, waits in the form below."""
    return people_page(company_id, wanted=field("wanted")[:_MAX_SEARCH_CHARACTERS])


def add_person(company_id: str) -> ResponseReturnValue:
    """Name or exclude an account or an address from a day on."""
    services, typed = portal_services(), field("who")
    since, until, errors = _days()
    if not typed:
        errors = {"who": _("Enter a GitHub login or an e-mail address."), **errors}
    if errors:
        return people_page(company_id, errors), 400
    try:
        entry, login = _named(typed, since, until)
        excluded = field("what") == "exclude"
        if errors := {} if excluded else _doubts(company_id, entry):
            return people_page(company_id, errors), 409
        with services.change(signed_in().account.id) as context:
            rejudge.company(context.session, services.engine, company_id, since, until, now=context.at)
            company_entries.add(context, company_id, entry, excluded=excluded, login=login)
    except Unresolved as error:
        return people_page(company_id, {"who": error.sentence}), error.code
    except CompanyRefused as error:
        place = {"past": "since", "past-end": "until", "order": "until"}.get(error.reason, "who")
        return people_page(company_id, {place: refusal_text(error)}), 409
    flash(_("Added. We check open pull requests again when the entry takes effect."))
    return redirect(f"/company/{company_id}/people")


def end_entry(company_id: str, entry_id: str) -> ResponseReturnValue:
    """End it at once, or when a day is over; never backwards."""
    services = portal_services()
    entry = _entry(company_id, entry_id)
    try:
        until = after_day(field("until"))
    except ValueError:
        return entry_page(company_id, entry_id, {"until": str(FIELD_ERRORS["no-date"])}), 400
    try:
        with services.change(signed_in().account.id) as context:
            until = until or context.at
            rejudge.company(context.session, services.engine, company_id, until, now=context.at)
            company_entries.end(context, company_id, entry_id, until=until)
    except CompanyRefused as error:
        return entry_page(company_id, entry_id, {"until": refusal_text(error)}), 409
    flash(_("The end date is saved. We check open pull requests again on that date."))
    return redirect(f"/company/{company_id}/{'domains' if entry.kind == 'domain' else 'people'}")


def _days() -> tuple[datetime | None, datetime | None, dict[str, str]]:
    """Beginning and end as they were typed, and what is wrong with them."""
    errors: dict[str, str] = {}
    moments: dict[str, datetime | None] = {"since": None, "until": None}
    for name, read in (("since", first_day), ("until", after_day)):
        try:
            moments[name] = read(field(name))
        except ValueError:
            errors[name] = str(FIELD_ERRORS["no-date"])
    return moments["since"], moments["until"], errors


def _named(typed: str, since: datetime | None, until: datetime | None) -> tuple[Entry, str]:
    """An address, or the account of a login with its label. Raises Unresolved."""
    if "@" in typed.removeprefix("@"):
        return Entry(email=typed, since=since, until=until), ""
    found = account(typed)
    return Entry(account_id=found.id, since=since, until=until), found.login


def _doubts(company_id: str, entry: Entry) -> dict[str, str]:
    """What speaks against an address that is to be covered; one outside the company's domains can be confirmed."""
    services, address = portal_services(), canonical_address(entry.email or "")
    if address is None:
        return {}
    with services.sessions() as records:
        found = doubt(address, domain_states.held(records, company_id, at=services.clock()), services.server)
    if found == "look-alike":
        return {"who": str(LOOK_ALIKE)}
    if found == "foreign" and field("foreign") != "y":
        return {"foreign": _("This address is outside your domains. Tick the box to add it anyway.")}
    return {}


def _entry(company_id: str, entry_id: str) -> EntryDetails:
    services = portal_services()
    with services.sessions() as records:
        try:
            return company_entries.one(records, services.vault, company_id, entry_id, at=services.clock())
        except LookupError:
            abort(404)


def entry_page(company_id: str, entry_id: str, errors: dict[str, str] | None = None) -> str:
    """One entry, and the form that ends it."""
    entry = _entry(company_id, entry_id)
    tab = "domains" if entry.kind == "domain" else "people"
    until = field("until") or request.args.get("until", "")[:10]  # a tried removal leads here with its day
    return render_template(
        "company/people_one.html",
        company=overview(company_id),
        tab=tab,
        entry=entry,
        errors=errors or {},
        until=until,
    )


def people_page(company_id: str, errors: dict[str, str] | None = None, wanted: str = "") -> str:
    """The list, fifty on a page."""
    services, company = portal_services(), overview(company_id)
    number = page_number()
    with services.sessions() as records:
        found = company_entries.page(
            records,
            services.vault,
            company_id,
            at=services.clock(),
            skip=0 if wanted else (number - 1) * PAGE_ROWS,
            most=PAGE_ROWS,
            wanted=wanted,
        )
    return render_template(
        "company/people.html",
        company=company,
        found=found,
        number=number,
        last=-(-found.total // PAGE_ROWS),
        wanted=wanted,
        errors=errors or {},
        sent=request.form,
    )
