"""A probe is held against where the container listens; workers without a port need none."""

import pytest

from bot.doctor.manifests import probes
from bot.doctor.manifests.workloads import workloads

ARGS = ["serve", "--host", "0.0.0.0", "--port", "8080"]
READY, LIVE = {"httpGet": {"path": "/readyz", "port": 8080}}, {"httpGet": {"path": "/livez", "port": 8080}}


def found(*others, name="reliability.probes", **part):
    """What one item says of a Deployment of ours with that container."""
    container = {
        "name": "a",
        "image": "countersign:1.2.3",
        "args": ARGS,
        "readinessProbe": READY,
        "livenessProbe": LIVE,
        **part,
    }
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
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


def in_namespace(name, *objects):
    """The objects in that namespace."""
    return [{**item, "metadata": {**item.get("metadata", {}), "namespace": name}} for item in objects]


def said_of_two(*others):
    """What is said of metrics and traces of a Deployment in the namespace a; its namesake in b has both."""
    pods = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "countersign"}]}}
    asked = {**pods, "metadata": {"labels": {"app": "web"}, "annotations": {"prometheus.io/scrape": "true"}}}
    traced = {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": "http://x"}
    asked["spec"] = {"containers": [{"name": "c", "image": "countersign", "env": [traced]}]}
    web = {"kind": "Deployment", "metadata": {"name": "web"}}
    objects = [
        *in_namespace("a", {**web, "spec": {"template": pods}}),
        *in_namespace("b", {**web, "spec": {"template": asked}}),
        *others,
    ]
    judged = probes.judge(objects, workloads(objects))
    return judged["observability.metrics"], judged["observability.tracing"]


def test_namesakes_in_two_namespaces_do_not_hide_each_other():
    assert said_of_two() == (
        ["deployment/web: nothing collects its metrics"],
        ["deployment/web, container c: no OTEL_EXPORTER_OTLP_ENDPOINT"],
    )


SERVICE = {"kind": "Service", "metadata": {"labels": {"s": "1"}}, "spec": {"selector": {"app": "web"}}}
POD_MONITOR = monitor("PodMonitor", {"app": "web"}, "podMetricsEndpoints")
SERVICE_MONITOR = monitor("ServiceMonitor", {"s": "1"}, "endpoints")


def choosing(chosen):
    """The monitor of pods with that selector of namespaces."""
    return {**POD_MONITOR, "spec": {**POD_MONITOR["spec"], "namespaceSelector": chosen}}


@pytest.mark.parametrize(
    ("others", "is_collected"),
    [
        (in_namespace("a", POD_MONITOR), True),
        (in_namespace("b", POD_MONITOR), False),
        (in_namespace("m", choosing({"matchNames": ["b", "a"]})), True),
        (in_namespace("m", choosing({"matchNames": ["b"]})), False),
        (in_namespace("m", choosing({"any": True})), True),
        (in_namespace("a", SERVICE, SERVICE_MONITOR), True),
        (in_namespace("b", SERVICE, SERVICE_MONITOR), False),
        (in_namespace("a", SERVICE_MONITOR) + in_namespace("b", SERVICE), False),
    ],
)
def test_a_monitor_looks_into_its_own_namespace_or_those_that_it_names(others, is_collected):
    assert (said_of_two(*others)[0] == []) is is_collected
