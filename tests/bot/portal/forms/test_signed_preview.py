"""What a preview hands to the next page: for its person, company and purpose, and for half an hour by the clock that counts."""

from datetime import timedelta

import pytest
from flask import session

from bot import clock
from bot.portal.forms import signed_preview

KEPT = ["ada@example.com"]


@pytest.fixture(name="ask")
def _ask(portal):
    """A function of the module, asked in a request of somebody who is signed in."""

    def ask(function, *words, account=11):
        with portal.app.test_request_context("/"):
            session["account"] = {"id": account, "login": "somebody"}
            return function(*words)

    return ask


def test_it_comes_back_as_it_was(ask):
    """Whatever can be written as JSON."""
    word = ask(signed_preview.sign, "invite", "c1", KEPT)
    assert ask(signed_preview.read, "invite", "c1", word) == KEPT


@pytest.mark.parametrize(
    ("purpose", "company", "account"), [("people", "c1", 11), ("invite", "c2", 11), ("invite", "c1", 12)]
)
def test_it_is_good_for_nothing_else(ask, purpose, company, account):
    """Not for another purpose, company or person; and not after a change."""
    word = ask(signed_preview.sign, "invite", "c1", KEPT)
    assert ask(signed_preview.read, purpose, company, word, account=account) is None
    assert ask(signed_preview.read, "invite", "c1", f"x{word}") is None


def test_half_an_hour_by_the_clock_that_counts(portal, ask):
    """This machine's own clock, far from that one here, is not asked."""
    assert abs(portal.at - clock.now()) > timedelta(hours=1)
    word = ask(signed_preview.sign, "invite", "c1", KEPT)
    portal.later(minutes=30)
    assert ask(signed_preview.read, "invite", "c1", word) == KEPT
    portal.later(seconds=1)
    assert ask(signed_preview.read, "invite", "c1", word) is None
