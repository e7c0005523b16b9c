"""What the pages of a company share: the company, an account by its login, days, and a sentence for each refusal."""

from datetime import datetime, timedelta

from flask import abort
from flask_babel import lazy_gettext as _  # type: ignore[import-untyped]  # it ships no types

from agreements.facts import Account
from agreements.store.companies import company_mail, company_requests
from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_requests import Overview
from agreements.store.companies.company_rows import CompanyRefused
from bot.github.ports import HubError, Missing
from bot.portal.forms.typed_values import day_start
from bot.portal.portal_services import portal_services
from bot.portal.session.redirects import PullName
from bot.portal.session.visitor import signed_in

REFUSALS = {
    "already": _("This person looks after the company already."),
    "code-host": _("This domain belongs to a site where everybody may have a name of their own, not to one company."),
    "decided": _("This was decided already."),
    "disposable": _("This is a provider of throw-away mail; nobody's staff is there."),
    "domain": _("Domains are added on the page of domains, with a proof."),
    "early": _("It was looked through already; the next time is after the next reminder."),
    "ended": _("The company's agreement has ended."),
    "enough": _("Two managers or more are in office: they appoint others themselves."),
    "expired": _("This claim is over. Ask for the domain again: you get a new record."),
    "free-mail": _("Everybody can have an address at this provider, so it can't stand for one company."),
    "held": _("The company has this domain already."),
    "invalid": _("This is no valid domain or address."),
    "ip-address": _("A number is no domain."),
    "known": _("An entry says so already."),
    "no-address": _(
        "None of your verified addresses is at this very domain. Add one to your GitHub account and verify it, then sign in again."
    ),
    "no-person": _("This is no person's account."),
    "not-in-force": _("The agreement is not in force."),
    "old-address": _(
        "Your address at this very domain was proven more than 12 hours ago. Sign out and in again if it is verified on your GitHub account,"
        " or prove it once more by a code on your page of addresses; then come back."
    ),
    "order": _("The last day must not lie before the first."),
    "over": _("It is over, or ends sooner already."),
    "own": _("You look after this company yourself: another administrator has to decide."),
    "past": _("The day lies in the past. What was covered until now stays covered: choose today or a later day."),
    "public-suffix": _("Many organisations have names below this one; name your own."),
    "reason-needed": _(
        "You hold this office no longer. As an administrator, name people on the company's page there, with a reason."
    ),
    "refused": _("An administrator turned this down."),
    "same-person": _("The second manager must be another person."),
    "single-label": _("A domain has two parts at least, such as example.com."),
    "successor-needed": _("A company has two managers at least: name somebody who takes over in the same step."),
    "taken": _("Another company holds this domain, one above it, or one that it would take in. Ask the maintainers."),
    "too-many": _("There are too many already."),
    "two-managers": _("A company needs two managers before it can be countersigned."),
    "unknown-suffix": _("No domain ends like this."),
    "weaker": _("The projects ask for enrolment: a company can't ask for less."),
    "www": _("Name the domain without www."),
}
"""One sentence for each reason of CompanyRefused, DomainRefused and of a login that nobody has."""


class Unresolved(Exception):
    """What was typed is no account that we can find; `code` is the answer's status."""

    def __init__(self, sentence: str, code: int = 400) -> None:
        self.sentence = sentence
        self.code = code
        super().__init__("no such account")


def overview(company_id: str) -> Overview:
    """The company of the page; 404 when there is none."""
    with portal_services().sessions() as records:
        try:
            return company_requests.overview(records, company_id, at=portal_services().clock())
        except LookupError:
            abort(404)


def unreached(company_id: str) -> bool:
    """Whether no address of who asks fits that company, so that no letter about it reaches them."""
    mine = signed_in().account.id
    with portal_services().sessions() as records:
        return not company_mail.addresses(records, portal_services().vault, company_id, [mine])


def refusal_text(error: CompanyRefused | DomainRefused) -> str:
    """The sentence for a refusal."""
    return str(REFUSALS[error.reason])


def account(typed: str) -> Account:
    """The account of a login that somebody typed. Asks GitHub, so never inside a transaction. Raises Unresolved."""
    login = typed.strip().removeprefix("@")
    if PullName.parse(f"{login}/x/1") is None:  # the same letters that an owner's name has
        raise Unresolved(str(_("Write a GitHub login, such as octocat.")))
    try:
        return portal_services().hub.account_by_login(login)
    except Missing:
        raise Unresolved(str(_("Nobody at GitHub has this login."))) from None
    except HubError:
        raise Unresolved(str(_("GitHub does not answer at the moment. Try again in a few minutes.")), 503) from None


def first_day(typed: str) -> datetime | None:
    """The beginning of that day in UTC; None for today and for nothing: at once. Raises ValueError for no day."""
    if not typed.strip():
        return None
    found = _day(typed)
    return None if found.date() == portal_services().clock().date() else found


def after_day(typed: str) -> datetime | None:
    """The end of that day in UTC: it still counts; None for nothing. Raises ValueError for no day."""
    return _day(typed) + timedelta(days=1) if typed.strip() else None


def _day(typed: str) -> datetime:
    found = day_start(typed.strip())
    if found is None or f"{found:%Y-%m-%d}" != typed.strip() or not 2000 <= found.year <= 9000:
        raise ValueError("not a day as year, month, day")
    return found
