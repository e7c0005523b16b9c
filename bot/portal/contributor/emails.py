"""Addresses that a person has proven, and proving another: a code goes there by mail, and comes back typed in."""

from flask import flash, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from sqlmodel import Session

from agreements.domains.domains import canonical_address
from agreements.facts import Account
from agreements.store.companies import company_mail, managers
from agreements.store.people import email_codes, emails, people
from agreements.store.people.email_codes import TooManyCodes
from agreements.store.people.emails import CODE_PROOF_LIFETIME, MAILED_CODE, ProvenAddress
from agreements.store.record_context import RecordContext
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import Language, language
from bot.store import outbox
from bot.store.outbox import Email
from bot.store.pulls import rejudge


def ask_for_code() -> ResponseReturnValue:
    """Mail a code to the address. Whether anybody else has proven it changes nothing of the answer."""
    account, typed = signed_in().account, field("address")
    address = canonical_address(typed)
    if address is None or portal_services().server.is_noreply(address.rpartition("@")[2]):
        return emails_page(address=typed, errors={"address": _unusable(address)}), 400
    try:
        with portal_services().sessions() as records:
            mail_code(records, portal_services(), account, address, language())
    except TooManyCodes as many:
        again = f"{many.again_at:%H:%M} UTC"
        message = _("You have requested too many codes. You can request another one from %(time)s.", time=again)
        return emails_page(address=typed, errors={"address": message}), 429
    return redirect("/me/emails#code")


def try_code() -> ResponseReturnValue:
    """The right code proves the address; every other says what to do."""
    account, code_id, typed = signed_in().account, request.form.get("id") or "none", field("code")
    if not typed:
        return emails_page(errors={"code": _("Enter the eight-digit code.")}, tried=code_id), 400
    with portal_services().change(account.id) as context:
        answer = email_codes.answer(
            context.session, context.vault, account_id=account.id, code_id=code_id, code=typed, at=context.at
        )
        if answer.outcome == "right":
            _prove(context, account, answer.address)
    if answer.outcome == "right":
        flash(_("The address is verified. We are checking your open pull requests again."))
        return redirect("/me/emails")
    message = {
        "wrong": _("That code is incorrect. Attempts left: %(count)s.", count=answer.tries_left),
        "expired": _("This code has expired. Codes are valid for ten minutes. Request a new one."),
        "used-up": _(
            "This code can no longer be used. It was entered incorrectly too many times, or was used before. Request a new one."
        ),
    }[answer.outcome]
    return emails_page(errors={"code": message}, tried=code_id if answer.outcome == "wrong" else ""), 400


def remove_address() -> ResponseReturnValue:
    """Forget a proven address; one that is not the visitor's changes nothing."""
    account, proof_id = signed_in().account, request.form.get("id") or "none"
    with portal_services().change(account.id) as context:
        ended = emails.remove(context.session, account.id, proof_id, context.at)
        if ended is not None:
            rejudge.people(context.session, portal_services().engine, [account.id])
            context.log("address.removed", account.id, rows=ended, deleted=[("proof", proof_id)])
    return redirect("/me/emails")


def choose_for_company_emails() -> ResponseReturnValue:
    """E-mails about companies go to this address from now on, where it fits; one that is not the visitor's changes nothing."""
    account = signed_in().account
    with portal_services().change(account.id) as context:
        company_mail.choose(context, account.id, request.form.get("id") or "none")
    return redirect("/me/emails")


def mail_code(
    records: Session,
    services: PortalServices,
    account: Account,
    address: str,
    language: Language,
    *,
    company_id: str | None = None,
) -> str:
    """A code and the mail that brings it, in one transaction; the code's id. Raises TooManyCodes."""
    at = services.clock()
    person = people.ensure(records, services.vault, account=account, at=at, new_id=services.new_id())
    issued = email_codes.issue(
        records, services.vault, person, address, company_id=company_id, at=at, new_id=services.new_id()
    )
    values = {"code": issued.code, "login": account.login, "url": services.settings.url}
    email = Email(kind="code", to=address, language=language, values=values, account_id=account.id)
    outbox.add(records, services.vault, email, at=at, new_id=services.new_id())
    return issued.id


def _prove(context: RecordContext, account: Account, address: str) -> None:
    records, vault, at = context.session, context.vault, context.at
    person = people.ensure(records, vault, account=account, at=at, new_id=context.new_id())
    proven = ProvenAddress(address=address, how=MAILED_CODE, at=at, until=at + CODE_PROOF_LIFETIME)
    row = emails.prove(records, vault, person, proven, new_id=context.new_id())
    rejudge.people(records, portal_services().engine, [account.id])
    context.log("address.proven", account.id, rows=[row], details={"how": MAILED_CODE})


def emails_page(*, address: str = "", errors: dict[str, str] | None = None, tried: str = "") -> str:
    """The proven addresses, the codes that wait for an answer, and the form for another address."""
    account, at, vault = signed_in().account, portal_services().clock(), portal_services().vault
    server = portal_services().server
    with portal_services().sessions() as records:
        shown = emails.of_account(records, vault, account.id, at)
        waiting = [one for one in email_codes.waiting(records, vault, account.id, at) if one.company_id is None]
        companies = dict(managers.looked_after(records, vault, account.id, at=at))
        reached = company_mail.of_companies(records, vault, companies, [account.id], server=server)
        looks_after = [(name, reached[company_id].get(account.id)) for company_id, name in companies.items()]
    return render_template(
        "contributor/emails.html",
        address=address,
        errors=errors or {},
        tried=tried,
        shown=shown,
        waiting=waiting,
        looks_after=looks_after,
    )


def _unusable(address: str | None) -> str:
    if address is None:
        return str(_("Enter a valid e-mail address, such as name@example.org."))
    return str(_("This is GitHub's noreply address, which receives no e-mail. You do not need to verify it."))
