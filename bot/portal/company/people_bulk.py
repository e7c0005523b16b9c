"""Many people named at once: a list is looked through line by line, and the lines that are good are added together."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from flask import render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext
from sqlmodel import Session

from agreements.domains.canonical_form import canonical_address
from agreements.facts import Account, Entry
from agreements.store.companies import company_entries, domain_claims, rosters
from agreements.store.people import emails
from agreements.store.people.emails import MAILED_CODE
from agreements.vault import Vault
from bot.github.ports import HubError
from bot.portal import organizations
from bot.portal.company import list_preview, people_list
from bot.portal.company.list_preview import LineOutcome, ListPreview
from bot.portal.company.people_list import LOOK_ALIKE, PeopleListLine, address_origin
from bot.portal.downloads import download, log_export, table
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.refusals import REFUSALS
from bot.portal.forms.typed_values import after_day, first_day
from bot.portal.portal_services import portal_services, reading
from bot.store.pulls import rejudge

MAX_LIST_BYTES = 512 * 1024
"""Bytes of a form with a list."""

LOOKUP_SECONDS = 10.0
"""The time for which one page asks GitHub for logins; the next page goes on."""

MAX_DIFFERENT_DAYS = 50
"""Different days in one list: each of them is a time at which pull requests are checked again."""

_PURPOSE, _REFUSED_LINES = "people", "people refused"

Answer = int | Literal["missing", "organization", "bot"]
"""GitHub's answer about a login: the number of the person's account, or why it is none."""

_FAULTS = {
    "nobody": lazy_gettext("This line names nobody."),
    "login": lazy_gettext("This is not a GitHub login or account number."),
    "address": REFUSALS["invalid"],
    "day": lazy_gettext("Enter dates as year-month-day, such as 2026-01-31."),
    "columns": lazy_gettext("This line has too many columns, or is a header row with an unknown name."),
    "several": lazy_gettext("Enter an account or an address, not both. Use two lines."),
    "twice": lazy_gettext("An earlier line names the same person."),
    "missing": lazy_gettext("There is no GitHub account with this login. It may have been renamed or deleted."),
    "unknown": lazy_gettext("There is no GitHub account with this number."),
    "organization": lazy_gettext("This account belongs to an organisation. Enter the people's own logins."),
    "bot": lazy_gettext("This account belongs to a bot, not to a person."),
    "other": lazy_gettext("At GitHub this login belongs to another account number."),
    "look-alike": LOOK_ALIKE,
}
"""A sentence for each thing that keeps a line out."""

_FROM_NOW = lazy_gettext("From now on, because the first day is in the past.")


def list_page(company_id: str, preview: ListPreview | None = None) -> str:
    """The form; with what happens with each line, once they were looked through, or with what is wrong."""
    preview = preview or ListPreview(request.form.get("list", ""))
    return render_template("company/people_list.html", company=organizations.company(company_id), preview=preview)


@form_action(list_page)
def check_list(company_id: str) -> ResponseReturnValue:
    """Say for each line what happens. Nothing is stored."""
    text = people_list.sent()
    lines = people_list.read(text)
    if len({day for line in lines for day in (line.since, line.until) if day}) > MAX_DIFFERENT_DAYS:
        days = _("The list can have at most 50 different days. Split it.")
        raise FormRefused({"list": days}, preview=ListPreview(text))
    # GitHub's earlier answers come back with the form, signed: a long list takes several pages.
    known = list_preview.read(_PURPOSE, company_id, request.form.get("known", "")) or {}
    logins, problem = _resolved(lines, dict(known.get("accounts", {})))
    judged = _judged(company_id, lines, logins)
    good = list_preview.sign(
        _PURPOSE, company_id, [_packed(outcome) for outcome in judged if outcome.entry is not None]
    )
    kept = list_preview.sign(_PURPOSE, company_id, {"accounts": logins})
    kept_out = [
        [str(outcome.line.number), outcome.line.shown, outcome.why]
        for outcome in judged
        if outcome.outcome == "refused"
    ]
    refused = list_preview.sign(_REFUSED_LINES, company_id, kept_out) if kept_out else ""
    judged.sort(key=lambda outcome: outcome.outcome != "refused")  # What needs work comes first.
    return list_page(company_id, ListPreview(text, judged, good, kept, refused, problem))


@form_action(list_page)
def download_refused(company_id: str) -> ResponseReturnValue:
    """The refused lines of the list that was looked through, each with its reason, as a CSV file."""
    rows = list_preview.looked_through(_REFUSED_LINES, company_id, "refused")
    log_export("refused-lines", company_id)
    header = (_("Line"), _("Who"), _("Reason"))
    return download(table(header, rows, is_whole=False), "text/csv", "refused-lines.csv")


@form_action(list_page)
def add_list(company_id: str) -> ResponseReturnValue:
    """Add the good lines of the list that was looked through, in one transaction."""
    company, good = organizations.company(company_id), list_preview.looked_through(_PURPOSE, company_id, "good")
    foreign = request.form.get("foreign") == "y"
    # Addresses outside the company's domains need a tick of their own.
    wanted = [_unpacked(row) for row in good if foreign or not row["foreign"]]
    with change() as context:
        # Pull requests are checked again at each moment at which an entry begins or ends.
        moments = {moment for entry, _login in wanted for moment in (entry.since, entry.until) if moment}
        rejudge.company(context.session, portal_services().engine, company.id, *sorted(moments), now=context.at)
        reasons = company_entries.add_all(context, company.id, wanted)
    added = _("People added: %(count)s. We check open pull requests again when each entry takes effect.", count=reasons.count(""))  # fmt: skip
    return done(f"/company/{company_id}/people", added, *list_preview.skipped(reasons))


def _resolved(lines: Sequence[PeopleListLine], known: dict[str, Answer]) -> tuple[dict[str, Answer], str]:
    """GitHub's answer about each login, as many as the time allows, and why the asking stopped."""
    deadline = time.monotonic() + LOOKUP_SECONDS
    asked = dict.fromkeys(_asked(line) for line in lines if line.fault is None and not line.address)
    left = [name for name in asked if name not in known]
    try:
        for found in _answers([name for name in left if name[0] != "#"], [name for name in left if name[0] == "#"]):
            known |= {name: _answer(account) for name, account in found.items()}
            if time.monotonic() > deadline:
                break
    except HubError:
        # The answers until then are kept.
        return known, _("GitHub is not responding right now. Try again in a few minutes.")
    return known, ""


