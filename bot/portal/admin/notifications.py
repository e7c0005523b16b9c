"""The page on which administrators choose how often they are told of what is new, and see at which address."""

from flask import request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.domains.masking import masked
from agreements.store.companies import company_mail
from bot.portal.admin.page_context import render
from bot.portal.forms.form_action import FormRefused, done, form_action
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.store import notifications
from bot.store.notifications import CHOICES


def notifications_page() -> str:
    """The choice, and where the mail goes."""
    services, mine = portal_services(), signed_in().account.id
    with reading() as (records, vault, _at):
        chosen = notifications.often(records, mine)
        address = company_mail.addresses(records, vault, "", [mine], server=services.server).get(mine)
    return render(
        "admin/notifications.html",
        chosen=chosen,
        choices=CHOICES,
        address=masked(address) if address else None,
        is_mail_sent=bool(services.settings.smtp_url),
    )


@form_action(notifications_page)
def choose_notifications() -> ResponseReturnValue:
    """Store how often the reader is written to from now on."""
    services, account = portal_services(), signed_in().account
    chosen = next((choice for choice in CHOICES if choice == request.form.get("often")), None)
    if chosen is None:
        raise FormRefused({"often": _("Choose how often.")})
    with services.sessions() as records:
        notifications.choose(records, account.id, chosen, at=services.clock())
    return done("/admin/notifications", _("Saved."))
