"""Many people named at once: a list is looked through line by line, and the lines that are good are added together."""

import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from flask import flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext

from agreements.domains.domains import canonical_address
from agreements.facts import Account, Entry
from agreements.store.companies import company_entries, domain_states
from bot.github.ports import HubError
from bot.portal.company import people_list
from bot.portal.company.address_doubts import LOOK_ALIKE, doubt
from bot.portal.company.company_access import REFUSALS, after_day, first_day, overview
from bot.portal.company.people_list import UNREADABLE, LineOutcome, PeopleListLine, UnreadableList
from bot.portal.forms import signed_preview
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.store.pulls import rejudge

MAX_LIST_BYTES = 512 * 1024
"""Bytes of a form with a list."""

LOOKUP_SECONDS = 10.0
"""How long one page asks GitHub for logins; the next page goes on."""

MAX_DIFFERENT_DAYS = 50
"""Different days in one list: each of them is a time at which pull requests are checked again."""

_PURPOSE = "people"

Answer = int | Literal["missing", "organization", "bot"]
"""What GitHub says of a login: the number of the person's account, or why it is none."""

_FAULTS = {
    "nobody": lazy_gettext("This line names nobody."),
    "login": lazy_gettext("This is not a GitHub login or account number."),
    "address": REFUSALS["invalid"],
    "day": lazy_gettext("Enter dates as year-month-day, such as 2026-01-31."),
    "columns": lazy_gettext("This line has too many columns, or is a header row with an unknown name."),
    "several": lazy_gettext("Enter an account or an address, not both. Use two lines."),
    "twice": lazy_gettext("An earlier line names the same person."),
    "missing": lazy_gettext("There is no GitHub account with this login. It may have been renamed or deleted."),
    "organization": lazy_gettext("This login belongs to an organisation. Enter the people's own logins."),
    "bot": lazy_gettext("This login belongs to a bot, not to a person."),
    "other": lazy_gettext("At GitHub this login belongs to another account number."),
    "look-alike": LOOK_ALIKE,
}
"""A sentence for each thing that keeps a line out."""

_FROM_NOW = lazy_gettext("From now on, because the first day is in the past.")


def check_list(company_id: str) -> ResponseReturnValue:
    """Say for each line what happens. Nothing is stored."""
    try:
        text = people_list.sent()
        lines = people_list.read(text)
        if len({day for line in lines for day in (line.since, line.until) if day}) > MAX_DIFFERENT_DAYS:
            days = _("The list can have at most 50 different days. Split it.")
            return list_page(company_id, {"list": days}, text=text), 400
    except UnreadableList as error:
        errors = {"list": str(UNREADABLE[error.reason])}
        return list_page(company_id, errors, text=request.form.get("list", "")), 400
    known = signed_preview.read(_PURPOSE, company_id, request.form.get("known", "")) or {}
    logins, problem = _resolved(lines, dict(known.get("accounts", {})))
    judged = _judged(company_id, lines, logins)
    good = signed_preview.sign(_PURPOSE, company_id, [_packed(one) for one in judged if one.entry is not None])
    kept = signed_preview.sign(_PURPOSE, company_id, {"accounts": logins})
    return list_page(company_id, text=text, judged=judged, problem=problem, known=kept, good=good)


def add_list(company_id: str) -> ResponseReturnValue:
    """Add the good lines of the list that was looked through, in one transaction."""
    services, company = portal_services(), overview(company_id)
    good = signed_preview.read(_PURPOSE, company_id, request.form.get("good", ""))
    if good is None:
        error = _("The preview is more than 30 minutes old. Check the list again.")
        return list_page(company_id, {"list": error}), 409
    foreign = request.form.get("foreign") == "y"
    wanted = [_unpacked(row) for row in good if foreign or not row["foreign"]]
    with services.change(signed_in().account.id) as context:
        moments = {moment for entry, _login in wanted for moment in (entry.since, entry.until) if moment}
        rejudge.company(context.session, services.engine, company.id, *sorted(moments), now=context.at)
        reasons = company_entries.add_all(context, company.id, wanted)
    added = reasons.count("")
    flash(_("People added: %(count)s. We check open pull requests again when each entry takes effect.", count=added))  # fmt: skip
    if added < len(reasons):
        flash(_("Skipped, because the records have changed since the preview: %(count)s.", count=len(reasons) - added))
    return redirect(f"/company/{company_id}/people")


