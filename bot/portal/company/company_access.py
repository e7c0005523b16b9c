"""What the pages of a company share: the company, an account by its login, days, and a sentence for each refusal."""

from datetime import UTC, datetime, timedelta

from flask import abort
from flask_babel import lazy_gettext as _

from agreements.facts import Account
from agreements.store.companies import company_mail, company_requests
from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_requests import Overview
from agreements.store.companies.company_rows import CompanyRefused
from bot.github.ports import HubError, Missing
from bot.portal.forms.typed_values import day_start
from bot.portal.portal_services import portal_services
from bot.portal.session.redirects import is_login
from bot.portal.session.visitor import signed_in

REFUSALS = {
    "already": _("This person already manages the company."),
    "code-host": _("Anyone can register a name under this domain. It does not belong to one company."),
    "decided": _("This was already decided."),
    "disposable": _("This is a provider of disposable e-mail addresses."),
    "domain": _("Add domains on the Domains page, where you verify them."),
    "early": _("The annual review is already done. The next one follows the next reminder."),
    "ended": _("The company's agreement has ended."),
    "enough": _("The company has at least two managers. They add other managers themselves."),
    "expired": _("This request has ended. Request the domain again to get a new record."),
    "free-mail": _("Anyone can get an address at this e-mail provider, so it cannot stand for one company."),
    "held": _("The company already has this domain."),
    "invalid": _("This is not a valid domain or address."),
    "ip-address": _("A number is not a domain."),
    "known": _("There is already an entry for this."),
    "no-address": _(
        "You have no verified address at exactly this domain. Add one to your GitHub account and verify it, then sign in again."
    ),
    "no-person": _("This account does not belong to a person."),
    "not-in-force": _("The agreement is not in force."),
    "old-address": _(
        "Your address at this domain was verified more than 12 hours ago. If it is verified on your GitHub account, sign out and sign in again. Otherwise verify it again with a code on the page My addresses. Then come back."
    ),
    "order": _("The last day must not be before the first day."),
    "over": _("This entry has already ended, or ends sooner."),
    "own": _("You manage this company, so another administrator has to decide."),
    "past": _("The day is in the past. Choose today or a later day, because what was covered until now stays covered."),
    "past-end": _("The last day is in the past. Choose today or a later day."),
    "public-suffix": _("Many organisations have names under this domain. Enter your own."),
    "reason-needed": _(
        "You are no longer a manager of this company. As an administrator, add managers on the company's page under Administration, with a reason."
    ),
    "refused": _("An administrator declined this."),
    "same-person": _("The second manager must be another person."),
    "single-label": _("A domain has at least two parts, such as example.com."),
    "successor-needed": _("A company needs at least two managers. Name a successor in the same step."),
    "taken": _("Another company has this domain, or one above or below it. Contact the administrators of this site."),
    "too-many": _("The limit has been reached."),
    "two-managers": _("A company needs two managers before it can be countersigned."),
    "unknown-suffix": _("This domain ending does not exist."),
    "weaker": _("The projects require enrolment, so a company cannot require less."),
    "www": _("Enter the domain without www."),
}
"""One sentence for each reason of CompanyRefused, DomainRefused and of a login that nobody has."""


_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands for every earlier day: it is past, which the records refuse with their own words, and each database can compare it."""


class Unresolved(Exception):
    """What was typed is no account that we can find; `code` is the answer's status."""

    def __init__(self, sentence: str, code: int = 400) -> None:
        self.sentence = sentence
        self.code = code
        super().__init__("no such account")


def overview(company_id: str) -> Overview:
    """The company of the page; 404 when there is none."""
    services = portal_services()
    accepted = services.catalog.accepted()
    with services.sessions() as records:
        try:
            return company_requests.overview(records, company_id, accepted=accepted, at=services.clock())
        except LookupError:
            abort(404)


def unreached(company_id: str) -> bool:
    """Whether no address of who asks fits that company, so that no e-mail about it reaches them."""
    mine = signed_in().account.id
    services = portal_services()
    with services.sessions() as records:
        return not company_mail.addresses(records, services.vault, company_id, [mine], server=services.server)


def refusal_text(error: CompanyRefused | DomainRefused) -> str:
    """The sentence for a refusal."""
    return str(REFUSALS[error.reason])


def account(typed: str) -> Account:
    """The account of a login that somebody typed, as `account_of` finds it."""
    login = typed.strip().removeprefix("@")
    if not is_login(login):
        raise Unresolved(str(_("Enter a GitHub login, such as octocat.")))
    return account_of(login)


def account_of(login: str) -> Account:
    """The account that has that login at GitHub now. Asks it, so never inside a transaction. Raises Unresolved."""
    try:
        return portal_services().hub.account_by_login(login)
    except Missing:
        raise Unresolved(str(_("There is no GitHub account with this login."))) from None
    except HubError:
        raise Unresolved(str(_("GitHub is not responding right now. Try again in a few minutes.")), 503) from None


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
    if found is None or found.isoformat()[:10] != typed.strip() or found.year > 9000:
        raise ValueError("not a day as year, month, day")
    return max(found, _LONG_AGO)
