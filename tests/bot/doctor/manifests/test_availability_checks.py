"""Replicas, budgets and autoscalers are counted as Kubernetes counts them."""

import pytest

from bot.doctor.manifests import availability_checks
from bot.doctor.manifests.workloads import workloads

SETTINGS = [{"name": "COUNTERSIGN_DATABASE_URL_FILE", "value": "/x"}]


def web(kind="Deployment", **spec):
    """A workload of ours on PostgreSQL."""
    pod = {"containers": [{"name": "a", "image": "countersign:1.2.3", "env": SETTINGS}]}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod}
    return {"kind": kind, "metadata": {"name": "web", "namespace": "cla"}, "spec": {"template": template, **spec}}


def other(kind, **spec):
    """Another object beside it."""
    return {"kind": kind, "metadata": {"name": "o", "namespace": "cla"}, "spec": spec}


def found(name, *objects):
    """What one item says."""
    return availability_checks.judge(objects, workloads(objects))[name]


TARGET = {"kind": "Deployment", "name": "web"}


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ([web()], "1 replica"),
        ([web(replicas=0)], "0 replicas"),
        ([web(replicas=2)], ""),
        ([web(replicas=2, paused=True)], "spec.paused is true, so no pod is made"),
        ([web(), other("HorizontalPodAutoscaler", minReplicas=2, maxReplicas=4, scaleTargetRef=TARGET)], ""),
        ([web(replicas=3), other("HorizontalPodAutoscaler", maxReplicas=4, scaleTargetRef=TARGET)], "1 replica"),
        ([web(replicas=3), other("ScaledObject", maxReplicaCount=4, scaleTargetRef={"name": "web"})], "0 replicas"),
        (
            [web(replicas=0), other("HorizontalPodAutoscaler", minReplicas=2, maxReplicas=4, scaleTargetRef=TARGET)],
            "0 replicas",
        ),
        ([web(replicas=0), other("ScaledObject", minReplicaCount=2, scaleTargetRef={"name": "web"})], ""),
        ([web(replicas=0), other("ScaledObject", minReplicaCount=1, scaleTargetRef={"name": "web"})], "1 replica"),
        ([web(replicas=0), other("ScaledObject", scaleTargetRef={"name": "web"})], "0 replicas"),
        (
            [
                web(),
                other("ScaledObject", minReplicaCount=2, idleReplicaCount=0, scaleTargetRef={"name": "web"}),
            ],
            "0 replicas",
        ),
    ],
)
def test_replicas_are_those_of_the_autoscaler_but_none_stays_none(objects, said):
    assert found("reliability.replicas", *objects) == ([f"deployment/web: {said}"] if said else [])


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"minAvailable": 1}, ""),
        ({"minAvailable": "50%"}, ""),
        ({"maxUnavailable": 1}, ""),
        ({"minAvailable": 0}, "minAvailable is 0, so all 3 pods may stop at once"),
        ({"minAvailable": "0%"}, "minAvailable is 0%, so all 3 pods may stop at once"),
        ({"maxUnavailable": 3}, "maxUnavailable is 3, so all 3 pods may stop at once"),
        ({"maxUnavailable": "90%"}, "maxUnavailable is 90%, so all 3 pods may stop at once"),
        ({"maxUnavailable": 0}, "maxUnavailable is 0, so no node with one of its 3 pods can be upgraded"),
        ({"minAvailable": "100%"}, "minAvailable is 100%, so no node with one of its 3 pods can be upgraded"),
        ({"minAvailable": "many"}, "minAvailable is many, which is no number"),
        ({}, "neither minAvailable nor maxUnavailable is set"),
    ],
)
def test_a_disruption_budget_has_to_keep_a_pod_and_to_release_one(spec, said):
    budget = other("PodDisruptionBudget", selector={"matchLabels": {"app": "web"}}, **spec)
    expected = [f"deployment/web: poddisruptionbudget/o: {said}"] if said else []
    assert found("reliability.disruption-budget", web(replicas=3), budget) == expected


@pytest.mark.parametrize("selector", [None, {"matchLabels": {"app": "other"}}])
def test_a_budget_that_selects_no_pod_does_not_count(selector):
    budget = other("PodDisruptionBudget", selector=selector, minAvailable=1)
    assert found("reliability.disruption-budget", web(replicas=3), budget) == [
        "deployment/web: no PodDisruptionBudget selects it"
    ]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"minReplicas": 2, "maxReplicas": 4, "scaleTargetRef": TARGET}, ""),
        ({"minReplicas": 4, "maxReplicas": 2, "scaleTargetRef": TARGET}, "maxReplicas 2 is less than minReplicas 4"),
        (
            {"minReplicas": 2, "maxReplicas": 2, "scaleTargetRef": TARGET},
            "minReplicas and maxReplicas are both 2, so it never scales",
        ),
        (
            {"minReplicas": 2, "maxReplicas": 4, "scaleTargetRef": {"kind": "StatefulSet", "name": "web"}},
            "statefulset/web, its scaleTargetRef, is not among these manifests",
        ),
    ],
)
def test_an_autoscaler_has_to_be_able_to_scale(spec, said):
    expected = [f"horizontalpodautoscaler/o: {said}"] if said else []
    assert found("reliability.autoscaling", web(), other("HorizontalPodAutoscaler", **spec)) == expected
    assert found("reliability.autoscaling", web()) is None


def test_sqlite_needs_no_spreading():
    workload = web()
    workload["spec"]["template"]["spec"]["containers"][0]["env"] = []
    for name in ("replicas", "anti-affinity", "topology-spread", "disruption-budget"):
        assert found(f"reliability.{name}", workload) is None
    assert found("reliability.anti-affinity", {**web("StatefulSet"), "spec": {"template": {"spec": {}}}}) is None
    assert found(
        "reliability.anti-affinity", {**web("StatefulSet"), "spec": {"replicas": 2, "template": {"spec": {}}}}
    ) == ["statefulset/web: no podAntiAffinity"]


def test_a_shared_or_missing_namespace_fails():
    assert found("security.namespace", web()) == []
    assert found("security.namespace", {**web(), "metadata": {"name": "web"}}) == [
        "deployment/web: no namespace is set"
    ]
    shared = {**web(), "metadata": {"name": "web", "namespace": "kube-system"}}
    assert found("security.namespace", shared) == ["deployment/web: its namespace is kube-system"]
