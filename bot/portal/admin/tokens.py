"""Tokens for the API: made, shown once, revoked; who may read the administration sees what they open and when they were used."""

from datetime import timedelta

from flask import abort, redirect, request, session
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from bot.portal.admin.page_context import list_page, render
from bot.portal.forms.form_action import FormRefused, change, form_action
from bot.portal.forms.typed_values import day_start, field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.store import tokens
from bot.store.tokens import MAX_NAME_CHARACTERS, MAX_TOKEN_LIFETIME, SCOPES
from bot.telemetry import security_log
from bot.telemetry.security_log import Event

_PATH = "/admin/tokens"
_NEW = "new_token"


def overview() -> str:
    """A page of the tokens, the newest first; one that was just made is shown this once."""
    with reading() as (records, vault, at):
        found = list_page(lambda skip, most: tokens.newest(records, skip=skip, most=most))
        refused = tokens.refused(records, vault, found.rows)  # Changed in the database: they open nothing.
    return render(
        "admin/tokens.html",
        part=found,
        refused=refused,
        named=[token.made_by for token in found.rows],
        new=session.pop(_NEW, None),  # This once: only a hash of it is stored.
        now=at,
        scopes=SCOPES,
        chosen=request.form.getlist("scopes"),
        name=request.form.get("name", ""),
        until=request.form.get("until") or f"{at + timedelta(days=90):%Y-%m-%d}",
    )


@form_action(overview)
def make() -> ResponseReturnValue:
    """Make a token and show it on the next page."""
    name, scopes = field("name"), request.form.getlist("scopes")
    at, by = portal_services().clock(), signed_in().account
    until = day_start(request.form.get("until", ""))
    errors = {}
    if not 0 < len(name) <= MAX_NAME_CHARACTERS or not name.isprintable():
        errors["name"] = _(
            "Enter the purpose of the token, in at most %(number)s characters.", number=MAX_NAME_CHARACTERS
        )
    if not set(scopes) <= set(SCOPES) or not set(scopes) - {"personal"}:  # `personal` alone opens nothing.
        errors["scopes"] = _("Choose what the token may read.")
    if until is None or not at < until <= at + MAX_TOKEN_LIFETIME:
        errors["until"] = _("Enter a future date within a year, such as 2027-01-31.")
    if errors or until is None:
        raise FormRefused(errors)
    with change() as context:
        row, words = tokens.make(context, name, scopes, until=until)
        context.log("token.made", rows=[row], details={"scopes": row.scopes, "until": until.isoformat()})
        token_id, opens = row.id, row.scopes
    # After the commit, so that it tells of nothing that was rolled back.
    security_log.tell(Event.TOKEN_MADE, account=by.id, token=token_id, scopes=opens)
    session[_NEW] = words  # For the next page alone.
    return redirect(_PATH)


def revoke(token_id: str) -> ResponseReturnValue:
    """End a token now."""
    by = signed_in().account
    with change() as context:
        row = tokens.revoke(context, token_id) or abort(404)
        context.log("token.revoked", rows=[row])
        ended = row.id
    security_log.tell(Event.TOKEN_REVOKED, account=by.id, token=ended)
    return redirect(_PATH)
