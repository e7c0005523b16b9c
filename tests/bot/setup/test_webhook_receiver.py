"""A webhook is believed by its signature alone, and nothing that the server should hear is acknowledged."""

import pytest

from bot.demo.github.webhooks import signature
from bot.setup.webhook_receiver import WebhookReceiver


def send(beginning, *, event="ping", secret="s3cret", guid="guid-1", body=b"{}"):
    """One webhook to the page's own server."""
    headers = {"X-GitHub-Event": event, "X-GitHub-Delivery": guid, "X-Hub-Signature-256": signature(secret, body)}
    return beginning.client.post("/webhook", data=body, headers=headers).status_code


@pytest.fixture(name="listening")
def _listening(beginning):
    """With a secret."""
    beginning.receiver._secret = lambda: "s3cret"
    return beginning


def test_a_ping(listening):
    """Is answered, and shows that GitHub reaches us."""
    assert not listening.receiver.wait(0)
    assert send(listening) == 200
    assert listening.receiver.has_arrived


def test_what_the_server_should_hear(listening):
    """Is left for it: GitHub lists it as failed, and the server has it sent again."""
    assert send(listening, event="installation") == 503
    assert listening.receiver.has_arrived


@pytest.mark.parametrize(("change", "status"), [({"secret": "other"}, 401), ({"guid": "no guid!"}, 400)])
def test_what_is_not_githubs(listening, change, status):
    """Shows nothing."""
    assert send(listening, **change) == status
    assert not listening.receiver.has_arrived


def test_before_there_is_an_app(beginning):
    """The ping of a new App comes before its secret; it is sent again."""
    assert send(beginning) == 503
    assert not WebhookReceiver(lambda: "").has_arrived
