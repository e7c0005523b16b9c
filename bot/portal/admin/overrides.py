"""The list of overrides: who granted one, where, on which head and why, newest first."""

from flask.typing import ResponseReturnValue

from bot.portal.admin.page_context import list_page, render
from bot.portal.portal_services import portal_services
from bot.report import comment_commands
from bot.store.pulls import overrides


def overrides_page() -> ResponseReturnValue:
    """The list."""
    services = portal_services()
    with services.sessions() as records:
        found = list_page(lambda skip, most: overrides.newest(records, services.vault, skip=skip, most=most))
    return render(
        "admin/overrides.html",
        part=found,
        named=[one.account_id for one in found.rows],
        commands=comment_commands.SHOWN,
    )
