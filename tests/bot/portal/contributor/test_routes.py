"""Every route of the contributors' pages has its audience and its rate limit."""

from bot.portal.contributor.routes import BLUEPRINTS
from bot.portal.session.page_access import Audience

OPEN = ("/sign/<agreement>", "/sign/<agreement>/text.pdf", "/employer")


def test_only_the_agreement_and_employer_pages_are_open_and_every_form_is_rate_limited():
    for route in (route for routes in BLUEPRINTS.values() for route in routes):
        is_open = route.method == "GET" and route.path in OPEN
        assert route.who is (Audience.PUBLIC if is_open else Audience.SIGNED_IN), route.path
        assert route.limit or route.method == "GET", route.path
