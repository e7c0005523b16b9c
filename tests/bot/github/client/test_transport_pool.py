"""One hub for many threads, what its errors show, and what finds that an outage is over."""

import json
import threading

import pytest
import responses

from agreements.github_server import GITHUB_COM
from bot.github.connection import connect
from bot.github.ports import HubError, Unreachable
from tests.bot.github.conftest import API, HERE, TOKEN
from tests.bot.github.shapes import SLOW_DOWN

TOKENS = "/app/installations/77/access_tokens"
BAD = {"message": "A JSON web token could not be decoded"}
LATER = "2099-01-01T00:00:00Z"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 500, 502])
def test_no_error_shows_a_token_or_a_person(hub, github, status):
    quoted = {"message": f"bad {TOKEN} of ann@example.org"}
    github.on("GET", "/repos/cann/ops/pulls", quoted, status=status, elsewhere=True)

    with pytest.raises(HubError) as caught:
        hub.open_numbers(HERE)

    error: BaseException | None = caught.value
    assert "\n" not in str(error)
    while error is not None:
        assert TOKEN[:12] not in repr(error)
        assert "ann" not in repr(error)
        error = error.__cause__ or error.__context__


def test_eight_threads_share_one_hub(key):
    minted, server = [], "https://github.example.org:443/api/v3"

    def mint(request):
        minted.append(request.headers["Authorization"])
        return 201, {}, json.dumps({"token": TOKEN, "expires_at": LATER})

    failures = []

    def work(hub):
        try:
            for number in range(5):
                hub.update_comment(HERE, number, "x")
                hub.remove_label(HERE, number, "x")
                hub.open_numbers(HERE)
                hub.add_label(HERE, number, "x")
        except Exception as error:  # noqa: BLE001 - any of them fails the test below
            failures.append(error)

    with responses.RequestsMock() as mock:
        mock.add_callback("POST", server + TOKENS, mint)
        for number in range(5):
            mock.add("PATCH", f"{server}/repos/cann/ops/issues/comments/{number}", json={"id": 1})
            mock.add("DELETE", f"{server}/repos/cann/ops/issues/{number}/labels/x", json=[])
            mock.add("POST", f"{server}/repos/cann/ops/issues/{number}/labels", json=[])
        mock.add("GET", f"{server}/repos/cann/ops/pulls", json=[])
        hub = connect(app_id=7, server=GITHUB_COM, private_key=key, api_url=server, pause=0)
        threads = [threading.Thread(target=work, args=(hub,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert failures == []
    assert len(minted) == 1


def test_a_probe_finds_that_the_outage_is_over(github, key):
    told, at = [], [1000.0]
    hub = connect(app_id=7, server=GITHUB_COM, private_key=key, pause=0, on_recovery=told.append)
    hub._control._monotonic = lambda: at[0]
    github.on("GET", "/repos/cann/ops/pulls", {}, status=502)
    github.on("GET", "/rate_limit", {}, status=502)
    github.on("GET", "/rate_limit", {"resources": {}})
    for _ in range(2):
        with pytest.raises(Unreachable):
            hub.open_numbers(HERE)
    assert [state.condition for state in hub.states()] == ["healthy", "open", "healthy"]
    assert hub.state(77).cause.startswith("GitHub does not answer: 502 to GET /repos/…/…/pulls, since")

    assert hub.probe() == 0
    at[0] += 5
    assert hub.probe() == 1
    assert (hub.probe(), told) == (0, [])
    at[0] += 10
    assert hub.probe() == 1
    assert (hub.probe(), told) == (0, [77])
    assert len(github.sent("GET", "/rate_limit")) == 2
    assert hub.state(77).condition == "healthy"
    hub.close()


def test_an_installation_that_is_gone_needs_no_probe(github, key):
    at = [1000.0]
    hub = connect(app_id=7, server=GITHUB_COM, private_key=key, pause=0)
    hub._control._monotonic = lambda: at[0]
    github.mock.replace("POST", API + TOKENS, json={"token": "ghs_x", "expires_at": "2020-01-01T00:00:00Z"}, status=201)
    github.on("GET", "/repos/cann/ops/pulls", SLOW_DOWN, status=403, headers={"Retry-After": "60"})
    with pytest.raises(Unreachable):
        hub.open_numbers(HERE)
    github.mock.replace("POST", API + TOKENS, json={"message": "Not Found"}, status=404)

    at[0] += 60
    assert (hub.probe(), hub.probe()) == (1, 0)
    hub.close()


def test_a_dead_connection_is_probed_by_any_call_that_may_go(github, key):
    told, at = [], [1000.0]
    hub = connect(app_id=7, server=GITHUB_COM, private_key=key, pause=0, on_recovery=told.append)
    hub._control._monotonic = lambda: at[0]
    github.on("GET", "/repos/cann/ops/pulls", [])
    hub.open_numbers(HERE)
    github.mock.replace("GET", f"{API}/repos/cann/ops/pulls", body=ConnectionError("no route"))
    github.on("GET", "/app", SLOW_DOWN, status=403, headers={"Retry-After": "3600"})
    github.on("GET", "/rate_limit", {"resources": {}})
    for ask in (hub.identity, lambda: hub.open_numbers(HERE), lambda: hub.open_numbers(HERE)):
        with pytest.raises(Unreachable):
            ask()
    assert hub.state().condition == "open"
    assert hub.state(77).scope == "host"

    at[0] += 5
    assert (hub.probe(), hub.probe(), told) == (1, 0, [None])
    hub.close()
