"""Transports for a person, and without credentials; `client/test_transport_pool.py` has the hub of an App."""

import time

import pytest

from bot.github.connection import connect_anonymously, connect_person
from bot.github.ports import Refused, Unreachable
from tests.bot.github.conftest import API


def test_a_persons_token_is_sent_as_it_is_and_never_quoted(github):
    token = "github_pat_" + "x" * 70
    github.on("GET", "/user", {"id": 11, "login": "ann"})
    github.on("GET", "/user", {"message": f"Bad credentials: {token}"}, status=401)
    with connect_person(API, token) as person:
        assert person.read("/user")["id"] == 11
        with pytest.raises(Refused, match="401") as caught:
            person.read("/user")
    with connect_anonymously(API) as anonymous, pytest.raises(Refused):
        anonymous.read("/user")

    assert [request.headers.get("Authorization") for request in github.sent()] == [f"Bearer {token}"] * 2 + [None]
    assert token not in repr(caught.value)


def test_without_credentials_an_unreachable_github_is_told_at_once():
    """The person at a page of setup waits for the answer."""
    took = []
    for _ in range(2):  # The first one may wait for a busy machine.
        began = time.monotonic()
        with connect_anonymously("http://127.0.0.1:9/api/v3") as anonymous, pytest.raises(Unreachable):
            anonymous.read("/users/cann")
        took.append(time.monotonic() - began)
    assert min(took) < 1
