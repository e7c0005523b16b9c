"""The page for people who contribute for an employer: which company covers them, and the ways in where none does."""

from collections.abc import Mapping

from flask import abort, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from bot.mail import company_invitations, cover_requests
from bot.mail.company_invitations import MAX_INVITATIONS_A_DAY, TooManyInvitations, UnusableAddress
from bot.mail.cover_requests import AskedRecently, CoverRequest, TooManyRequests, Wish
from bot.portal import organizations
from bot.portal.contributor import coverage_status
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.redirects import login_path
from bot.portal.session.visitor import signed_in, visitor, wanted_pull
from bot.portal.text import message_formatting
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView

_WISHES: Mapping[str, Wish] = {"add": "add", "leave": "leave"}
_POINTLESS: Mapping[Wish, str] = {"add": "covered", "leave": "possible"}
"""The cover with which a wish is fulfilled already."""


def employer_page() -> str:
    """The ways in, in the order in which they are worth trying; also for a person who is not signed in."""
    rules, here, who = organizations.rules(), organizations.remembered(), visitor()
    coverage = None
    if who is not None:  # By verified addresses alone, so that a visitor cannot try out which companies there are.
        with reading() as (records, _vault, _at):
            coverage = coverage_status.of(records, portal_services(), who, rules, owner=organizations.owner_id())
    return render_template(
        "contributor/employer.html",
        too=rules.employees == "sign-too",
        coverage=coverage,
        corporate=corporate_agreement(),
        pull=wanted_pull(),
        address=field("address"),
        action=f"/employer{here}",
        managers_action=f"/employer/managers{here}",
        sign=f"/sign/{rules.individual.text}{here}",
        login=login_path(f"/employer{here}"),
    )


@form_action(employer_page)
def invite_company() -> ResponseReturnValue:
    """Mail the request to the address."""
    url, paper = portal_services().url, corporate_agreement() or abort(404)
    values = {
        "organization": paper.party.name if paper.party else url,
        "title": paper.title,
        "url": f"{url}/company/request{organizations.query_of(organizations.owner_id())}",
    }
    try:
        with change() as context:
            company_invitations.write(context, signed_in().account, field("address"), language(), values)
    except UnusableAddress:
        raise FormRefused({"address": _("Enter a valid e-mail address, such as name@example.org.")}) from None
    except TooManyInvitations:
        many = _("You have sent %(count)s requests today. Try again tomorrow.", count=MAX_INVITATIONS_A_DAY)
        raise FormRefused({"address": many}, 429) from None
    # The same whether the e-mail is written or withheld: it must not tell what others sent.
    return done(
        f"/employer{organizations.remembered()}",
        _("Your request has been sent. We send at most one such e-mail a week to an address."),
    )


@form_action(employer_page)
def ask_managers() -> ResponseReturnValue:
    """Mail the request to the managers of a company that takes the visitor in by a verified address."""
    services, who = portal_services(), signed_in()
    wish: Wish | None = _WISHES.get(field("wish"))
    with reading() as (records, _vault, _at):
        coverage = coverage_status.of(records, services, who, organizations.rules(), owner=organizations.owner_id())
    # Any other company does not exist here: ids must not be tried out.
    found = next(
        (employer for employer in coverage.employers if employer.company_id == field("company")), None
    ) or abort(404)
    if wish is None or found.how == _POINTLESS[wish]:
        abort(404)
    asked = CoverRequest(found.company_id, found.name, wish, found.address)
    try:
        with change() as context:
            written = cover_requests.write(context, who.account, asked, url=services.url, server=services.server)
    except AskedRecently:
        again = _("You have asked these managers in the last 24 hours. Try again tomorrow.")
        raise FormRefused({"managers": again}, 429) from None
    except TooManyRequests:
        many = _("The company's managers have received many requests today. Try again tomorrow.")
        raise FormRefused({"managers": many}, 429) from None
    if not written:
        unreached = _("None of the company's managers can be reached by e-mail. Ask at your company who they are.")
        raise FormRefused({"managers": unreached}, 409)
    sent = message_formatting.fill(_("Your request has been sent to the managers of %(company)s."), company=found.name)
    return done("/me" if wish == "leave" else f"/employer{organizations.remembered()}", sent)


def corporate_agreement() -> AgreementView | None:
    """The agreement that /company/request shows for the party of this page; None where there is none to sign."""
    services, owner = portal_services(), organizations.owner_id()
    rules = services.rules(owner)
    return agreement_view.show(services.catalog, rules, services.owner(owner), rules.corporate.text, language())
