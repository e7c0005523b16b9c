"""The page for who contributes for an employer: enrol at a company that has signed, ask it to sign, or sign for oneself."""

from flask import abort, flash, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from bot.mail import company_invitations
from bot.mail.company_invitations import MAX_INVITATIONS_A_DAY, TooManyInvitations, UnusableAddress
from bot.portal import organizations
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services
from bot.portal.session.redirects import login_path
from bot.portal.session.visitor import signed_in, wanted_pull
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView


def employer_page(*, address: str = "", error: str = "") -> str:
    """The ways in, in the order in which they are worth trying; whoever is not signed in may read it."""
    rules, here = organizations.rules(), organizations.remembered()
    return render_template(
        "contributor/employer.html",
        too=rules.employees == "sign-too",
        corporate=corporate_agreement(),
        pull=wanted_pull(),
        address=address,
        error=error,
        action=f"/employer{here}",
        sign=f"/sign/{rules.individual.text}{here}",
        login=login_path(f"/employer{here}"),
    )


def invite_company() -> ResponseReturnValue:
    """Mail the request to the address. The answer is the same whether the e-mail is written or withheld."""
    services, account = portal_services(), signed_in().account
    typed, paper = field("address"), corporate_agreement()
    if paper is None:
        abort(404)
    values = {
        "organization": paper.party.name if paper.party else services.settings.url,
        "title": paper.title,
        "url": f"{services.settings.url}/company/request{organizations.query_of(organizations.owner_id())}",
    }
    try:
        with services.change(account.id) as context:
            company_invitations.write(context, account, typed, language(), values)
    except UnusableAddress:
        return employer_page(address=typed, error=_("Enter a valid e-mail address, such as name@example.org.")), 400
    except TooManyInvitations:
        many = _("You have sent %(count)s requests today. Try again tomorrow.", count=MAX_INVITATIONS_A_DAY)
        return employer_page(address=typed, error=many), 429
    flash(_("Your request has been sent. We send at most one such e-mail a week to an address."))
    return redirect(f"/employer{organizations.remembered()}")


def corporate_agreement() -> AgreementView | None:
    """The agreement that /company/request shows for the party of this page; None where there is none to sign."""
    services, owner = portal_services(), organizations.owner_id()
    rules = services.rules(owner)
    return agreement_view.show(services.catalog, rules, services.owner(owner), rules.corporate.text, language())
