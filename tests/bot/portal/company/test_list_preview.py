"""A signed preview is read back by the person, company and purpose that it was made for, for half an hour."""

from datetime import timedelta

import pytest
from flask import session

from bot import clock
from bot.portal.company import list_preview

KEPT = ["ada@example.com"]


@pytest.fixture(name="ask")
def _ask(portal):
    """A function of the module, asked in a request of a person who is signed in."""

    def ask(function, *words, account=11):
        with portal.app.test_request_context("/"):
            session["account"] = {"id": account, "login": "somebody"}
            return function(*words)

    return ask


def test_a_signed_preview_is_read_back_unchanged(ask):
    word = ask(list_preview.sign, "invite", "c1", KEPT)
    assert ask(list_preview.read, "invite", "c1", word) == KEPT


@pytest.mark.parametrize(
    ("purpose", "company", "account"), [("people", "c1", 11), ("invite", "c2", 11), ("invite", "c1", 12)]
)
def test_a_signed_preview_is_good_for_one_purpose_company_and_account(ask, purpose, company, account):
    word = ask(list_preview.sign, "invite", "c1", KEPT)
    assert ask(list_preview.read, purpose, company, word, account=account) is None
    assert ask(list_preview.read, "invite", "c1", f"x{word}") is None


def test_a_signed_preview_expires_after_half_an_hour_by_the_portals_clock(portal, ask):
    assert abs(portal.at - clock.now()) > timedelta(hours=1)
    word = ask(list_preview.sign, "invite", "c1", KEPT)
    portal.later(minutes=30)
    assert ask(list_preview.read, "invite", "c1", word) == KEPT
    portal.later(seconds=1)
    assert ask(list_preview.read, "invite", "c1", word) is None
