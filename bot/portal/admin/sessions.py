"""Who is signed in, since when and until when; an administrator may end one session, or all of an account."""

from flask.typing import ResponseReturnValue

from agreements.store.ledger.transient_rows import is_authentic
from agreements.vault import DecryptionFailed
from bot.portal.admin.page_context import list_page, redirect_after_form, render
from bot.portal.forms.typed_values import account_number, field
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.session.session_store import opened
from bot.portal.session.visitor import signed_in
from bot.store import portal_sessions
from bot.store.portal_sessions import PortalSession


def sessions_page() -> ResponseReturnValue:
    """The sessions that have not ended, those seen last come first."""
    services = portal_services()
    with services.sessions() as records:
        found = list_page(
            lambda skip, most: [
                (one, _login(services, one))
                for one in portal_sessions.signed_in(records, services.clock(), skip=skip, most=most)
            ]
        )
    return render("admin/sessions.html", part=found)


def end_sessions() -> ResponseReturnValue:
    """End one session, or with `account` all of that account; what has ended already is no change.

    The form names a session by its hash, which is not the word that the browser holds.
    """
    id_hash, account = field("session"), account_number(field("account"))
    with portal_services().change(signed_in().account.id) as context:
        records = context.session
        if account is not None:
            whose, ended = account, portal_sessions.end_of(records, account)
        else:
            found = portal_sessions.of_whom(records, context.vault, id_hash, context.at)
            portal_sessions.end(records, id_hash)
            whose, ended = found or 0, int(found is not None)
        if ended:
            context.log("session.ended", whose, details={"account": whose, "visits": ended})
    return redirect_after_form("/admin/sessions")


def _login(services: PortalServices, portal_session: PortalSession) -> str | None:
    """The login in what is sealed; None where the row opens nothing, as it was inserted or changed in the database."""
    if not is_authentic(services.vault, portal_session):
        return None
    try:
        contents = opened(services.vault, portal_session.id_hash, portal_session.sealed)
    except DecryptionFailed:
        return None
    return str(contents.get("account", {}).get("login", ""))
