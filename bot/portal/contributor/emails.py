"""Addresses that a person has proven, and proving another: a code goes there by mail, and comes back typed in."""

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.canonical_form import canonical_address
from agreements.store.companies import company_mail, managers
from agreements.store.people import email_codes, emails
from agreements.store.people.email_codes import TooManyCodes
from bot.portal.forms.form_action import FormRefused, change, done, form_action
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.portal.signing import mail_code, prove_address
from bot.portal.text import times
from bot.portal.text.languages import language
from bot.store.pulls import rejudge


def emails_page(tried: str = "") -> str:
    """The proven addresses, the codes that wait for an answer, and the form for another address."""
    account, server = signed_in().account, portal_services().server
    with reading() as (records, vault, at):
        shown = emails.of_account(records, vault, account.id, at)
        waiting = [code for code in email_codes.waiting(records, vault, account.id, at) if code.company_id is None]
        companies = dict(managers.looked_after(records, vault, account.id, at=at))
        reached = company_mail.of_companies(records, vault, companies, [account.id], server=server)
    return render_template(
        "contributor/emails.html",
        address=field("address"),
        tried=tried,
        shown=shown,
        waiting=waiting,
        looks_after=[(name, reached[company_id].get(account.id)) for company_id, name in companies.items()],
    )


@form_action(emails_page)
def ask_for_code() -> ResponseReturnValue:
    """Mail a code to the address."""
    services, address = portal_services(), canonical_address(field("address"))
    if address is None:
        raise FormRefused({"address": _("Enter a valid e-mail address, such as name@example.org.")})
    if services.server.is_noreply(address.rpartition("@")[2]):
        no_reply = _("This is GitHub's noreply address, which receives no e-mail. You do not need to verify it.")
        raise FormRefused({"address": no_reply})
    try:
        # The same answer where another person has verified the address: it must not tell that there is one.
        with change() as context:
            mail_code(context, signed_in().account, address, language(), services.url)
    except TooManyCodes as many:
        again = times.clock_time(many.again_at)
        message = _("You have requested too many codes. You can request another one from %(time)s.", time=again)
        raise FormRefused({"address": message}, 429) from None
    return redirect("/me/emails#code")


@form_action(emails_page)
def try_code() -> ResponseReturnValue:
    """The right code proves the address; every other says what to do."""
    account, code_id, typed = signed_in().account, request.form.get("id") or "none", field("code")
    if not typed:
        raise FormRefused({"code": _("Enter the eight-digit code.")}, tried=code_id)
    with change() as context:
        answer = email_codes.answer(context, code_id, typed)
        if answer.outcome == "right":
            prove_address(portal_services(), context, account, answer.address)
    # Outside the transaction: to raise within it would take the spent try back.
    if answer.outcome in ("right", "repeated"):
        return done("/me/emails", _("The address is verified. We are checking your open pull requests again."))
    message = {
        "wrong": _("That code is incorrect. Attempts left: %(count)s.", count=answer.tries_left),
        "expired": _("This code has expired. Codes are valid for ten minutes. Request a new one."),
        "used-up": _(
            "This code can no longer be used. It was entered incorrectly too many times, or was used before. Request a new one."
        ),
    }[answer.outcome]
    raise FormRefused({"code": message}, tried=code_id if answer.outcome == "wrong" else "")


def remove_address() -> ResponseReturnValue:
    """Forget a proven address; one that is not the visitor's changes nothing."""
    account, proof_id = signed_in().account, request.form.get("id") or "none"
    with change() as context:
        ended = emails.remove(context.session, account.id, proof_id, context.at)
        if ended is not None:
            # Pull requests may have passed by it.
            rejudge.people(context.session, portal_services().engine, [account.id])
            context.log("address.removed", account.id, rows=ended, deleted=[("proof", proof_id)])
    return redirect("/me/emails")


def choose_for_company_emails() -> ResponseReturnValue:
    """Send e-mails about companies to this address from now on, where it fits; only if it is the visitor's."""
    with change() as context:
        company_mail.choose(context, context.actor, request.form.get("id") or "none")
    return redirect("/me/emails")
