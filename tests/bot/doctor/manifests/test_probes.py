"""A probe is held against where the container listens; workers without a port need none."""

import pytest

from bot.doctor.manifests import probes
from bot.doctor.manifests.workloads import workloads

ARGS = ["serve", "--host", "0.0.0.0", "--port", "8080"]
READY, LIVE = {"httpGet": {"path": "/readyz", "port": 8080}}, {"httpGet": {"path": "/livez", "port": 8080}}


def found(*others, name="reliability.probes", **part):
    """What one item says of a Deployment of ours with that container."""
    one = {
        "name": "a",
        "image": "countersign:1.2.3",
        "args": ARGS,
        "readinessProbe": READY,
        "livenessProbe": LIVE,
        **part,
    }
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [one]}}
    objects = [{"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": template}}, *others]
    said = probes.judge(objects, workloads(objects))[name]
    return said if said is None else [text.partition("container a: ")[2] or text for text in said]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({}, []),
        ({"args": ["serve", "--role", "worker"], "readinessProbe": None, "livenessProbe": None}, None),
        ({"args": ["serve", "--role", "worker", "--port", "8080"]}, ["readinessProbe: Countersign listens on 127.0.0.1 alone, where no probe reaches it (--host 0.0.0.0)", "livenessProbe: Countersign listens on 127.0.0.1 alone, where no probe reaches it (--host 0.0.0.0)"]),
        ({"args": []}, []),
        ({"readinessProbe": {}}, ["no readinessProbe"]),
        ({"readinessProbe": {"httpGet": {"port": 8080}}}, ["readinessProbe: httpGet.path is /, not /readyz"]),
        ({"readinessProbe": {"httpGet": {"path": "/livez", "port": 8080}}}, ["readinessProbe: httpGet.path is /livez, not /readyz"]),
        ({"readinessProbe": {"httpGet": {"path": "/readyz?x=1", "port": "8080"}}}, []),
        ({"readinessProbe": {"httpGet": {"path": "/readyz", "port": 8080, "scheme": "HTTPS"}}}, ["readinessProbe: httpGet.scheme is HTTPS, which Countersign does not speak"]),
        ({"readinessProbe": {"exec": {"command": ["curl", "-f", "http://127.0.0.1:8080/readyz"]}}}, []),
        ({"livenessProbe": {"tcpSocket": {"port": 8080}}}, ["livenessProbe: tcpSocket does not request /livez"]),
        ({"livenessProbe": {"grpc": {"port": 8080}}}, ["livenessProbe: grpc does not request /livez"]),
        ({"livenessProbe": {**LIVE, "periodSeconds": 60, "failureThreshold": 60}}, ["livenessProbe: it reacts only after 3600 seconds (periodSeconds × failureThreshold)"]),
        ({"startupProbe": {"tcpSocket": {"port": 9}}}, ["startupProbe: tcpSocket.port is 9, where nothing listens"]),
        ({"startupProbe": {"exec": {"command": ["true"]}}}, []),
    ],
)  # fmt: skip
def test_our_probes_have_to_request_our_paths_in_time(part, said):
    assert found(**part) == said


def test_a_foreign_containers_probe_only_has_to_be_able_to_fail():
    foreign = {"image": "postgres:17.2", "args": [], "ports": [{"name": "sql", "containerPort": 5432}]}
    assert (
        found(
            **foreign,
            readinessProbe={"exec": {"command": ["pg_isready"]}},
            livenessProbe={"tcpSocket": {"port": "sql"}},
        )
        == []
    )
    assert found(
        **foreign, readinessProbe={"exec": {"command": ["true"]}}, livenessProbe={"tcpSocket": {"port": 1}}
    ) == [
        "readinessProbe: `true` succeeds whatever the server does",
        "livenessProbe: tcpSocket.port is 1, where nothing listens",
    ]


def test_a_foreign_container_behind_a_service_needs_probes():
    service = {"kind": "Service", "spec": {"selector": {"app": "web"}}}
    foreign = {"image": "x:1.2.3", "readinessProbe": None, "livenessProbe": None}
    assert found(service, **foreign) == ["no readinessProbe", "no livenessProbe"]
    assert found(**foreign) is None


def monitor(kind, selector, endpoints):
    """A monitor."""
    return {"kind": kind, "spec": {"selector": {"matchLabels": selector}, endpoints: [{"port": "http"}]}}


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([], ["deployment/web: nothing collects its metrics"]),
        ([monitor("PodMonitor", {"app": "web"}, "podMetricsEndpoints")], []),
        ([monitor("PodMonitor", {"app": "other"}, "podMetricsEndpoints")], ["deployment/web: nothing collects its metrics"]),
        ([monitor("ServiceMonitor", {"s": "1"}, "endpoints"), {"kind": "Service", "metadata": {"labels": {"s": "1"}}, "spec": {"selector": {"app": "web"}}}], []),
        ([monitor("ServiceMonitor", {"s": "2"}, "endpoints"), {"kind": "Service", "metadata": {"labels": {"s": "1"}}, "spec": {"selector": {"app": "web"}}}], ["deployment/web: nothing collects its metrics"]),
    ],
)  # fmt: skip
def test_a_monitor_has_to_select_the_pods_or_their_service(others, said):
    assert found(*others, name="observability.metrics") == said
