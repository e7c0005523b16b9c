"""Within a request a question is asked once; what is asked outside of one, or fails, is asked again."""

import pytest
from flask import Flask

from bot.portal.request_cache import once


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
