"""/metrics: Prometheus' text, for private addresses that ask directly or with the token."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.github.availability import GitHubState
from bot.monitoring.metrics_endpoint import GitHubNumbers, MetricsEndpoint
from bot.server.asgi import AsgiApplication, not_here
from tests.asgi import Client

TOKEN = "a-token-of-some-length"


def client(token=""):
    """A client of a server that has this page alone."""
    states = (GitHubState("host", None, "healthy"), GitHubState("installation", 7, "open", remaining=4321))
    return Client(AsgiApplication({"/metrics": MetricsEndpoint(token, GitHubNumbers(lambda: states))}, not_here))


def test_each_family_of_metrics_stands_once_in_prometheus_text():
    answer = client().get("/metrics")
    families = list(text_string_to_metric_families(answer.data.decode()))
    names = [family.name for family in families]
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    assert len(names) == len(set(names))
    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }
    assert samples["countersign_github_rate_limit_remaining", (("installation", "7"),)] == 4321
    assert samples["countersign_github_circuit_state", (("installation", "7"), ("scope", "installation"))] == 2
    assert samples["countersign_github_circuit_state", (("installation", ""), ("scope", "host"))] == 0


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("10.2.3.4", {}, 200),
        ("fd00::1", {}, 200),
        ("::ffff:10.0.0.1", {}, 200),
        ("8.8.8.8", {}, 403),
        ("::ffff:8.8.8.8", {}, 403),
        ("127.0.0.1", {"X-Forwarded-For": "10.0.0.1"}, 403),
        ("127.0.0.1", {"Via": "1.1 proxy"}, 403),
        ("unix", {}, 403),
    ],
)
def test_without_a_token_only_direct_private_addresses_may_ask(address, headers, status):
    """A request that came through a proxy may be from anywhere."""
    assert client().get("/metrics", headers=headers, address=address).status_code == status


def test_with_a_token_it_alone_decides():
    asked = client(TOKEN)
    assert asked.get("/metrics", address="8.8.8.8", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert asked.get("/metrics", headers={"Authorization": f"bearer  {TOKEN}"}).status_code == 200
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}, {"Authorization": "Bearer "}):
        answer = asked.get("/metrics", headers=headers)
        assert (answer.status_code, answer.headers["Www-Authenticate"]) == (401, "Bearer")
        assert "countersign_" not in answer.data.decode()


def test_the_metrics_are_only_read():
    assert client().post("/metrics").status_code == 405
    assert client().open("HEAD", "/metrics").data == b""


def samples(*states):
    """(metric, labels) → value."""
    families = GitHubNumbers(lambda: states).collect()
    return {(sample.name.removeprefix("countersign_github_"), *sample.labels.values()): sample.value for family in families for sample in family.samples}  # fmt: skip


def test_each_state_of_a_breaker_is_a_number():
    shown = samples(
        GitHubState("host", None, "failing", cause="ada@huawei.com"),
        GitHubState("app", None, "healthy"),
        GitHubState("installation", 7, "open"),
    )
    assert shown == {
        ("circuit_state", "host", ""): 1,
        ("circuit_state", "app", ""): 0,
        ("circuit_state", "installation", "7"): 2,
    }


def test_the_rest_of_a_limit_is_shown_where_github_said_it():
    shown = samples(
        GitHubState("installation", 7, "healthy", remaining=4999),
        GitHubState("installation", 8, "open", remaining=0),
        GitHubState("installation", 9, "healthy"),
        GitHubState("nobody", None, "healthy", remaining=12),
    )
    left = {name[1]: value for name, value in shown.items() if name[0] == "rate_limit_remaining"}
    assert left == {"7": 4999, "8": 0}
