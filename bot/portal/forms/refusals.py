"""A sentence for each reason for which the records refuse a change."""

from collections.abc import Mapping

from flask_babel import lazy_gettext as _

from agreements.store.companies.companies import DomainRefused
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.erasures import ErasureRefused
from agreements.store.people.campaigns import CampaignRefused

Refusal = CampaignRefused | CompanyRefused | DomainRefused | ErasureRefused
"""The errors that the records raise; each has its `reason`, in one word."""

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
    # To a manager; administrators read other words (`bot.portal.admin.companies`).
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

CAMPAIGN_REFUSALS = {
    "running": _("A campaign for this agreement is running already."),
    "too-soon": _("They were e-mailed less than a week ago. You can remind them at most once a week."),
    "ended": _("This campaign has ended."),
}

ERASURE_REFUSALS = {
    "decided": _("This account already has an open request, or it was decided in the meantime."),
    "kept": _("Some evidence must be kept. Restrict it, with a reason."),
    "nothing": _("There is no evidence to keep. Delete everything."),
}


def refusal_text(error: Refusal) -> str:
    """The sentence for a refusal."""
    table: Mapping[str, object] = REFUSALS
    if isinstance(error, CampaignRefused):
        table = CAMPAIGN_REFUSALS
    if isinstance(error, ErasureRefused):
        table = ERASURE_REFUSALS
    return str(table[error.reason])
