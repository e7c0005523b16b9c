"""Who looks after a company's agreement: two at least once it counts; whoever leaves may name a successor in the same step."""

from flask import abort, flash, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.facts import Account
from agreements.store.companies import company_rows, managers
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.record_context import RecordContext
from bot.mail import manager_emails
from bot.portal.company.company_access import Unresolved, account, overview, refusal_text, unreached
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in


def appoint_manager(company_id: str) -> ResponseReturnValue:
    """Put somebody into office, by their GitHub login."""
    try:
        found = account(field("login"))
        with portal_services().change(signed_in().account.id) as context:
            message = _welcome(context, company_id, found)
            managers.appoint(context, company_id, found)
    except Unresolved as error:
        return managers_page(company_id, {"login": error.sentence}), error.code
    except CompanyRefused as error:
        return managers_page(company_id, {"login": refusal_text(error)}), 409
    flash(message)
    return redirect(f"/company/{company_id}/managers")


def end_manager(company_id: str, account_id: int) -> ResponseReturnValue:
    """Somebody leaves, oneself or another; with a successor when fewer than two would be left."""
    by, place = signed_in().account.id, f"successor-{account_id}"
    try:
        successor = account(field("successor")) if field("successor") else None
        with portal_services().change(by) as context:
            message = _welcome(context, company_id, successor) if successor else ""
            managers.leave(context, company_id, account_id, successor=successor)
    except Unresolved as error:
        return managers_page(company_id, {place: error.sentence}), error.code
    except CompanyRefused as error:
        return managers_page(company_id, {place: refusal_text(error)}), 409
    except LookupError:
        abort(404)
    if message:
        flash(message)
    # Whoever has just left has no page here any more.
    return redirect("/company" if account_id == by else f"/company/{company_id}/managers")


def _welcome(context: RecordContext, company_id: str, account: Account) -> str:
    """The e-mail to whoever takes office, in the transaction of the change; gives what the page tells whoever named them.

    It is the same whether or not an address is known. Until an administrator has looked at the company, e-mails with
    its name go to nobody: everybody can ask for one, by any name, and name anybody.
    """
    company = company_rows.locked(context.session, company_id)
    if company.countersigned_at is None:
        return str(_("The manager was added. We send no e-mail before the agreement is countersigned, so tell them yourself."))  # fmt: skip
    url = f"{portal_services().settings.url}/company/{company_id}"
    by, server = signed_in().account.login, portal_services().server
    manager_emails.welcome(context, account, company.id, company.name, url=url, by=by, server=server)
    return str(_("The manager was added. If we know an address of theirs, we send an e-mail, at most once a day. Please tell them yourself as well."))  # fmt: skip


def managers_page(company_id: str, errors: dict[str, str] | None = None) -> str:
    """Those in office, and the form for one more."""
    services, company = portal_services(), overview(company_id)
    with services.sessions() as records:
        office = managers.in_office(records, company_id, at=services.clock())
    sent = {name: field(name) for name in ("login", "successor")}
    few = company.countersigned_at is not None and len(office) <= managers.MIN_MANAGERS
    hint = _("Name a successor. Only two managers are left.") if few else _("Optional.")
    return render_template(
        "company/managers.html",
        company=company,
        office=office,
        hint=hint,
        errors=errors or {},
        sent=sent,
        unreached=unreached(company.id),
    )
