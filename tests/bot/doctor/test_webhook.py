"""The webhook leads here, is signed with our secret, and is taken: by what GitHub says of its newest ones."""

import pytest


def test_another_address(deployed):
    """Named, with the right one."""
    deployed.app.hook_url = "https://old.example.org/webhook"
    assert deployed.item("webhook.address") == ("fail", "GitHub sends webhooks to https://old.example.org/webhook")


@pytest.mark.parametrize(
    ("status", "secret", "answered"),
    [(202, "pass", "pass"), (401, "fail", "fail"), (502, "unknown", "fail"), (None, "unknown", "fail")],
)
def test_the_newest_answer(deployed, status, secret, answered):
    """Only one that was taken shows that the secret is ours."""
    deployed.answered(status)
    assert (secret, answered) == (deployed.item("webhook.secret")[0], deployed.item("webhook.answered")[0])


def test_nothing_sent_yet(deployed):
    """That is doubt, and no pass."""
    deployed.world.hooks.log.clear()
    assert (deployed.item("webhook.secret")[0], deployed.item("webhook.answered")[0]) == ("unknown", "unknown")


def test_no_secret(deployed):
    """On either side."""
    assert deployed.item("webhook.secret", WEBHOOK_SECRET="")[0] == "fail"
    deployed.app.webhook_secret = ""
    assert deployed.item("webhook.secret")[1] == "GitHub signs no webhooks: the App has no webhook secret"


def test_lost_deliveries(deployed):
    """Those that failed and did not arrive later."""
    assert deployed.item("webhook.lost")[0] == "pass"
    deployed.answered(502)
    assert deployed.item("webhook.lost") == ("fail", "1 webhook of the last day did not arrive")
