"""Pods are found in every kind that makes some, with the variables that they get, and selectors mean what they say."""

import pytest

from bot.doctor.manifests.workloads import selects, workloads

POD = {"containers": [{"name": "app", "image": "x:1"}], "initContainers": [{"name": "first"}]}


def made(kind, spec):
    """An object of that kind."""
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "one"}, "spec": spec}


@pytest.mark.parametrize(
    "one",
    [
        made("Pod", POD),
        made("Deployment", {"template": {"spec": POD}}),
        made("Job", {"template": {"spec": POD}}),
        made("CronJob", {"jobTemplate": {"spec": {"template": {"spec": POD}}}}),
    ],
    ids=lambda one: one["kind"],
)
def test_where_pods_are(one):
    """The containers that prepare a pod count, too."""
    [found] = workloads([one, made("Service", {})])

    assert [part.name for part in found.containers] == ["first", "app"]
    assert found.name == f"{one['kind'].lower()}/one"


def test_variables():
    """From a ConfigMap as from the container itself; what comes from a Secret has no text here."""
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
def test_selectors(selector, meant):
    """An operator that there is not selects nothing."""
    assert selects(selector, {"app": "a", "role": "web"}) is meant


def test_replicas():
    """One where nobody says."""
    one, three, odd = workloads([made("Deployment", spec) for spec in ({}, {"replicas": 3}, {"replicas": "many"})])

    assert (one.replicas, three.replicas, odd.replicas) == (1, 3, 1)
    assert one.is_lasting
    assert one.containers == ()
