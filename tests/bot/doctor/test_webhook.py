"""The webhook leads here, and is accepted: by what GitHub says of its newest ones."""

import json

import pytest

from bot.webhook.signature import ABSENT, MISMATCH


def test_another_webhook_address_fails_with_the_right_one(deployed):
    deployed.app.hook_url = "https://old.example.org/webhook"
    assert deployed.item("webhook.address") == ("fail", "GitHub sends webhooks to https://old.example.org/webhook.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "answered", "said"),
    [
        (202, "pass", "was answered 202."),
        (502, "fail", "was answered 502."),
        (None, "fail", "was not answered."),
    ],
)
def test_only_a_2xx_answer_to_the_newest_webhook_passes(deployed, status, answered, said):
    deployed.answered(status)
    found, message = deployed.item("webhook.answered")
    assert (found, message.endswith(said)) == (answered, True), message
    assert deployed.item("webhook.secret")[0] == "pass"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (MISMATCH, "was answered 401: the running server has a different webhook secret than GitHub."),
        (ABSENT, "was answered 401: GitHub's signature did not reach Countersign."),
        ("Sign in first", "was answered 401, but not by Countersign."),
    ],
)
def test_a_proxys_refusal_is_told_from_a_wrong_secret(deployed, body, said):
    deployed.answered(401, json.dumps({"message": body}))
    found, message = deployed.item("webhook.answered")
    assert (found, message.endswith(said)) == ("fail", True), message


def test_no_webhook_sent_yet_is_unknown(deployed):
    deployed.world.hooks.log.clear()
    assert (deployed.item("webhook.secret")[0], deployed.item("webhook.answered")[0]) == ("unknown", "unknown")


def test_deliveries_that_failed_and_never_arrived_are_told(deployed):
    assert deployed.item("webhook.lost")[0] == "pass"
    deployed.answered(502)
    assert deployed.item("webhook.lost") == ("fail", "1 webhook of the last 24 hours never arrived.")
