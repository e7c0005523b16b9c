"""The portal's services come with the app, and answers are remembered for one request."""

import pytest
from flask import Flask

from bot.portal import portal_services
from bot.portal.portal_services import once


def test_a_request_gets_the_services_of_its_app(portal):
    with portal.app.test_request_context("/"):
        assert portal_services.portal_services() is portal.services


def test_an_app_without_services_says_that_it_was_not_prepared():
    app = Flask("bare", static_folder=None)
    app.extensions["countersign.portal"] = None

    with app.app_context(), pytest.raises(TypeError, match="prepare"):
        portal_services.portal_services()


def test_a_value_is_asked_for_once_a_request_and_arguments():
    app, asked = Flask("asks"), []
    ask = once(lambda *given: asked.append(given) or len(asked))
    for expected in (1, 3):
        with app.test_request_context():
            assert [ask(), ask(), ask(7), ask(7)] == [expected, expected, expected + 1, expected + 1]
    assert asked == [(), (7,)] * 2
    assert (ask(), ask()) == (5, 6)


def test_an_answer_that_failed_is_asked_for_again():
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
