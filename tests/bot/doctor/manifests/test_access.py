"""Rights, tokens and secrets are found where they are given, and not where they only stand."""

import pytest

from bot.doctor.manifests import access
from bot.doctor.manifests.workloads import workloads

POD = {"kind": "Pod", "metadata": {"name": "p", "namespace": "cla"}, "spec": {"containers": [{"name": "a"}]}}


def judge(*objects):
    """The three items over these objects and a pod."""
    every = [POD, *objects]
    return access.judge(every, workloads(every))


def binding(role="r", of="ClusterRole", **subject):
    """A binding for the pod's account."""
    who = {"kind": "ServiceAccount", "name": "default", "namespace": "cla"} | subject
    return {
        "kind": "RoleBinding",
        "metadata": {"name": "b", "namespace": "cla"},
        "subjects": [who],
        "roleRef": {"kind": of, "name": role},
    }


def role(verbs, resources, **said):
    """A ClusterRole with one rule."""
    return {
        "kind": "ClusterRole",
        "metadata": {"name": "r"},
        "rules": [{"apiGroups": [""], "verbs": verbs, "resources": resources}],
        **said,
    }


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (role(["get"], ["configmaps"]), None),
        (role(["get", "list"], ["pods"]), None),
        (role(["list"], ["secrets"]), "the right to read or write Secrets (clusterrole/r: rules[0])"),
        (role(["*"], ["configmaps"]), "rights by a wildcard (clusterrole/r: rules[0])"),
        (role(["get"], ["pods/*"]), "rights by a wildcard (clusterrole/r: rules[0])"),
        (role(["impersonate"], ["users"]), "the right to impersonate (clusterrole/r: rules[0])"),
        (role(["bind"], ["roles"]), "the right to bind (clusterrole/r: rules[0])"),
        (role(["create"], ["pods/exec"]), "the right to use pods/exec (clusterrole/r: rules[0])"),
        (role(["patch"], ["daemonsets"]), "the right to write daemonsets (clusterrole/r: rules[0])"),
        (role([], [], aggregationRule={}), "the role r, which gathers rules from other roles"),
        (
            {"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": [{"nonResourceURLs": ["*"], "verbs": ["get"]}]},
            "rights by a wildcard (clusterrole/r: rules[0])",
        ),
    ],
)
def test_rules_that_take_over_a_cluster_or_read_secrets_are_found(rule, said):
    expected = [] if said is None else [f"rolebinding/b: gives serviceaccount/cla/default {said}"]
    assert judge(rule, binding())["security.rbac"] == expected
    assert judge(rule)["security.rbac"] == []  # no account has the role


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (binding("admin"), ["rolebinding/b: gives serviceaccount/cla/default the role admin"]),
        (binding("view"), []),
        (binding("other", "Role"), ["rolebinding/b: gives serviceaccount/cla/default the role other, whose rules are not in these manifests"]),
        (binding("cluster-admin", kind="User", name="ada"), []),  # a person
        (binding("cluster-admin", kind="Group", name="system:authenticated"), ["rolebinding/b: gives group system:authenticated the role cluster-admin"]),
        (binding("edit", namespace=None), ["rolebinding/b: gives serviceaccount/cla/default the role edit"]),
    ],
)  # fmt: skip
def test_strong_roles_bound_to_pods_or_to_all_are_found(given, said):
    assert judge(given)["security.rbac"] == said


def test_the_service_account_may_refuse_the_token_unless_the_pod_takes_it():
    account = {
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": "cla"},
        "automountServiceAccountToken": False,
    }
    other = {**account, "metadata": {"name": "default", "namespace": "other"}}
    said = ["pod/p: automountServiceAccountToken is not false"]

    assert judge()["security.service-account-token"] == said
    assert judge(account)["security.service-account-token"] == []
    assert judge(other)["security.service-account-token"] == said
    own = {**POD, "spec": {**POD["spec"], "automountServiceAccountToken": True}}
    assert access.judge([own, account], workloads([own]))["security.service-account-token"] == said


def test_a_token_for_another_audience_passes():
    """Such a token opens nothing in the cluster."""
    source = {"serviceAccountToken": {"path": "t", "audience": "vault"}}
    pod = {
        **POD,
        "spec": {"automountServiceAccountToken": False, "volumes": [{"name": "v", "projected": {"sources": [source]}}]},
    }
    assert access.judge([pod], workloads([pod]))["security.service-account-token"] == []
    source["serviceAccountToken"].pop("audience")
    assert access.judge([pod], workloads([pod]))["security.service-account-token"] == [
        "pod/p: volume v projects a token for the cluster"
    ]


def test_secrets_are_found_in_every_place_unless_sealed_or_empty():
    part = {
        "name": "a",
        "env": [{"name": "X", "value": "-----BEGIN PRIVATE KEY-----"}, {"name": "PASSWORD", "valueFrom": {}}],
        "lifecycle": {"preStop": {"exec": {"command": ["stop", "--token=x"]}}},
    }
    objects = [
        {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [part]}},
        {"kind": "Secret", "metadata": {"name": "s"}, "stringData": {"pem": "x", "none": ""}, "data": {"sealed": "ENC[AES256_GCM,x]"}},
        {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"DATABASE_PASSWORD": "x"}, "binaryData": {"k": "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t", "odd": "!"}},
    ]  # fmt: skip
    assert access.judge(objects, workloads(objects))["security.secrets"] == [
        "pod/p, container a: the manifest contains the value of X (env)",
        "pod/p, container a: --token stands in its command",
        "configmap/c: DATABASE_PASSWORD is a secret",
        "configmap/c: k (a private key) is a secret",
        "secret/s: the manifest contains the value of pem",
    ]
