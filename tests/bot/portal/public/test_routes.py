"""Every visitor may read the public pages."""

from bot.portal.public.routes import BLUEPRINTS
from bot.portal.session.page_access import Audience


def test_every_public_page_is_open_to_every_visitor_and_has_no_form():
    found = {(route.who, route.method) for routes in BLUEPRINTS.values() for route in routes}
    assert found == {(Audience.EVERYBODY, "GET")}
