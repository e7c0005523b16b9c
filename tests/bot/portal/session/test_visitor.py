"""Who is here: known from the session alone."""

from datetime import timedelta

from agreements.facts import Account
from bot.portal.session.visitor import Visitor, remember, signed_in_within, visitor


def test_nobody_at_first(portal):
    """Without a session nobody is signed in."""
    with portal.app.test_request_context("/"):
        assert visitor() is None


def test_remembering_somebody(portal):
    """What was in the session before is gone; the account and its addresses are there; addresses stay out of reprs."""
    who = Visitor(Account(11, "ada"), ("ada@example.com",))
    with portal.app.test_request_context("/") as context:
        context.session["planted"] = "x"
        remember(who)

        assert visitor() == who
        assert "planted" not in context.session
    assert "example.com" not in repr(who)


def test_how_long_ago_somebody_signed_in(portal):
    """Some pages ask for a recent sign-in; a stranger never has one."""
    ten_minutes = timedelta(minutes=10)
    with portal.app.test_request_context("/"):
        assert not signed_in_within(ten_minutes)
        remember(Visitor(Account(11, "ada"), ()))
        portal.later(minutes=9)
        assert signed_in_within(ten_minutes)
        portal.later(minutes=1)
        assert not signed_in_within(ten_minutes)
