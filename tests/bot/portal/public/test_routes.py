"""What everybody may read."""

from bot.portal.public.routes import BLUEPRINTS
from bot.portal.session.page_access import Audience


def test_everybody_reads_and_nobody_changes():
    """No page here has a form."""
    found = {(route.who, route.method) for routes in BLUEPRINTS.values() for route in routes}
    assert found == {(Audience.EVERYBODY, "GET")}
