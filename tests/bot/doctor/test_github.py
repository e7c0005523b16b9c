"""GitHub is asked what it thinks of us; each answer of it makes one item fall."""

from datetime import timedelta

import pytest

from tests.conftest import free_port


def test_github_away(deployed):
    """Nothing else is asked then."""
    gone = f"http://127.0.0.1:{free_port()}/api/v3"
    assert deployed.item("github.reachable", GITHUB_API_URL=gone)[0] == "fail"
    assert deployed.item("github.clock", GITHUB_API_URL=gone)[0] == "unknown"


@pytest.mark.parametrize(("off", "said"), [(timedelta(minutes=5), "ahead of"), (-timedelta(minutes=5), "behind")])
def test_a_clock_that_is_wrong(deployed, off, said):
    """By which way and how much; no key is needed to see it."""
    deployed.at = off
    status, message = deployed.item("github.clock")
    assert status == "fail"
    assert said in message
    assert any(f"{seconds} seconds" in message for seconds in range(296, 305))


def test_another_apps_key(deployed, app_keys):
    """Said as GitHub says it."""
    status, _ = deployed.item("github.app", APP_ID="4711")
    assert status == "fail"


def test_permissions_that_are_missing(deployed):
    """By name and level; one that is only read is as good as missing where it is to be written."""
    deployed.app.permissions["checks"] = "read"
    del deployed.app.permissions["merge_queues"]
    assert deployed.item("github.permissions") == (
        "fail",
        "The App does not ask for checks: write, merge_queues: read.",
    )
    assert deployed.item("github.grants") == ("fail", "cann has not granted checks: write, merge_queues: read.")


def test_more_than_needed_does_no_harm(deployed):
    """An operator may grant writing of contents."""
    deployed.app.permissions["contents"] = "write"
    assert deployed.item("github.permissions")[0] == "pass"


def test_installations(deployed):
    """Nowhere, or suspended."""
    deployed.world.suspend(deployed.installation, deployed.boss)
    assert deployed.item("github.grants") == ("fail", "cann has suspended the App.")
    deployed.world.uninstall(deployed.installation, deployed.boss)
    assert deployed.item("github.grants") == ("fail", "The App is not installed anywhere.")


def test_an_installation_on_a_persons_account(deployed):
    """Has no members to grant the reading of; an organisation has."""
    del deployed.app.permissions["members"]
    assert deployed.item("github.grants") == ("fail", "cann has not granted members: read.")
    deployed.world.uninstall(deployed.installation, deployed.boss)
    deployed.world.install(deployed.app, deployed.boss, deployed.boss)
    assert deployed.item("github.grants")[0] == "pass"
    del deployed.app.permissions["checks"]
    assert deployed.item("github.grants") == ("fail", "boss has not granted checks: write.")


def test_events_that_are_missing(deployed):
    """By name."""
    deployed.app.events.remove("merge_group")
    assert deployed.item("github.events") == ("fail", "The App is not subscribed to merge_group.")
