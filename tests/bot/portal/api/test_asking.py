"""Parameters are read exactly."""

import pytest
from flask import Flask

from bot.portal.api import asking
from bot.portal.api.problems import InvalidRequest


def test_parameters():
    """Known ones, each once."""
    app = Flask("x")
    with app.test_request_context("/?a=1&b=x"):
        assert asking.parameters("a", "b", "c") == {"a": "1", "b": "x"}
    for query in ("a=1&a=2", "x=1", "a=", "a=%00", "a=" + "x" * 201):
        with app.test_request_context(f"/?{query}"), pytest.raises(InvalidRequest):
            asking.parameters("a")


def test_values():
    """Numbers, moments, limits; nothing is nothing."""
    assert (asking.account("11"), asking.limit(None), asking.limit("200")) == (11, 50, 200)
    assert asking.moment("2026-01-01T00:00:00Z", "at").year == 2026
    for read, text in (
        (asking.account, "0"), (asking.account, "１"), (asking.account, "9" * 19), (asking.limit, "201"), (asking.limit, "x"),
        (lambda text: asking.moment(text, "at"), "2026-01-01"),
    ):  # fmt: skip
        with pytest.raises(InvalidRequest):
            read(text)
