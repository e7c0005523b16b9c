"""GitHub says whether client id and secret are right, without a sign-in; any other answer of it is doubt."""

import pytest

from bot.demo.github.faults import Fault
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.doctor import client_secret
from bot.secret import Secret
from bot.settings import Settings
from tests.bot.demo.github.github_deeds import FOREVER
from tests.conftest import free_port


@pytest.mark.slow
def test_the_right_client_secret_passes_and_a_wrong_one_fails(deployed):
    assert deployed.item("github.client-secret") == ("pass", "GitHub accepts the client id and the client secret.")
    assert deployed.item("github.client-secret", CLIENT_SECRET="x") == (
        "fail",
        "GitHub refuses the client secret of COUNTERSIGN_CLIENT_SECRET.",
    )
    status, message = deployed.item("github.client-secret", CLIENT_ID="Iv1.other")
    assert (status, f"has the client id {deployed.app.client_id}" in message) == ("fail", True)
    assert deployed.item("github.client-secret", CLIENT_SECRET="")[0] == "fail"


def test_without_the_app_only_client_id_and_secret_are_judged(deployed):
    assert deployed.item("github.client-secret", PRIVATE_KEY="")[0] == "pass"
    assert deployed.item("github.client-secret", PRIVATE_KEY="", CLIENT_SECRET="x")[1].endswith(", or the client id.")
    status, message = deployed.item("github.client-secret", PRIVATE_KEY="", CLIENT_ID="Iv1.other")
    assert (status, message) == ("fail", "GitHub knows no App with the client id of COUNTERSIGN_CLIENT_ID.")


@pytest.mark.parametrize(
    ("status", "body", "found"),
    [
        (200, b'{"error": "application_suspended"}', "fail"),
        (200, b'{"error": "something_new"}', "unknown"),
        (200, b"<html>", "unknown"),
        (200, b'["bad_verification_code"]', "unknown"),
        (502, b'{"error": "bad_verification_code"}', "unknown"),
    ],
)
def test_only_githubs_error_for_a_bad_code_is_a_pass(tmp_path, status, body, found):
    world = SimulatedGitHub(tmp_path / "git")
    world.faults.add(Fault(path="/login/oauth/access_token$", times=FOREVER, status=status, body=body, headers={}))
    with SimulatedGitHubServer(world) as server:
        settings = Settings(github_url=server.url, client_id="Iv1.a", client_secret=Secret("s3cret"))
        [item] = client_secret.judge(settings, None)
    assert item.status == found
    assert "s3cret" not in item.message


def test_an_unreachable_github_leaves_the_secret_unknown():
    settings = Settings(github_url=f"http://127.0.0.1:{free_port()}", client_id="Iv1.a", client_secret=Secret("s"))
    [found] = client_secret.judge(settings, None)
    assert found.status == "unknown"