def _resolved(lines: Sequence[PeopleListLine], known: dict[str, Answer]) -> tuple[dict[str, Answer], str]:
    """What GitHub says of each login now, as many as the time allows, and why it stopped."""
    deadline = time.monotonic() + LOOKUP_SECONDS
    named = dict.fromkeys(one.login.lower() for one in lines if one.login and one.fault is None)
    try:
        for found in portal_services().hub.accounts_by_login([one for one in named if one not in known]):
            known |= {login: _answer(account) for login, account in found.items()}
            if time.monotonic() > deadline:
                break
    except HubError:
        return known, _("GitHub is not responding right now. Try again in a few minutes.")
    return known, ""


def _answer(account: Account | None) -> Answer:
    if account is None:
        return "missing"
    kinds: dict[str, Answer] = {"Organization": "organization", "Bot": "bot"}
    return kinds.get(account.type, account.id)


def _judged(company_id: str, lines: Sequence[PeopleListLine], logins: dict[str, Answer]) -> tuple[LineOutcome, ...]:
    """Every line with what happens to it, in order."""
    services, at = portal_services(), portal_services().clock()
    with services.sessions() as records:
        domains = domain_states.held(records, company_id, at=at)
        seen: set[object] = set()
        first = [_first_look(line, logins, domains, seen, at) for line in lines]
        entries = [one.entry for one in first if one.entry is not None]
        reasons = iter(company_entries.refusals(records, services.vault, company_id, entries, at=at))
    return tuple(one if one.entry is None else _after_records(one, next(reasons)) for one in first)


def _first_look(
    line: PeopleListLine, logins: dict[str, Answer], domains: tuple[str, ...], seen: set[object], at: datetime
) -> LineOutcome:
    """What the line alone, GitHub, and the lines before it say."""
    answer = logins.get(line.login.lower()) if line.login else line.account_id
    found = answer if isinstance(answer, int) else None
    fault = line.fault or _wrong(line, answer, domains)
    if fault is not None:
        return LineOutcome(line, "refused", str(_FAULTS[fault]))
    if found is None and not line.address:
        return LineOutcome(line, "later")
    address = canonical_address(line.address)
    key = found or address
    if key in seen:
        return LineOutcome(line, "refused", str(_FAULTS["twice"]))
    seen.add(key)
    since = first_day(line.since)
    late = since is not None and since < at  # such as the day on which somebody joined the company
    entry = Entry(account_id=found, email=address, since=None if late else since, until=after_day(line.until))
    foreign = address and doubt(address, domains, portal_services().server) == "foreign"
    return LineOutcome(line, "foreign" if foreign else "add", str(_FROM_NOW) if late else "", entry)


def _wrong(line: PeopleListLine, found: Answer | None, domains: tuple[str, ...]) -> str | None:
    """What keeps the line out, in one word."""
    for day in (line.since, line.until):
        if day and not 2000 <= int(day[:4]) <= 9000:
            return "day"
    if isinstance(found, str):
        return found
    if line.login and found and line.account_id not in (None, found):
        return "other"
    if not line.address:
        return None
    address = canonical_address(line.address)
    if address is None:
        return "address"
    return "look-alike" if doubt(address, domains, portal_services().server) == "look-alike" else None


def _after_records(one: LineOutcome, reason: str) -> LineOutcome:
    if reason == "known":
        return LineOutcome(one.line, "unchanged", str(REFUSALS["known"]))
    return LineOutcome(one.line, "refused", str(REFUSALS[reason])) if reason else one


def _packed(one: LineOutcome) -> dict[str, object]:
    entry = one.entry or Entry()
    return {
        "login": one.line.login,
        "account": entry.account_id,
        "address": entry.email,
        "since": one.line.since if entry.since else "",
        "until": one.line.until,
        "foreign": one.outcome == "foreign",
    }


def _unpacked(row: dict[str, Any]) -> tuple[Entry, str]:
    since, until = first_day(row["since"]), after_day(row["until"])
    return Entry(account_id=row["account"], email=row["address"], since=since, until=until), row["login"]


def list_page(company_id: str, errors: dict[str, str] | None = None, **shown: object) -> str:
    """The form; with what happens with each line, once they were looked through, or with what is wrong."""
    values: dict[str, Any] = {"text": "", "judged": (), "problem": "", "known": "", "good": "", **shown}
    counts = Counter(one.outcome for one in values["judged"])
    values["judged"] = sorted(values["judged"], key=lambda one: one.outcome != "refused")  # what needs work comes first
    company = overview(company_id)
    return render_template("company/people_list.html", company=company, errors=errors or {}, counts=counts, **values)
