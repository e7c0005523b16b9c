"""How often an administrator is written to about what is new, and at which address."""

from flask import flash, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.domains import masked
from agreements.store.companies import company_mail
from bot.portal.admin.page_context import render
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.store import notifications
from bot.store.notifications import CHOICES


def notifications_page(error: str = "") -> str:
    """The choice, and where the mail goes."""
    services, account = portal_services(), signed_in().account
    with services.sessions() as records:
        chosen = notifications.often(records, account.id)
        address = company_mail.addresses(records, services.vault, "", [account.id], server=services.server).get(
            account.id
        )
    return render(
        "admin/notifications.html",
        chosen=chosen,
        choices=CHOICES,
        address=masked(address) if address else None,
        is_mail_sent=bool(services.settings.smtp_url),
        error=error,
    )


def choose_notifications() -> ResponseReturnValue:
    """From now on the reader is written to so often."""
    services, account = portal_services(), signed_in().account
    chosen = next((one for one in CHOICES if one == request.form.get("often")), None)
    if chosen is None:
        return notifications_page(_("Choose how often.")), 400
    with services.sessions() as records:
        notifications.choose(records, account.id, chosen, at=services.clock())
    flash(_("Saved."))
    return redirect("/admin/notifications")
