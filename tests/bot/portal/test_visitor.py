"""Who is here: known from the visit alone."""

from agreements.facts import Account
from bot.portal.visitor import Visitor, remember, visitor


def test_nobody_at_first(portal):
    """Without a visit nobody is signed in."""
    with portal.app.test_request_context("/"):
        assert visitor() is None


def test_remembering_somebody(portal):
    """What was in the visit before is gone; the account and its addresses are there; addresses stay out of reprs."""
    who = Visitor(Account(11, "ada"), ("ada@example.com",))
    with portal.app.test_request_context("/") as context:
        context.session["planted"] = "x"
        remember(who)

        assert visitor() == who
        assert "planted" not in context.session
    assert "example.com" not in repr(who)
