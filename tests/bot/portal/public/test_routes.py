"""Every visitor may read the public pages; a choice is made by a person who signed in."""

from bot.portal.public.routes import BLUEPRINTS
from bot.portal.session.page_access import Audience


def test_every_public_page_is_open_to_every_visitor_and_only_a_receipt_is_sent_without_signing_in():
    found = [(route.path, route.who, route.method) for routes in BLUEPRINTS.values() for route in routes]
    assert {who for _, who, method in found if method == "GET"} == {Audience.PUBLIC}
    assert [(path, who) for path, who, method in found if method != "GET"] == [
        ("/receipts/verify", Audience.PUBLIC),
        ("/pr/<owner>/<name>/<number>/for", Audience.SIGNED_IN),
    ]
