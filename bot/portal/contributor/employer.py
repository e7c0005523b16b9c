"""The page for people who contribute for an employer: enrol at a company that has signed, ask it to sign, or sign for oneself."""

from flask import abort, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from bot.mail import company_invitations
from bot.mail.company_invitations import MAX_INVITATIONS_A_DAY, TooManyInvitations, UnusableAddress
from bot.portal import organizations
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services
from bot.portal.session.redirects import login_path
from bot.portal.session.visitor import signed_in, wanted_pull
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView


def employer_page() -> str:
    """The ways in, in the order in which they are worth trying; also for a person who is not signed in."""
    rules, here = organizations.rules(), organizations.remembered()
    return render_template(
        "contributor/employer.html",
        too=rules.employees == "sign-too",
        corporate=corporate_agreement(),
        pull=wanted_pull(),
        address=field("address"),
        action=f"/employer{here}",
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


def corporate_agreement() -> AgreementView | None:
    """The agreement that /company/request shows for the party of this page; None where there is none to sign."""
    services, owner = portal_services(), organizations.owner_id()
    rules = services.rules(owner)
    return agreement_view.show(services.catalog, rules, services.owner(owner), rules.corporate.text, language())