def _asked(line: PeopleListLine) -> str:
    """The word for the line's account: its login, or its number behind a sign that no login has."""
    return line.login.lower() or f"#{line.account_id}"


def _answers(logins: Sequence[str], numbers: Sequence[str]) -> Iterator[Mapping[str, Account | None]]:
    hub = portal_services().hub
    yield from hub.accounts_by_login(logins)
    for found in hub.accounts_by_id([int(number[1:]) for number in numbers]):
        yield {f"#{number}": account for number, account in found.items()}


def _answer(account: Account | None) -> Answer:
    if account is None:
        return "missing"
    kinds: dict[str, Answer] = {"Organization": "organization", "Bot": "bot"}
    return kinds.get(account.type, account.id)


def _judged(company_id: str, lines: Sequence[PeopleListLine], logins: dict[str, Answer]) -> list[LineOutcome]:
    with reading() as (records, vault, at):
        domains = domain_claims.held(records, company_id, at=at)
        seen: set[object] = set()
        first = [_first_look(line, logins, domains, seen, at) for line in lines]
        entries = [outcome.entry for outcome in first if outcome.entry is not None]
        reasons = iter(company_entries.refusals(records, vault, company_id, entries, at=at))
        domains_of = _domains(records, vault, company_id, entries, at)
    judged = []
    for line_outcome in first:
        reason = "" if line_outcome.entry is None else next(reasons)
        outcome = "unchanged" if reason == "known" else "refused"
        known = LineOutcome(line_outcome.line, outcome, str(REFUSALS[reason])) if reason else line_outcome
        judged.append(
            replace(known, domain=domains_of.get(line_outcome.entry, ""))
            if line_outcome.entry and not reason
            else known
        )
    return judged


def _domains(
    records: Session, vault: Vault, company_id: str, entries: Sequence[Entry], at: datetime
) -> dict[Entry, str]:
    """The domain of the company that covers the person of an entry already, by entry."""
    services = portal_services()
    found = rosters.roster(records, vault, company_id, accepted=services.catalog.accepted())
    cover = rosters.CompanyCover(found, organizations.company_rules(company_id), services.server, at)
    accounts = [entry.account_id for entry in entries if entry.account_id is not None]
    proven = emails.proven(records, vault, accounts, at, how=(MAILED_CODE,))
    domains = {}
    for entry in entries:
        # No account has the number 0: an address counts for whichever account it belongs to.
        account = entry.account_id or 0
        own = (entry.email,) if entry.email else proven.get(account, ())
        by = cover.by(account, frozenset(own))
        domains[entry] = next((roster_entry.entry.domain for roster_entry in by if roster_entry.entry.domain), "")
    return domains


def _first_look(
    line: PeopleListLine, logins: dict[str, Answer], domains: tuple[str, ...], seen: set[object], at: datetime
) -> LineOutcome:
    answer = None if line.address else logins.get(_asked(line))
    found = answer if isinstance(answer, int) else None
    fault = line.fault or _wrong(line, answer, domains)
    if fault is not None:
        return LineOutcome(line, "refused", str(_FAULTS[fault]))
    if found is None and not line.address:  # Not asked yet: the time was up.
        return LineOutcome(line, "later")
    address = canonical_address(line.address)
    key = found or address
    if key in seen:
        return LineOutcome(line, "refused", str(_FAULTS["twice"]))
    seen.add(key)
    since = first_day(line.since)
    late = since is not None and since < at  # Such as the day on which a person joined the company.
    entry = Entry(account_id=found, email=address, since=None if late else since, until=after_day(line.until))
    foreign = address and address_origin(address, domains, portal_services().server) == "foreign"
    return LineOutcome(line, "foreign" if foreign else "add", str(_FROM_NOW) if late else "", entry)


def _wrong(line: PeopleListLine, found: Answer | None, domains: tuple[str, ...]) -> str | None:
    for day in (line.since, line.until):
        if day and not 2000 <= int(day[:4]) <= 9000:
            return "day"
    if isinstance(found, str):
        return "unknown" if found == "missing" and not line.login else found
    # The list names another number beside the login: it is not ours to guess which of them is meant.
    if line.login and found and line.account_id not in (None, found):
        return "other"
    if not line.address:
        return None
    address = canonical_address(line.address)
    if address is None:
        return "address"
    return "look-alike" if address_origin(address, domains, portal_services().server) == "look-alike" else None


def _packed(outcome: LineOutcome) -> dict[str, object]:
    entry = outcome.entry or Entry()
    return {
        "login": outcome.line.login,
        "account": entry.account_id,
        "address": entry.email,
        "since": outcome.line.since if entry.since else "",  # A past day became "from now on".
        "until": outcome.line.until,
        "foreign": outcome.outcome == "foreign",
    }


def _unpacked(row: dict[str, Any]) -> tuple[Entry, str]:
    since, until = first_day(row["since"]), after_day(row["until"])
    return Entry(account_id=row["account"], email=row["address"], since=since, until=until), row["login"]
