"""Who is signed in, since when and until when; an administrator may end one visit, or all of an account."""

from dataclasses import dataclass
from datetime import datetime

from flask import request
from flask.typing import ResponseReturnValue

from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import Change
from agreements.store.people import subjects
from agreements.vault import DecryptionFailed
from bot.portal.admin.page_context import acting, onward, part, render
from bot.portal.page_access import Route, Who
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.sessions import opened
from bot.store import portal_sessions
from bot.store.portal_sessions import Visit


@dataclass(frozen=True, slots=True)
class Row:
    """One visit; `id_hash` names it in a form, and is not the word that the browser holds."""

    id_hash: str
    account_id: int | None
    login: str
    began: datetime
    seen: datetime
    ends: datetime


def sessions_page() -> ResponseReturnValue:
    """The visits that have not ended, those seen last come first."""
    services = portal_services()
    with services.sessions() as records:
        found = part(
            lambda skip, most: [
                _row(services, one)
                for one in portal_sessions.signed_in(records, services.clock(), skip=skip, most=most)
            ]
        )
    return render("admin/sessions.html", part=found)


def end_sessions() -> ResponseReturnValue:
    """End one visit, or with `account` all of that account; what has ended already is no change."""
    given, by = portal_services(), acting()
    id_hash, account = request.form.get("visit", ""), request.form.get("account", "")
    at = given.clock()
    with given.sessions() as records:
        if account.isascii() and account.isdecimal() and len(account) < 20 and 0 < int(account) < 2**63:
            whose, ended = int(account), portal_sessions.end_of(records, int(account))
        else:
            found = portal_sessions.of_whom(records, id_hash, at)
            portal_sessions.end(records, id_hash)
            whose, ended = found or 0, int(found is not None)
        if ended:
            subject = subjects.of_account(records, given.vault, whose)
            told = {"account": whose, "visits": ended}
            change = Change(kind="session.ended", actor_id=by.id, subject=subject, told=told)
            ledger.append(records, given.vault, change, at=at, new_id=given.new_id())
    return onward("/admin/sessions")


def _row(services: PortalServices, visit: Visit) -> Row:
    try:
        login = opened(services.vault, visit.id_hash, visit.sealed).get("account", {}).get("login", "")
    except DecryptionFailed:
        login = ""
    return Row(visit.id_hash, visit.account_id, login, visit.created_at, visit.seen_at, visit.expires_at)


ROUTES = (
    Route("/admin/sessions", sessions_page, Who.READER),
    Route("/admin/sessions", end_sessions, Who.ADMINISTRATOR, "POST"),
)
