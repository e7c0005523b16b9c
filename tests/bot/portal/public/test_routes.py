"""Every visitor may read the public pages."""

from bot.portal.public.routes import BLUEPRINTS
from bot.portal.session.page_access import Audience


def test_every_public_page_is_open_to_every_visitor_and_only_a_receipt_is_sent():
    found = [(route.path, route.who, route.method) for routes in BLUEPRINTS.values() for route in routes]
    assert {who for _, who, _ in found} == {Audience.EVERYBODY}
    assert [path for path, _, method in found if method != "GET"] == ["/receipts/verify"]
