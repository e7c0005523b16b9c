"""Pods are found in every kind that makes some, with the variables that they get, and selectors mean what they say."""

import pytest

from bot.doctor.manifests.workloads import is_scaled, namespace_of, selects, settled, target_of, workloads

POD = {"containers": [{"name": "app", "image": "x:1"}], "initContainers": [{"name": "first"}]}


def made(kind, spec):
    """An object of that kind."""
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "one"}, "spec": spec}


@pytest.mark.parametrize(
    "manifest",
    [
        made("Pod", POD),
        made("Deployment", {"template": {"spec": POD}}),
        made("Job", {"template": {"spec": POD}}),
        made("CronJob", {"jobTemplate": {"spec": {"template": {"spec": POD}}}}),
    ],
    ids=lambda manifest: manifest["kind"],
)
def test_pods_are_found_in_every_kind_with_their_init_containers(manifest):
    [found] = workloads([manifest, made("Service", {})])

    assert [part.name for part in found.containers] == ["first", "app"]
    assert found.name == f"{manifest['kind'].lower()}/one"


def test_variables_come_from_configmaps_and_secrets_have_no_text():
    container = {
        "name": "app",
        "envFrom": [{"configMapRef": {"name": "settings"}, "prefix": "P_"}, {"secretRef": {"name": "x"}}],
        "env": [
            {"name": "A", "value": "1"},
            {"name": "B", "valueFrom": {"secretKeyRef": {"name": "x", "key": "b"}}},
            {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "url"}}},
        ],
    }
    settings = {"kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"url": "u", "number": 1}}
    [found] = workloads([made("Pod", {"containers": [container]}), settings])

    assert found.containers[0].variables == {"P_url": "u", "P_number": "1", "A": "1", "B": None, "C": "u"}


@pytest.mark.parametrize(
    ("selector", "meant"),
    [
        ({}, True),
        ({"matchLabels": {"app": "a"}}, True),
        ({"matchLabels": {"app": "a", "role": "worker"}}, False),
        ({"matchExpressions": [{"key": "role", "operator": "In", "values": ["web", "worker"]}]}, True),
        ({"matchExpressions": [{"key": "role", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "role", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "role", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "role", "operator": "Like"}]}, False),
    ],
)
def test_an_unknown_selector_operator_selects_nothing(selector, meant):
    assert selects(selector, {"app": "a", "role": "web"}) is meant


def test_a_workload_without_a_count_has_one_replica():
    unsaid, three, odd = workloads([made("Deployment", spec) for spec in ({}, {"replicas": 3}, {"replicas": "many"})])

    assert (unsaid.replicas, three.replicas, odd.replicas) == (1, 3, 1)
    assert unsaid.is_lasting
    assert unsaid.containers == ()


def test_pods_of_an_unknown_kind_are_found_by_their_containers():
    pod = {"containers": [{"name": "app", "image": "countersign:1.2.3"}], "serviceAccount": "a"}
    [found] = workloads(
        [made("Rollout", {"strategy": [{"template": {"metadata": {"labels": {"a": "b"}}, "spec": pod}}]})]
    )

    assert (found.name, found.labels, found.account, found.is_lasting, found.is_ours) == (
        "rollout/one",
        {"a": "b"},
        "a",
        True,
        True,
    )
    assert (
        workloads(
            [made("CustomResourceDefinition", {"spec": pod}), made("Prometheus", {"containers": [{"name": "x"}]})]
        )
        == ()
    )


def test_a_single_pod_lasts_unless_it_says_otherwise():
    workload, other = workloads([made("Pod", POD), made("Pod", {**POD, "restartPolicy": "Never"})])
    assert (workload.is_lasting, other.is_lasting) == (True, False)
    assert workload.account == "default"


def test_containers_are_told_by_purpose_and_ports_by_name_and_number():
    part = {
        "name": "web",
        "image": "countersign:1.2.3",
        "ports": [{"name": "http", "containerPort": 8080}, {"containerPort": 9}, {"containerPort": "x"}],
    }
    pod = {
        "initContainers": [
            {"name": "first", "image": "countersign:1.2.3"},
            {"name": "side", "restartPolicy": "Always"},
        ],
        "containers": [part],
    }
    first, side, web = workloads([made("Pod", pod)])[0].containers

    assert [container.is_side for container in (first, side, web)] == [True, False, False]
    assert (first.listens, side.listens, web.listens.port) == (None, None, 8080)
    assert (web.port("http"), web.port("9"), web.port(7), web.port("x")) == (8080, 9, 7, None)


def test_the_only_named_namespace_is_that_of_all():
    named = {**made("Pod", POD), "metadata": {"name": "a", "namespace": "cla"}}
    both = settled([named, made("Service", {}), made("ClusterRole", {})])
    assert [namespace_of(manifest) for manifest in both] == ["cla", "cla", ""]
    other = {**made("Pod", POD), "metadata": {"name": "b", "namespace": "x"}}
    assert [namespace_of(manifest) for manifest in settled([named, other, made("Service", {})])] == ["cla", "x", ""]


def test_the_target_of_an_autoscaler_is_found_by_kind_and_name():
    scaler = made("HorizontalPodAutoscaler", {"scaleTargetRef": {"kind": "Deployment", "name": "one"}})
    [workload] = workloads([made("Deployment", {"template": {"spec": POD}})])
    assert target_of(scaler) == "deployment/one"
    assert is_scaled(workload, scaler)
    assert not is_scaled(workload, made("ScaledObject", {"scaleTargetRef": {"name": "two"}}))
