"""The portal's parts come with the app, or not at all."""

import pytest
from flask import Flask

from bot.portal import portal_services
from bot.portal.portal_services import once


def test_the_app_hands_them_out(portal):
    """Inside a request the parts are those that the app was given."""
    with portal.app.test_request_context("/"):
        assert portal_services.portal_services() is portal.services


def test_an_app_that_was_not_prepared():
    """An app without them says what is missing."""
    app = Flask("bare", static_folder=None)
    app.extensions["countersign.portal"] = None

    with app.app_context(), pytest.raises(TypeError, match="prepare"):
        portal_services.portal_services()


def test_once_a_request():
    """For the same arguments; the next request asks again."""
    app, asked = Flask("asks"), []
    ask = once(lambda *given: asked.append(given) or len(asked))
    for expected in (1, 3):
        with app.test_request_context():
            assert [ask(), ask(), ask(7), ask(7)] == [expected, expected, expected + 1, expected + 1]
    assert asked == [(), (7,)] * 2
    assert (ask(), ask()) == (5, 6)


def test_what_fails_is_asked_again():
    """An outage of a moment is not remembered."""
    answers = iter((None, 5))

    @once
    def ask():
        found = next(answers)
        if found is None:
            raise LookupError
        return found

    with Flask("asks").test_request_context():
        with pytest.raises(LookupError):
            ask()
        assert (ask(), ask()) == (5, 5)
