"""The visitor is known from the session alone."""

from datetime import timedelta

from agreements.facts import Account
from bot.portal.session.visitor import Visitor, remember, signed_in_within, time_zone, visitor
from bot.store import portal_sessions


def test_there_is_no_visitor_without_a_session(portal):
    with portal.app.test_request_context("/"):
        assert visitor() is None


def test_remembering_a_visitor_clears_the_session_and_hides_addresses_from_reprs(portal):
    who = Visitor(Account(11, "ada"), ("ada@example.com",))
    with portal.app.test_request_context("/") as context:
        context.session["planted"] = "x"
        remember(who)

        assert visitor() == who
        assert "planted" not in context.session
    assert "example.com" not in repr(who)


def test_a_sign_in_is_recent_for_less_than_the_given_time(portal):
    ten_minutes = timedelta(minutes=10)
    with portal.app.test_request_context("/"):
        assert not signed_in_within(ten_minutes)
        remember(Visitor(Account(11, "ada"), ()))
        portal.later(minutes=9)
        assert signed_in_within(ten_minutes)
        portal.later(minutes=1)
        assert not signed_in_within(ten_minutes)


def test_signing_in_brings_the_time_zone_that_the_account_chose(portal):
    with portal.services.sessions() as records:
        portal_sessions.choose_time_zone(records, 11, "Asia/Shanghai")
    for account_id, name in ((11, "Asia/Shanghai"), (12, "")):
        with portal.app.test_request_context("/"):
            assert time_zone() == ""
            remember(Visitor(Account(account_id, "somebody"), ()))
            assert time_zone() == name
