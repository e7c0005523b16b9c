"""Webhooks."""

import hashlib
import hmac
import re
from datetime import UTC, datetime

import pytest

from bot.demo.github.webhooks import Attempt, signature


def test_the_signature_is_githubs_own_example():
    """GitHub's documentation has it: 'Validating webhook deliveries'."""
    expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signature("It's a Secret to Everybody", b"Hello, World!") == expected


def test_deliveries_arrive_signed_and_in_order_with_githubs_headers(place, ear):
    pull, _ = place.pull()
    place.world.add_labels(pull, ["a", "b", "c"], place.ada)
    place.world.hooks.drain()
    events = [headers["X-GitHub-Event"] for headers, _ in ear.heard]
    assert events == ["installation", "pull_request", "pull_request", "pull_request", "pull_request"]
    for headers, body in ear.heard:
        expected = "sha256=" + hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
        assert headers["X-Hub-Signature-256"] == expected
        assert headers["User-Agent"].startswith("GitHub-Hookshot/")
        assert headers["X-GitHub-Hook-Installation-Target-ID"] == str(place.app.id)
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", headers["X-GitHub-Delivery"])
    assert len({headers["X-GitHub-Delivery"] for headers, _ in ear.heard}) == 5


def test_a_redelivery_repeats_guid_and_bytes(place, ear):
    place.world.hooks.drain()
    [sent] = place.world.hooks.log
    ear.status = 500
    place.world.hooks.redeliver(sent)
    place.world.hooks.drain()
    first, second = ear.heard
    assert first[0]["X-GitHub-Delivery"] == second[0]["X-GitHub-Delivery"] == sent.guid
    assert first[1] == second[1]
    assert sent.statuses == [202, 500]


def test_deliveries_use_no_proxy(place, monkeypatch):
    for name, value in (("http_proxy", "http://127.0.0.1:9"), ("no_proxy", "")):
        monkeypatch.setenv(name, value)
        monkeypatch.delenv(name.upper(), raising=False)
    place.pull()
    place.world.hooks.drain()
    assert place.world.hooks.log[-1].statuses == [202]


@pytest.mark.parametrize(
    ("status", "seconds", "outcome"),
    [
        (202, 0.1, ("OK", 202)),
        (302, 0.1, ("Invalid HTTP Response: 302", 302)),
        (502, 0.1, ("Invalid HTTP Response: 502", 502)),
        (None, 0.1, ("failed to connect to host", 502)),
        (None, 10.2, ("timed out", 504)),
    ],
)
def test_the_log_tells_an_answer_from_none_as_githubs_does(status, seconds, outcome):
    assert Attempt(id=1, at=datetime(2026, 11, 21, tzinfo=UTC), status=status, seconds=seconds).outcome == outcome


def test_a_delivery_to_a_closed_port_is_lost_and_logged(place, ear):
    place.world.hooks.drain()
    place.app.hook_url = "http://127.0.0.1:9/webhook"
    place.pull()
    place.world.hooks.drain()
    assert place.world.hooks.log[-1].statuses == [None]
    place.app.hook_url = ""
    place.pull(branch="other")
    place.world.hooks.drain()
    assert place.world.hooks.log[-1].statuses == []
    assert len(ear.heard) == 1


def test_closing_sends_the_rest_and_a_later_event_starts_again(place, ear):
    pull, _ = place.pull()
    place.world.hooks.close()
    assert len(ear.heard) == 2
    place.world.close_pull(pull, place.mia)
    place.world.hooks.drain()
    assert len(ear.heard) == 3
