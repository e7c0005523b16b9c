"""Only a person who may read a private pull request at GitHub sees it; every visitor sees a public one."""

import pytest
from werkzeug.exceptions import NotFound

from agreements.facts import Account
from bot.github.ports import Unreachable
from bot.portal.session.pull_access import readable_pull
from bot.portal.session.visitor import Visitor, remember


def read(portal, *, user=None, number="7"):
    """The pull request as that visitor gets it."""
    with portal.app.test_request_context("/"):
        if user is not None:
            remember(Visitor(Account(user, "x"), ()))
        return readable_pull("cann", "ops-math", number).number


def test_a_public_pull_request_is_read_by_strangers_and_an_unknown_number_by_no_visitor(portal):
    portal.pull(7)
    assert read(portal) == 7
    for number in ("8", "0", "x", "7/"):
        with pytest.raises(NotFound):
            read(portal, number=number)


def test_a_private_pull_request_needs_githubs_word(portal):
    pull = portal.pull(7, private=True)
    portal.services.hub.readers.add((11, 98))
    assert (pull, read(portal, user=11)) == (1, 7)
    for user in (None, 12):
        with pytest.raises(NotFound):
            read(portal, user=user)


def test_while_github_is_away_only_a_participant_learns_that_it_exists(portal):
    portal.pull(7, private=True)
    portal.services.hub.away = True
    with pytest.raises(Unreachable):
        read(portal, user=11)
    with pytest.raises(NotFound):
        read(portal, user=12)
