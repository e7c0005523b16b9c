"""Who looks after a company's agreement: two at least once it counts; whoever leaves may name a successor in the same step."""

from datetime import datetime

from flask import abort, flash, redirect
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from sqlmodel import Session

from agreements.facts import Account
from agreements.store.companies import company_rows, managers
from agreements.store.companies.company_rows import CompanyRefused
from bot.mail import manager_emails
from bot.mail.manager_emails import Office
from bot.portal.company.company_access import Unresolved, account, acting, field, overview, render, said, unreached
from bot.portal.page_access import Route, Who
from bot.portal.portal_services import portal_services


def routes() -> tuple[Route, ...]:
    """Open to the company's managers."""
    page = "/company/<company_id>/managers"
    return (
        Route(page, managers_page, Who.MANAGER),
        Route(page, appoint_manager, Who.MANAGER, "POST", limit="10 per minute"),
        Route(f"{page}/<int:account_id>/leave", end_manager, Who.MANAGER, "POST", limit="10 per minute"),
    )


def managers_page(company_id: str) -> ResponseReturnValue:
    """Those in office, and the form for one more."""
    return _page(company_id, {})


def appoint_manager(company_id: str) -> ResponseReturnValue:
    """Put somebody into office, by their GitHub login."""
    given, by, at = portal_services(), acting().account.id, portal_services().clock()
    try:
        found = account(field("login"))
        with given.sessions() as records:
            told = _welcome(records, company_id, found, at)
            managers.appoint(records, given.vault, company_id, found, by=by, at=at, new_id=given.new_id)
    except Unresolved as error:
        return _page(company_id, {"login": error.sentence}), error.code
    except CompanyRefused as error:
        return _page(company_id, {"login": said(error)}), 409
    flash(told)
    return redirect(f"/company/{company_id}/managers")


def end_manager(company_id: str, account_id: int) -> ResponseReturnValue:
    """Somebody leaves, oneself or another; with a successor when fewer than two would be left."""
    given, by, place, at = portal_services(), acting().account.id, f"successor-{account_id}", portal_services().clock()
    try:
        successor = account(field("successor")) if field("successor") else None
        with given.sessions() as records:
            told = _welcome(records, company_id, successor, at) if successor else ""
            managers.leave(
                records,
                given.vault,
                company_id,
                account_id,
                by=by,
                at=at,
                new_id=given.new_id,
                successor=successor,
            )
    except Unresolved as error:
        return _page(company_id, {place: error.sentence}), error.code
    except CompanyRefused as error:
        return _page(company_id, {place: said(error)}), 409
    except LookupError:
        abort(404)
    if told:
        flash(told)
    # Whoever has just left has no page here any more.
    return redirect("/company" if account_id == by else f"/company/{company_id}/managers")


def _welcome(records: Session, company_id: str, account: Account, at: datetime) -> str:
    """The letter to who takes office, in the transaction of the change; what is said to who named them.

    It is the same whether or not an address is known. Until an administrator has looked at the company, letters with
    its name go to nobody: everybody can ask for one, by any name, and name anybody.
    """
    given, company = portal_services(), company_rows.locked(records, company_id)
    if company.countersigned_at is None:
        return str(_("They look after the company now. No letter is sent before it is countersigned: tell them yourself."))  # fmt: skip
    url = f"{given.settings.url}/company/{company_id}"
    office = Office(company_id=company.id, company=company.name, url=url, by=acting().account.login)
    manager_emails.welcome(records, given.vault, account, office, at=at, new_id=given.new_id)
    return str(_("They look after the company now. If an address of theirs is known here, a letter tells them, once a day at most: tell them yourself, too."))  # fmt: skip


def _page(company_id: str, errors: dict[str, str]) -> str:
    given, company = portal_services(), overview(company_id)
    with given.sessions() as records:
        office = managers.in_office(records, company_id, at=given.clock())
    sent = {name: field(name) for name in ("login", "successor")}
    few = company.countersigned_at is not None and len(office) <= managers.LEAST
    hint = _("A successor is needed: only two are left.") if few else _("May be left empty.")
    told = {"hint": hint, "errors": errors, "sent": sent, "unreached": unreached(company.id)}
    return render("company/managers.html", company, "managers", office=office, **told)
