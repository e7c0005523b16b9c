"""The check at the end: what is granted, what the clock says, and whether the webhook arrived."""

from bot.demo.github.webhooks import signature


def by_id(report):
    """Statuses."""
    return {one.id: one.status for one in report.items}


def test_a_webhook_that_does_not_reach_us(beginning):
    """Fails, with what to do; the rest is fine."""
    beginning.complete()
    found = by_id(beginning.verify())

    assert {name for name, status in found.items() if status in ("fail", "unknown")} == {"webhook.answered"}
    assert found["webhook.address"] == "pass"
    assert found["github.permissions"] == "pass"
    assert found["settings.accounts"] == "pass"


def test_a_webhook_that_reaches_us(beginning):
    """It is sent again when none came so far, and counts by its signature."""
    beginning.complete()
    [app] = beginning.world.apps.values()
    again = len(beginning.world.hooks.redelivered)
    beginning.verify()
    assert len(beginning.world.hooks.redelivered) == again + 1
    headers = {
        "X-GitHub-Event": "ping",
        "X-GitHub-Delivery": "g",
        "X-Hub-Signature-256": signature(app.webhook_secret, b"{}"),
    }
    assert beginning.client.post("/webhook", data=b"{}", headers=headers).status_code == 200
    report = beginning.verify()

    assert report.is_fine
    assert by_id(report)["webhook.answered"] == "pass"


def test_permissions_that_an_owner_took_away(beginning):
    """Before anybody serves."""
    beginning.complete()
    [app] = beginning.world.apps.values()
    app.permissions["checks"] = "read"
    assert by_id(beginning.verify())["github.permissions"] == "fail"
