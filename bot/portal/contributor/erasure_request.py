"""Asking to be erased, and taking it back: what goes and what is kept is said first; administrators decide."""

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types

from agreements.store.people import erasure_requests, signatures
from bot.portal.page_access import Route, Who
from bot.portal.portal_services import portal_services
from bot.portal.visitor import signed_in


def erasure_page() -> ResponseReturnValue:
    """What would happen, the form unless a wish waits, and what became of earlier wishes."""
    return _page()


def ask_erasure() -> ResponseReturnValue:
    """Write the wish down, once; without the tick the page is shown again."""
    if request.form.get("sure") != "y":
        return _page(_("Tick the box if you are sure.")), 400
    given, account_id = portal_services(), signed_in().account.id
    with given.sessions() as records:
        erasure_requests.ask(
            records, given.vault, account_id, at=given.clock(), new_id=given.new_id(), entry_id=given.new_id()
        )
    return redirect("/me/erasure")


def take_back() -> ResponseReturnValue:
    """Take the wish back while nobody has decided it; afterwards the page says what became of it."""
    given, account_id = portal_services(), signed_in().account.id
    with given.sessions() as records:
        taken = erasure_requests.take_back(records, given.vault, account_id, at=given.clock(), entry_id=given.new_id())
    if not taken:
        return _page(late=True), 409
    return redirect("/me/erasure")


def _page(error: str = "", *, late: bool = False) -> str:
    account_id = signed_in().account.id
    with portal_services().sessions() as records:
        mine = erasure_requests.of_account(records, portal_services().vault, account_id)
        signed = any(not one.erased for one in signatures.mine(records, account_id))
    waits = any(one.state == erasure_requests.ASKED for one in mine)
    return render_template("contributor/erasure.html", wishes=mine, waits=waits, signed=signed, error=error, late=late)


ROUTES = (
    Route("/me/erasure", erasure_page, Who.SIGNED_IN),
    Route("/me/erasure", ask_erasure, Who.SIGNED_IN, "POST", limit="10 per minute"),
    Route("/me/erasure/withdraw", take_back, Who.SIGNED_IN, "POST", limit="10 per minute"),
)
