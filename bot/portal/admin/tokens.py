"""Tokens for the API: made, shown once, revoked; who may read the administration sees what they open and when they were used."""

from datetime import UTC, datetime, timedelta

from flask import Blueprint, abort, redirect, request, session
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from flask_limiter import Limiter

from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import SERVER, Change
from bot import security_log
from bot.portal.admin.page_context import acting, render
from bot.portal.page_access import Route, Who, open_routes
from bot.portal.portal_services import portal_services
from bot.security_log import Event
from bot.store import tokens
from bot.store.tokens import LONGEST_LIFE, LONGEST_NAME, SCOPES

_PATH = "/admin/tokens"
_NEW = "new_token"
_SHOWN = 200
"""Tokens on the page, the newest first."""


def make_tokens(limiter: Limiter) -> Blueprint:
    """The blueprint with `/admin/tokens` and what is below it."""
    blueprint = Blueprint("admin_tokens", __name__)
    routes = (
        Route(_PATH, overview, Who.READER),
        Route(_PATH, make, Who.ADMINISTRATOR, "POST", limit="10 per minute"),
        Route(f"{_PATH}/<token_id>/revoke", revoke, Who.ADMINISTRATOR, "POST", limit="30 per minute"),
    )
    open_routes(blueprint, limiter, routes)
    return blueprint


def overview() -> ResponseReturnValue:
    """All tokens; one that was just made is shown this once."""
    return _page()


def make() -> ResponseReturnValue:
    """Make a token and show it on the next page."""
    name, scopes = request.form.get("name", "").strip(), request.form.getlist("scopes")
    at, by = portal_services().clock(), acting()
    until = _end(request.form.get("until", ""))
    errors = {}
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        errors["name"] = _("Write what the token is for, in at most %(number)s characters.", number=LONGEST_NAME)
    if not set(scopes) <= set(SCOPES) or not set(scopes) - {"personal"}:
        errors["scopes"] = _("Choose what the token may read.")
    if until is None or not at < until <= at + LONGEST_LIFE:
        errors["until"] = _("Write a day to come, within a year, such as 2027-01-31.")
    if errors or until is None:
        return _page(errors), 400
    with portal_services().sessions() as records:
        row, words = tokens.make(records, name, scopes, until=until, by=by.id, at=at, new_id=portal_services().new_id())
        told = {"scopes": row.scopes, "until": until.isoformat()}
        change = Change(kind="token.made", actor_id=by.id, subject=SERVER, rows=[row], told=told)
        ledger.append(records, portal_services().vault, change, at=at, new_id=portal_services().new_id())
        token_id, opens = row.id, row.scopes
    security_log.tell(Event.TOKEN_MADE, account=by.id, token=token_id, scopes=opens)
    session[_NEW] = words
    return redirect(_PATH)


def revoke(token_id: str) -> ResponseReturnValue:
    """End a token now."""
    at, by = portal_services().clock(), acting()
    with portal_services().sessions() as records:
        row = tokens.revoke(records, token_id, at=at)
        if row is None:
            abort(404)
        change = Change(kind="token.revoked", actor_id=by.id, subject=SERVER, rows=[row])
        ledger.append(records, portal_services().vault, change, at=at, new_id=portal_services().new_id())
        ended = row.id
    security_log.tell(Event.TOKEN_REVOKED, account=by.id, token=ended)
    return redirect(_PATH)


def _page(errors: dict[str, str] | None = None) -> str:
    at = portal_services().clock()
    with portal_services().sessions() as records:
        found = tokens.newest(records, most=_SHOWN)
    return render(
        "admin/tokens.html",
        tokens=found,
        new=session.pop(_NEW, None),
        now=at,
        scopes=SCOPES,
        errors=errors or {},
        chosen=request.form.getlist("scopes"),
        name=request.form.get("name", ""),
        until=request.form.get("until") or f"{at + timedelta(days=90):%Y-%m-%d}",
    )


def _end(text: str) -> datetime | None:
    """The first moment of that day in UTC."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
