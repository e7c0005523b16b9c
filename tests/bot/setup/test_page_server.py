"""The pages are served on a real socket until the operator finishes."""

import threading

import pytest
import requests

from bot import clock
from bot.demo.github.webhooks import signature
from bot.server import listening
from bot.setup import page_server

pytestmark = pytest.mark.slow


@pytest.mark.slow
def test_the_pages_are_served_until_finished(beginning):
    beginning.complete()
    listener = listening.listener("127.0.0.1", 0)
    beginning.registrar.page_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    said, found = [], []
    thread = threading.Thread(
        target=lambda: found.append(
            page_server.run(beginning.registrar, listener, clock.now, said.append, browser=False)
        )
    )
    thread.start()
    while not said:
        thread.join(0.05)
    address = next(word for word in said[0].split() if word.startswith("http"))
    with requests.Session() as browser:
        browser.trust_env = False
        assert "Step 5 of 5" in browser.get(address, timeout=60).text
        assert browser.post(f"{beginning.registrar.page_url}/finish", timeout=60).status_code == 200
    thread.join(20)

    assert not thread.is_alive()
    assert found[0].items


def by_id(report):
    """Statuses."""
    return {item.id: item.status for item in report.items}


def test_a_webhook_that_does_not_reach_us_fails_alone(beginning):
    beginning.complete()
    found = by_id(beginning.verify())

    assert {name for name, status in found.items() if status in ("fail", "unknown")} == {"webhook.answered"}
    assert found["webhook.address"] == "pass"
    assert found["github.permissions"] == "pass"
    assert found["settings.accounts"] == "pass"


def test_a_webhook_that_reaches_us_counts_by_its_signature(beginning):
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


def test_permissions_that_an_owner_took_away_fail(beginning):
    beginning.complete()
    [app] = beginning.world.apps.values()
    app.permissions["checks"] = "read"
    assert by_id(beginning.verify())["github.permissions"] == "fail"
