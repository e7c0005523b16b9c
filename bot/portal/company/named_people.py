"""The people whom a company names besides its domains: accounts and addresses, added and ended from a day on, found by search."""

from datetime import datetime

from flask import render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.canonical_form import canonical_address
from agreements.facts import Entry
from agreements.store.companies import company_entries, domain_claims
from agreements.store.companies.company_entries import CompanyEntryFilter, EntryDetails
from bot.portal import organizations
from bot.portal.company.people_list import LOOK_ALIKE, address_origin
from bot.portal.forms.agreement_fields import FIELD_ERRORS
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import account, after_day, field, first_day, page_number
from bot.portal.portal_services import portal_services, reading
from bot.store.pulls import rejudge

PAGE_ROWS = 50
MAX_FILTER_CHARACTERS = 20
_MAX_SEARCH_CHARACTERS = 300


def people_page(company_id: str, wanted: str = "") -> str:
    """The list, fifty on a page."""
    company, number = organizations.company(company_id), page_number()
    filters = {name: request.values.get(name, "")[:MAX_FILTER_CHARACTERS] for name in ("kind", "state", "sort")}
    only = CompanyEntryFilter(wanted=wanted, **filters)
    first = 0 if wanted else (number - 1) * PAGE_ROWS  # A search has one page.
    with reading() as (records, vault, at):
        rows = range(first, first + PAGE_ROWS)
        found = company_entries.page(records, vault, company_id, rows, at=at, only=only)
    return render_template(
        "company/people.html",
        company=company,
        found=found,
        number=number,
        last=-(-found.total // PAGE_ROWS),
        wanted=wanted,
        filters={name: value for name, value in filters.items() if value},
        sent=request.form,
    )


def search_people(company_id: str) -> ResponseReturnValue:
    """The entries that the typed text finds; other fields, as of a tried removal, stay in the form below."""
    return people_page(company_id, wanted=field("wanted")[:_MAX_SEARCH_CHARACTERS])


@form_action(people_page)
def add_person(company_id: str) -> ResponseReturnValue:
    """Name or exclude an account or an address from a day on."""
    typed = field("who")
    since, until, errors = _days()
    if not typed:
        errors = {"who": _("Enter a GitHub login or an e-mail address."), **errors}
    if errors:
        raise FormRefused(errors)
    entry, login = Entry(email=typed, since=since, until=until), ""
    if "@" not in typed.removeprefix("@"):  # A login may be typed with its @.
        found = account(typed, "who")
        entry, login = Entry(account_id=found.id, since=since, until=until), found.login
    excluded = field("what") == "exclude"
    if errors := {} if excluded else _doubts(company_id, entry):  # To exclude covers no stranger.
        raise FormRefused(errors, 409)
    with change("who", places={"past": "since", "past-end": "until", "order": "until"}) as context:
        rejudge.company(context.session, portal_services().engine, company_id, since, until, now=context.at)
        company_entries.add(context, company_id, entry, excluded=excluded, login=login)
    return done(
        f"/company/{company_id}/people", _("Added. We check open pull requests again when the entry takes effect.")
    )


def entry_page(company_id: str, entry_id: str) -> str:
    """The page of one entry, with the form that ends it."""
    entry = _entry(company_id, entry_id)
    return render_template(
        "company/people_one.html",
        company=organizations.company(company_id),
        tab="domains" if entry.kind == "domain" else "people",
        entry=entry,
        until=field("until") or request.args.get("until", "")[:10],  # A tried removal leads here with its day.
    )


@form_action(entry_page)
def end_entry(company_id: str, entry_id: str) -> ResponseReturnValue:
    """End it at once, or when a day is over; never backwards."""
    entry = _entry(company_id, entry_id)
    try:
        until = after_day(field("until"))
    except ValueError:
        raise FormRefused({"until": str(FIELD_ERRORS["no-date"])}) from None
    with change("until") as context:
        until = until or context.at
        rejudge.company(context.session, portal_services().engine, company_id, until, now=context.at)
        company_entries.end(context, company_id, entry_id, until=until)
    return done(
        f"/company/{company_id}/{'domains' if entry.kind == 'domain' else 'people'}",
        _("The end date is saved. We check open pull requests again on that date."),
    )


def _days() -> tuple[datetime | None, datetime | None, dict[str, str]]:
    errors: dict[str, str] = {}
    moments: dict[str, datetime | None] = {"since": None, "until": None}
    for name, read in (("since", first_day), ("until", after_day)):
        try:
            moments[name] = read(field(name))
        except ValueError:
            errors[name] = str(FIELD_ERRORS["no-date"])
    return moments["since"], moments["until"], errors


def _doubts(company_id: str, entry: Entry) -> dict[str, str]:
    """The doubts about an address that is to be covered; one outside the company's domains can be confirmed."""
    address = canonical_address(entry.email or "")
    if address is None:
        return {}
    with reading() as (records, _vault, at):
        domains = domain_claims.held(records, company_id, at=at)
    origin = address_origin(address, domains, portal_services().server)
    if origin == "look-alike":
        return {"who": str(LOOK_ALIKE)}
    if origin == "foreign" and field("foreign") != "y":
        return {"foreign": _("This address is outside your domains. Tick the box to add it anyway.")}
    return {}


def _entry(company_id: str, entry_id: str) -> EntryDetails:
    with reading() as (records, vault, at):
        return company_entries.read_entry(records, vault, company_id, entry_id, at=at)
