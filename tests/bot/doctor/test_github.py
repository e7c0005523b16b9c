"""GitHub is asked what it thinks of us; each answer of it makes one item fall."""

from datetime import UTC, datetime, timedelta

import pytest

from agreements.github_server import github_server
from bot.demo.github.faults import Fault
from bot.doctor import github
from bot.github.client.server_features import ServerFeatures
from tests.bot.demo.github import github_deeds
from tests.bot.demo.github.github_deeds import FOREVER
from tests.conftest import free_port


def test_an_unreachable_github_is_asked_nothing_else(deployed):
    gone = f"http://127.0.0.1:{free_port()}/api/v3"
    assert deployed.item("github.reachable", GITHUB_API_URL=gone)[0] == "fail"
    assert deployed.item("github.clock", GITHUB_API_URL=gone)[0] == "unknown"


@pytest.mark.parametrize(("off", "said"), [(timedelta(minutes=5), "ahead of"), (-timedelta(minutes=5), "behind")])
def test_a_wrong_clock_is_told_by_its_difference(deployed, off, said):
    """No key is needed to see the difference."""
    deployed.at = off
    status, message = deployed.item("github.clock")
    assert status == "fail"
    assert said in message
    assert any(f"{seconds} seconds" in message for seconds in range(296, 305))


def test_the_key_of_another_app_is_told_as_github_says_it(deployed, app_keys):
    status, _ = deployed.item("github.app", APP_ID="4711")
    assert status == "fail"


def test_missing_permissions_are_told_by_name_and_level(deployed):
    deployed.app.permissions["checks"] = "read"
    del deployed.app.permissions["merge_queues"]
    assert deployed.item("github.permissions") == (
        "fail",
        "The App does not ask for checks: write, merge_queues: read.",
    )
    assert deployed.item("github.grants") == ("fail", "cann has not granted checks: write, merge_queues: read.")


def test_more_permissions_than_needed_pass(deployed):
    deployed.app.permissions["contents"] = "write"
    assert deployed.item("github.permissions")[0] == "pass"


@pytest.mark.slow
def test_no_installation_or_a_suspended_one_fails(deployed):
    deployed.world.suspend(deployed.installation, deployed.boss)
    assert deployed.item("github.grants") == ("fail", "cann has suspended the App.")
    github_deeds.uninstall(deployed.world, deployed.installation, deployed.boss)
    assert deployed.item("github.grants") == ("fail", "The App is not installed anywhere.")


@pytest.mark.slow
def test_an_installation_on_a_persons_account_needs_no_members_permission(deployed):
    del deployed.app.permissions["members"]
    assert deployed.item("github.grants") == ("fail", "cann has not granted members: read.")
    github_deeds.uninstall(deployed.world, deployed.installation, deployed.boss)
    deployed.world.install(deployed.app, deployed.boss, deployed.boss)
    assert deployed.item("github.grants")[0] == "pass"
    del deployed.app.permissions["checks"]
    assert deployed.item("github.grants") == ("fail", "boss has not granted checks: write.")


def test_missing_events_are_told_by_name(deployed):
    deployed.app.events.remove("merge_group")
    assert deployed.item("github.events") == ("fail", "The App is not subscribed to merge_group.")


def test_an_odd_installation_is_told_by_its_number(deployed):
    assert deployed.item("github.installations")[0] == "pass"
    deployed.world.faults.add(
        Fault(path="/app/installations$", times=FOREVER, status=200, headers={"Content-Type": "application/json"},
              body=b'[{"id": 12, "account": null, "permissions": {}}]')
    )  # fmt: skip
    assert deployed.item("github.installations") == (
        "fail",
        "GitHub lists what cannot be used: the installation 12 has no account.",
    )


@pytest.mark.parametrize(
    ("version", "tells", "status", "said"),
    [
        ("3.14.2", True, "pass", "GitHub is Enterprise Server 3.14.2. It has no documented merge_group webhooks ("),
        ("3.22.0", True, "pass", "GitHub is Enterprise Server 3.22.0."),
        ("3.10.4", True, "fail", "GitHub is Enterprise Server 3.10.4. It has no merge queues ("),
        ("3.14.2", False, "not-applicable", "127.0.0.1 does not say which version of GitHub Enterprise Server it is"),
    ],
)
def test_the_version_of_an_enterprise_server_is_told_with_its_lacks(deployed, version, tells, status, said):
    deployed.world.enterprise, deployed.world.tells_version = version, tells
    found, message = deployed.item("github.version")
    assert found == status
    assert message.startswith(said)
    assert ("Versions before 3.14 are not supported." in message) is (status == "fail")
    assert ("activity logs" in message) is (version == "3.10.4")


@pytest.mark.slow
def test_permissions_and_events_that_the_server_lacks_are_not_asked_of_the_app(deployed):
    deployed.world.enterprise = "3.10.4"
    del deployed.app.permissions["merge_queues"]
    deployed.app.events.remove("merge_group")
    assert [deployed.item(name)[0] for name in ("github.permissions", "github.grants", "github.events")] == ["pass"] * 3
    deployed.world.enterprise = "3.14.2"
    assert [deployed.item(name)[0] for name in ("github.permissions", "github.grants", "github.events")] == [
        "fail",
        "fail",
        "pass",
    ]


@pytest.mark.parametrize("host", ["github.com", "octo.ghe.com"])
def test_github_com_and_ghe_com_need_no_version(host):
    found = github._version(ServerFeatures(), github_server(host))
    assert (found.status, found.message) == (
        "pass",
        f"GitHub is {host}, which has no versions: it has all that Countersign uses.",
    )


def test_the_end_of_an_api_version_is_told_before_it_comes(deployed):
    deployed.world.sunsets["2022-11-28"] = datetime(2099, 3, 10, tzinfo=UTC)
    status, message = deployed.item("github.api-version")
    assert (status, "Tue, 10 Mar 2099" in message) == ("fail", True)
    deployed.world.sunsets["2022-11-28"] = datetime(2020, 3, 10, tzinfo=UTC)
    status, message = deployed.item("github.reachable")
    assert (status, "GitHub may have ended the version of its REST API" in message) == ("fail", True)
