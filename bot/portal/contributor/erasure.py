"""Asking to be erased, and taking it back: what goes and what is kept is said first; administrators decide."""

from flask import redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.store.people import erasure_requests, signatures
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in


def ask_erasure() -> ResponseReturnValue:
    """Record the request, once; without the tick the page is shown again."""
    if field("sure") != "y":
        return erasure_page(_("Tick the box to confirm.")), 400
    services, account_id = portal_services(), signed_in().account.id
    with services.sessions() as records:
        erasure_requests.ask(
            records,
            services.vault,
            account_id,
            at=services.clock(),
            new_id=services.new_id(),
            entry_id=services.new_id(),
        )
    return redirect("/me/erasure")


def take_back() -> ResponseReturnValue:
    """Withdraw the request while nobody has decided it; afterwards the page says what became of it."""
    services, account_id = portal_services(), signed_in().account.id
    with services.sessions() as records:
        taken = erasure_requests.take_back(
            records, services.vault, account_id, at=services.clock(), entry_id=services.new_id()
        )
    if not taken:
        return erasure_page(late=True), 409
    return redirect("/me/erasure")


def erasure_page(error: str = "", *, late: bool = False) -> str:
    """What would happen, the form unless a request waits, and what became of earlier requests."""
    account_id = signed_in().account.id
    with portal_services().sessions() as records:
        mine = erasure_requests.of_account(records, portal_services().vault, account_id)
        signed = any(not one.erased for one in signatures.mine(records, account_id))
    waits = any(one.state == erasure_requests.ASKED for one in mine)
    return render_template(
        "contributor/erasure.html",
        erasures=mine,
        waits=waits,
        signed=signed,
        years=portal_services().settings.retention_years,
        error=error,
        late=late,
    )
