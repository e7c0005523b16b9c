"""Why a webhook is not in our database, by GitHub's own log."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot import clock
from bot.rehearsal import diagnosis
from bot.settings import Secret
from tests.bot.demo.github.conftest import Ear

EVENT = "pull_request"


@pytest.fixture(name="ear")
def _ear(stage):
    """Where GitHub sends webhooks to."""
    made = Ear()
    stage.scene.app.hook_url = made.url
    yield made
    made.close()


def fate(stage, since, event=EVENT, **settings):
    """What GitHub says, by these settings of ours."""
    scene = stage.scene
    scene.world.hooks.drain()
    return diagnosis.examine(scene.hub, replace(scene.settings, **settings), event, scene.ops.id, since)


def sent(stage, ear, status):
    """GitHub sends one that is answered so."""
    ear.status = status
    stage.scene.pull()


def test_none_was_sent(stage, ear):
    """Of that event, of that repository, since then."""
    begun = clock.now()
    found = fate(stage, begun)
    assert (found.said, found.at) == ("GitHub lists no such delivery", None)
    sent(stage, ear, 202)
    assert fate(stage, begun, "issue_comment").at is None
    assert fate(stage, clock.now() + timedelta(minutes=1)).at is None
    scene = stage.scene
    other = diagnosis.examine(scene.hub, scene.settings, EVENT, scene.ops.id + 1, begun)
    assert other.said == "GitHub lists no such delivery"


def test_the_address_is_wrong(stage, ear):
    """What `doctor` finds first is what to do."""
    begun = clock.now()
    sent(stage, ear, 404)
    found = fate(stage, begun)
    assert found.said == "pull_request sent, status 404"
    assert found.remedy.startswith(
        f"GitHub sends webhooks to {ear.url}. Set the webhook URL to https://cla.example.org/webhook"
    )


def test_somebody_in_front_of_our_server_refuses_it(stage, ear):
    """A 401 that is not Countersign's own."""
    begun = clock.now()
    url = ear.url.removesuffix("/webhook")
    sent(stage, ear, 401)
    assert "the App has no webhook secret" in fate(stage, begun, url=url).remedy
    stage.scene.app.webhook_secret = "x" * 20
    found = fate(stage, begun, url=url, webhook_secrets=(Secret("x" * 20),))
    assert found.said == "pull_request sent, status 401"
    assert "but not by Countersign" in found.remedy


def test_another_database_has_it(stage, ear):
    """It was taken, and not by whoever writes into ours."""
    begun = clock.now()
    sent(stage, ear, 202)
    found = fate(stage, begun)
    assert (found.said, found.at is not None) == ("pull_request sent, status 202", True)
    assert "COUNTERSIGN_DATABASE_URL names another database" in found.remedy


def test_an_app_that_is_not_told(stage):
    """It does not subscribe to the event."""
    stage.scene.app.events.remove(EVENT)
    assert "Subscribe the App to the event pull_request" in fate(stage, clock.now()).remedy


@pytest.mark.parametrize(("status", "said"), [(404, "GitHub lists no such delivery"), (502, "GitHub did not say (")])
def test_a_server_without_a_log(stage, status, said):
    """An older GitHub Enterprise Server; a bad moment."""
    stage.scene.weather.faults.append(("GET", "/app/hook/deliveries", status))
    assert fate(stage, clock.now()).said.startswith(said)
