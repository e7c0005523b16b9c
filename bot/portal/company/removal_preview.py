"""The page on which a manager tries out a removal: whom it would concern, before anything is done."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flask import render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.canonical_form import canonical_address, canonical_domain
from agreements.facts import Entry
from agreements.store.companies import company_entries, rosters
from agreements.store.companies.rosters import Roster
from agreements.store.people import person_rows
from bot.portal import organizations
from bot.portal.company import linked_people, removal
from bot.portal.company.list_preview import skipped
from bot.portal.company.removal import Removal, RemovalEffect
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import account_number, account_of, day_start
from bot.portal.portal_services import portal_services, reading
from bot.store.pulls import rejudge

MAX_NAMES = 50
"""Names of each kind that the page shows; the numbers count all of them."""

MAX_SELECTED = 200
"""People whom one action removes at most."""

_MAX_QUERY_CHARACTERS = 254


@dataclass(frozen=True, slots=True)
class RemovalForm:
    """The form: `whom` to remove (a login, a number, an address, a domain), from which `day`, and whether to `exclude`."""

    whom: str = field(default="", repr=False)
    day: str = ""
    exclude: bool = False


@dataclass(frozen=True, slots=True)
class NextForm:
    """Values that "Go on" takes along: `entry_id` to end and its `last_day`, or `who` or `accounts` to exclude (from `first_day`)."""

    entry_id: str = ""
    last_day: str = ""
    who: str = field(default="", repr=False)
    first_day: str = ""
    accounts: tuple[int, ...] = ()


def simulate_page(
    company_id: str,
    form: RemovalForm | None = None,
    found: RemovalEffect | None = None,
    then: NextForm | None = None,
) -> str:
    """The page with the form, and what would change if it was sent."""
    return render_template(
        "company/removal_preview.html",
        company=organizations.company(company_id),
        form=form or _read(),
        found=found,
        then=then,
        most=MAX_NAMES,
    )


@form_action(simulate_page)
def simulate(company_id: str) -> ResponseReturnValue:
    """The page that shows what would change."""
    # The person is named in a form, so that no address and no log names them.
    form, roster = _read(), _roster(company_id)
    tried = _removal(roster, form)
    found = _effect(roster, tried)
    return simulate_page(company_id, form, found, _next(roster, form, tried, found))


def simulate_several(company_id: str) -> ResponseReturnValue:
    """The page that shows what would change if all the selected people were excluded now."""
    chosen = _selected()
    if not chosen:
        return _none_selected(company_id)
    tried = Removal(portal_services().clock(), exclude=tuple(Entry(account_id=account_id) for account_id in chosen))
    form = RemovalForm(day=f"{tried.at:%Y-%m-%d}", exclude=True)
    return simulate_page(company_id, form, _effect(_roster(company_id), tried), NextForm(accounts=chosen))


def exclude_several(company_id: str) -> ResponseReturnValue:
    """Exclude them all now, in one transaction; who is excluded already stays so."""
    services, chosen = portal_services(), _selected()
    if not chosen:
        return _none_selected(company_id)
    with reading() as (records, _vault, _at):
        logins = {person.account_id: person.login for person in person_rows.find_all(records, chosen).values()}
        # A person who is known from pull requests alone has a login only there.
        logins |= linked_people.logins(services, records, frozenset(chosen) - logins.keys())
    wanted = [(Entry(account_id=account_id), logins.get(account_id, "")) for account_id in chosen]
    with change() as context:
        rejudge.company(context.session, services.engine, company_id, now=context.at)
        reasons = company_entries.add_all(context, company_id, wanted, excluded=True)
    count = reasons.count("")
    excluded = _("People excluded: %(count)s. Their open pull requests are being checked again.", count=count)
    return done(f"/company/{company_id}/roster", excluded, *skipped(reasons))


def _none_selected(company_id: str) -> ResponseReturnValue:
    return done(f"/company/{company_id}/roster", _("Select at least one person."))


def _read() -> RemovalForm:
    if request.method != "POST":
        return RemovalForm(day=f"{portal_services().clock():%Y-%m-%d}")
    whom, day = request.form.get("whom", "")[:_MAX_QUERY_CHARACTERS].strip(), request.form.get("day", "")[:10]
    return RemovalForm(whom, day, exclude=request.form.get("how") == "exclude")


def _roster(company_id: str) -> Roster:
    accepted = portal_services().catalog.accepted()
    with reading() as (records, vault, _at):
        return rosters.roster(records, vault, company_id, accepted=accepted)


def _effect(roster: Roster, tried: Removal) -> RemovalEffect:
    rules = organizations.company_rules(roster.company_id)
    with reading() as (records, _vault, _at):
        return removal.effect(portal_services(), records, roster, tried, rules)


def _selected() -> tuple[int, ...]:
    numbers = (account_number(text) for text in request.form.getlist("account"))
    return tuple(dict.fromkeys(number for number in numbers if number))[:MAX_SELECTED]


def _next(roster: Roster, form: RemovalForm, tried: Removal, found: RemovalEffect) -> NextForm:
    later = tried.at.date() > portal_services().clock().date()
    if not tried.exclude:
        last_day = f"{tried.at - timedelta(days=1):%Y-%m-%d}" if later else ""  # The last day that still counts.
        return NextForm(entry_id=tried.entry_id, last_day=last_day)
    number, who = tried.exclude[0].account_id, form.whom
    # One button excludes an account now; the form for all else takes a login or an address.
    if number is not None and not later:
        return NextForm(accounts=(number,))
    # There a number stands for the login that we know it by, if any.
    if who == str(number):
        known = [*((roster_entry.entry.account_id, roster_entry.login) for roster_entry in roster.named)]
        known += [
            (person.account_id, person.login) for some in (found.lost, found.otherwise, found.kept) for person in some
        ]
        who = next((login for account_id, login in known if account_id == number and login), "")
    return NextForm(who=who, first_day=form.day if later else "")


def _removal(roster: Roster, form: RemovalForm) -> Removal:
    at, whom = _moment(form.day), _whom(form.whom, roster)
    if form.exclude:
        if whom.domain is not None:
            raise _wrong(_("You can exclude an account or an address. A domain can only be ended."))
        return Removal(at, exclude=(whom,))
    wanted = (whom.domain, whom.email, whom.account_id)
    for roster_entry in roster.named:
        entry = roster_entry.entry
        if not roster_entry.excluded and entry.runs(at) and (entry.domain, entry.email, entry.account_id) == wanted:
            return Removal(at, entry_id=roster_entry.id)
    raise _wrong(
        _("You have no entry for this on that day. To remove someone who is covered by a domain, exclude them.")
    )


def _wrong(sentence: str, place: str = "whom") -> FormRefused:
    return FormRefused({place: sentence})


def _moment(day: str) -> datetime:
    """The beginning of that day in UTC, or now if it has begun."""
    now, at = portal_services().clock(), day_start(day)
    if at is None:
        raise _wrong(_("Enter the date as year-month-day, such as 2026-01-31."), "day")
    if at.date() < now.date():
        raise _wrong(_("The day is in the past. What was covered until now stays covered."), "day")
    return max(at, now)  # Of a day that has begun, from now on.


def _whom(text: str, roster: Roster) -> Entry:
    if number := account_number(text):
        return Entry(account_id=number)
    if "@" in text.removeprefix("@"):
        address = canonical_address(text)
        if address is None:
            raise _wrong(_("Enter a valid e-mail address, such as name@example.org."))
        return Entry(email=address)
    domain = canonical_domain(text)
    return Entry(domain=domain) if domain else Entry(account_id=_account(text.removeprefix("@"), roster))


def _account(login: str, roster: Roster) -> int:
    """The account of a login: the one that the company named by it, else the one that GitHub knows by it now."""
    if not login:
        raise _wrong(_("Enter a login, an account number, an address or a domain."))
    # First the one that the company named: at GitHub the login may be another account's by now.
    for roster_entry in roster.named:
        if roster_entry.entry.account_id is not None and roster_entry.login.lower() == login.lower():
            return roster_entry.entry.account_id
    try:
        return account_of(login, "whom").id
    except FormRefused as refused:
        raise FormRefused(refused.errors) from None  # The form is what is wrong, also while GitHub does not answer.
