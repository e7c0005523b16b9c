"""The managers of a company's agreement: two at least once it counts; one who leaves may name a successor in the same step."""

from flask import render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.facts import Account
from agreements.store.companies import company_rows, managers
from agreements.store.record_context import RecordContext
from bot.mail import manager_emails
from bot.portal import organizations
from bot.portal.forms.form_action import change, done, form_action
from bot.portal.forms.typed_values import account, field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in


def managers_page(company_id: str) -> str:
    """The page of the managers in office, with the form for one more."""
    company = organizations.company(company_id)
    with reading() as (records, _vault, at):
        office = managers.in_office(records, company_id, at=at)
    few = company.countersigned_at is not None and len(office) <= managers.MIN_MANAGERS
    return render_template(
        "company/managers.html",
        company=company,
        office=office,
        hint=_("Name a successor. Only two managers are left.") if few else _("Optional."),
        sent={name: field(name) for name in ("login", "successor")},
        unreached=organizations.unreached(company.id),
    )


@form_action(managers_page)
def appoint_manager(company_id: str) -> ResponseReturnValue:
    """Add a manager, by their GitHub login."""
    found = account(field("login"), "login")  # GitHub is asked before the transaction begins.
    with change("login") as context:
        message = _welcome(context, company_id, found)
        managers.appoint(context, company_id, found)
    return done(f"/company/{company_id}/managers", message)


@form_action(managers_page)
def end_manager(company_id: str, account_id: int) -> ResponseReturnValue:
    """Remove a manager, oneself or another; with a successor when fewer than two would be left."""
    place = f"successor-{account_id}"
    successor = account(field("successor"), place) if field("successor") else None
    with change(place) as context:
        messages = [_welcome(context, company_id, successor)] if successor else []
        managers.leave(context, company_id, account_id, successor=successor)
    # Who has just left has no page here any more.
    return done("/company" if account_id == context.by else f"/company/{company_id}/managers", *messages)


def _welcome(context: RecordContext, company_id: str, account: Account) -> str:
    """Write the e-mail to the new manager, in the transaction of the change; a sentence for the one who did it."""
    company = company_rows.locked(context.session, company_id)
    # Any person can ask for a company by any name and name any manager: until it was looked at, we mail no name.
    if company.countersigned_at is None:
        return str(_("The manager was added. We send no e-mail before the agreement is countersigned, so tell them yourself."))  # fmt: skip
    url = f"{portal_services().url}/company/{company_id}"
    by, server = signed_in().account.login, portal_services().server
    manager_emails.welcome(context, account, (company.id, company.name), url=url, by=by, server=server)
    # The same whether or not an address is known, which is not the manager's to learn.
    return str(_("The manager was added. If we know an address of theirs, we send an e-mail, at most once a day. Please tell them yourself as well."))  # fmt: skip
