"""The page on which a manager tries out a removal: whom it would concern, before anything is done."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flask import flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.domains import canonical_address, canonical_domain
from agreements.facts import Entry
from agreements.store.companies import company_entries, rosters
from agreements.store.companies.rosters import Roster, RosterEntry
from agreements.store.people import people
from bot.portal import organizations
from bot.portal.company import linked_people, removal
from bot.portal.company.company_access import Unresolved, account_of, overview
from bot.portal.company.removal import Removal, RemovalEffect
from bot.portal.forms.typed_values import account_number, day_start
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.store.pulls import rejudge

MAX_NAMES = 50
"""How many names of each kind the page shows; the numbers count all of them."""

MAX_SELECTED = 200
"""How many people one action removes."""

_MAX_QUERY_CHARACTERS = 254


class _EntryInvalid(Exception):
    """What was typed names nothing to remove; `where` is the field, the text says what to do."""

    def __init__(self, where: str, said: str) -> None:
        self.where = where
        super().__init__(said)


@dataclass(frozen=True, slots=True)
class RemovalForm:
    """What the form says: whom (a login, a number, an address, a domain), from which day, and whether to exclude."""

    whom: str = field(default="", repr=False)
    day: str = ""
    exclude: bool = False


@dataclass(frozen=True, slots=True)
class NextForm:
    """What "Go on" takes along: the entry to end and its last day, or whom to exclude; an empty day is at once."""

    entry_id: str = ""
    last_day: str = ""
    who: str = field(default="", repr=False)
    first_day: str = ""
    accounts: tuple[int, ...] = ()


def simulate_page(company_id: str) -> ResponseReturnValue:
    """The empty form."""
    return _page(_roster(company_id), RemovalForm(day=f"{portal_services().clock():%Y-%m-%d}"))


def simulate(company_id: str) -> ResponseReturnValue:
    """What would change. It comes in a form: whom one thinks of removing is in no address and no log."""
    form = RemovalForm(
        request.form.get("whom", "")[:_MAX_QUERY_CHARACTERS].strip(),
        request.form.get("day", "")[:10],
        exclude=request.form.get("how") == "exclude",
    )
    roster = _roster(company_id)
    try:
        tried = _removal(roster, form)
    except _EntryInvalid as error:
        return _page(roster, form, errors={error.where: str(error)}), 400
    with portal_services().sessions() as records:
        found = removal.effect(
            portal_services(), records, roster, tried, organizations.company_rules(roster.company_id)
        )
    return _page(roster, form, found=found, then=_next(roster, form, tried, found))


def simulate_several(company_id: str) -> ResponseReturnValue:
    """What would change if all the selected people were excluded now."""
    services, chosen = portal_services(), _selected()
    if not chosen:
        flash(_("Select at least one person."))
        return redirect(f"/company/{company_id}/roster")
    roster, tried = (
        _roster(company_id),
        Removal(services.clock(), exclude=tuple(Entry(account_id=one) for one in chosen)),
    )
    with services.sessions() as records:
        found = removal.effect(services, records, roster, tried, organizations.company_rules(roster.company_id))
    form = RemovalForm(day=f"{tried.at:%Y-%m-%d}", exclude=True)
    return _page(roster, form, found=found, then=NextForm(accounts=chosen))


def exclude_several(company_id: str) -> ResponseReturnValue:
    """Exclude them all now, in one transaction; whoever is excluded already stays so."""
    services, chosen = portal_services(), _selected()
    if not chosen:
        flash(_("Select at least one person."))
        return redirect(f"/company/{company_id}/roster")
    with services.sessions() as records:
        logins = {one.account_id: one.login for one in people.find_all(records, chosen).values()}
        logins |= linked_people.logins(services, records, frozenset(chosen) - logins.keys())
    wanted = [(Entry(account_id=one), logins.get(one, "")) for one in chosen]
    with services.change(signed_in().account.id) as context:
        rejudge.company(context.session, services.engine, company_id, now=context.at)
        reasons = company_entries.add_all(context, company_id, wanted, excluded=True)
    flash(_("People excluded: %(count)s. Their open pull requests are being checked again.", count=reasons.count("")))
    if reasons.count("") < len(reasons):
        flash(_("Skipped, because the records have changed since the preview: %(count)s.", count=len(reasons) - reasons.count("")))  # fmt: skip
    return redirect(f"/company/{company_id}/roster")


def _roster(company_id: str) -> Roster:
    services = portal_services()
    accepted = services.catalog.accepted()
    with services.sessions() as records:
        return rosters.roster(records, services.vault, company_id, accepted=accepted)


def _selected() -> tuple[int, ...]:
    """The accounts that are ticked, each once."""
    numbers = (account_number(one) for one in request.form.getlist("account"))
    return tuple(dict.fromkeys(one for one in numbers if one))[:MAX_SELECTED]


def _next(roster: Roster, form: RemovalForm, tried: Removal, found: RemovalEffect) -> NextForm:
    """An account is excluded now by one button; the form for all else takes a login or an address.

    There a number stands for the login that we know it by, if any.
    """
    later = tried.at.date() > portal_services().clock().date()
    if not tried.exclude:
        last_day = f"{tried.at - timedelta(days=1):%Y-%m-%d}" if later else ""
        return NextForm(entry_id=tried.entry_id, last_day=last_day)
    number, who = tried.exclude[0].account_id, form.whom
    if number is not None and not later:
        return NextForm(accounts=(number,))
    if who == str(number):
        known = [*((one.entry.account_id, one.login) for one in roster.named)]
        known += [(one.account_id, one.login) for some in (found.lost, found.otherwise, found.kept) for one in some]
        who = next((login for account_id, login in known if account_id == number and login), "")
    return NextForm(who=who, first_day=form.day if later else "")


def _removal(roster: Roster, form: RemovalForm) -> Removal:
    """Raises _EntryInvalid."""
    at = _moment(form.day)
    whom = _whom(form.whom, roster)
    if form.exclude:
        if whom.domain is not None:
            raise _EntryInvalid("whom", _("You can exclude an account or an address. A domain can only be ended."))
        return Removal(at, exclude=(whom,))
    ended = next((one for one in roster.named if not one.excluded and _same(one, whom) and one.entry.runs(at)), None)
    if ended is None:
        raise _EntryInvalid("whom", _("You have no entry for this on that day. To remove someone who is covered by a domain, exclude them."))  # fmt: skip
    return Removal(at, entry_id=ended.id)


def _moment(day: str) -> datetime:
    """The beginning of that day in UTC, or now if it has begun."""
    now = portal_services().clock()
    at = day_start(day)
    if at is None:
        raise _EntryInvalid("day", _("Enter the date as year-month-day, such as 2026-01-31."))
    if at.date() < now.date():
        raise _EntryInvalid("day", _("The day is in the past. What was covered until now stays covered."))
    return max(at, now)


def _whom(text: str, roster: Roster) -> Entry:
    """An account by number or login, an address or a domain."""
    if number := account_number(text):
        return Entry(account_id=number)
    if "@" in text.removeprefix("@"):
        address = canonical_address(text)
        if address is None:
            raise _EntryInvalid("whom", _("Enter a valid e-mail address, such as name@example.org."))
        return Entry(email=address)
    domain = canonical_domain(text)
    return Entry(domain=domain) if domain else Entry(account_id=_account(text.removeprefix("@"), roster))


def _account(login: str, roster: Roster) -> int:
    """The account of a login: the one that the company named by it, else the one that GitHub knows by it now."""
    if not login:
        raise _EntryInvalid("whom", _("Enter a login, an account number, an address or a domain."))
    for one in roster.named:
        if one.entry.account_id is not None and one.login.lower() == login.lower():
            return one.entry.account_id
    try:
        return account_of(login).id
    except Unresolved as error:
        raise _EntryInvalid("whom", error.sentence) from None


def _same(one: RosterEntry, whom: Entry) -> bool:
    entry = one.entry
    return (entry.domain, entry.email, entry.account_id) == (whom.domain, whom.email, whom.account_id)


def _page(
    roster: Roster,
    form: RemovalForm,
    *,
    found: RemovalEffect | None = None,
    then: NextForm | None = None,
    errors: dict[str, str] | None = None,
) -> str:
    return render_template(
        "company/removal_preview.html",
        company=overview(roster.company_id),
        form=form,
        found=found,
        then=then,
        errors=errors or {},
        most=MAX_NAMES,
    )
