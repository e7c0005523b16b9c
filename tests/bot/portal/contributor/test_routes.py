"""Who may do what on the pages of contributors."""

from bot.portal.contributor.routes import BLUEPRINTS
from bot.portal.session.page_access import Audience


def test_who_and_how_often():
    """An agreement and the ways to be covered by an employer are read by everybody, all else is of whoever signed in; every form has a limit."""
    for route in (route for routes in BLUEPRINTS.values() for route in routes):
        is_open = route.method == "GET" and route.path in ("/sign/<agreement>", "/employer")
        assert route.who is (Audience.EVERYBODY if is_open else Audience.SIGNED_IN), route.path
        assert route.limit or route.method == "GET", route.path
