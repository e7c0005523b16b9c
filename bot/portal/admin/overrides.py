"""Who let whom pass, where, on which head and why: what maintainers granted by a command, newest first."""

from flask.typing import ResponseReturnValue

from bot.portal.access import Route, Who
from bot.portal.admin.pages import part, render
from bot.portal.parts import parts
from bot.store.pulls import overrides
from bot.webhook import commands


def overrides_page() -> ResponseReturnValue:
    """The list."""
    given = parts()
    with given.sessions() as records:
        found = part(lambda skip, most: overrides.newest(records, given.vault, skip=skip, most=most))
    return render("admin_overrides.html", part=found, exempt=commands.EXEMPT, aside=commands.SET_ASIDE)


ROUTES = (Route("/admin/overrides", overrides_page, Who.READER),)
