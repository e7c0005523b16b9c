"""What a good deployment may also look like passes, and what only looks good does not."""

import pytest

from bot.doctor.manifests import documents, kubernetes
from tests.bot.doctor.manifests import breaking
from tests.bot.doctor.manifests.test_assessment import SAMPLE, plain


@pytest.fixture(name="objects")
def _objects():
    """The sample's objects, to be changed."""
    [found] = documents.read(SAMPLE / "kubernetes/base")
    return plain(list(found.objects))


def deployment(objects):
    """The Deployment's spec."""
    return next(one for one in objects if one["kind"] == "Deployment")["spec"]


def test_an_autoscaler_makes_replicas(objects):
    """With two at least."""
    deployment(objects).pop("replicas")
    scaler = {"kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}, "spec": {"minReplicas": 2, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}}  # fmt: skip
    assert kubernetes.judge(objects)["reliability.replicas"] == ["deployment/web: 1 replica"]
    assert kubernetes.judge([*objects, scaler])["reliability.replicas"] == []
    scaler["spec"]["minReplicas"] = 1
    assert kubernetes.judge([*objects, scaler])["reliability.replicas"] == ["deployment/web: 1 replica"]


def test_a_policy_for_one_way_is_half(objects):
    """Without policyTypes a policy limits what goes out only where it says something about that."""
    policy = next(one for one in objects if one["kind"] == "NetworkPolicy")["spec"]
    policy.pop("policyTypes")
    assert kubernetes.judge(objects)["security.network-policy"] == []
    policy.pop("egress")
    assert kubernetes.judge(objects)["security.network-policy"] == [
        "deployment/web: no NetworkPolicy limits its egress",
        "cronjob/backup: no NetworkPolicy limits its egress",
    ]


def test_a_service_account_may_say_it(objects):
    """The pod's own word counts more."""
    pod = next(breaking.pods(objects))
    pod.pop("automountServiceAccountToken")
    pod["serviceAccountName"] = "countersign"
    account = {"kind": "ServiceAccount", "metadata": {"name": "countersign"}, "automountServiceAccountToken": False}
    assert kubernetes.judge(objects)["security.service-account-token"] == [
        "deployment/web: automountServiceAccountToken is not false"
    ]
    assert kubernetes.judge([*objects, account])["security.service-account-token"] == []
    pod["automountServiceAccountToken"] = True
    assert kubernetes.judge([*objects, account])["security.service-account-token"]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"runAsUser": 0}, "runAsUser is 0"),
        ({"runAsNonRoot": None}, "runAsNonRoot is not true"),
    ],
)
def test_root(objects, change, said):
    """By number as well."""
    breaking.first(objects)["securityContext"].update(change)
    assert kubernetes.judge(objects)["security.non-root"] == [f"deployment/web, container countersign: {said}"]


def test_secrets_in_every_place(objects):
    """A Secret, a ConfigMap, a variable."""
    found = [
        {"kind": "Secret", "metadata": {"name": "s"}, "stringData": {"pem": "x"}},
        {"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"DATABASE_PASSWORD": "x"}},
    ]
    assert kubernetes.judge([*objects, *found])["security.secrets"] == [
        "configmap/c: DATABASE_PASSWORD is a secret",
        "secret/s: the manifest contains the value of pem",
    ]


def test_probes_are_asked_of_what_a_service_leads_to(objects):
    """Also when no port is named; a worker needs none."""
    part = breaking.first(objects)
    part.pop("ports")
    part.pop("readinessProbe")
    assert kubernetes.judge(objects)["reliability.probes"] == [
        "deployment/web, container countersign: no readinessProbe"
    ]
    breaking.without(objects, "Service")
    assert kubernetes.judge(objects)["reliability.probes"] is None


def test_capabilities_that_come_back(objects):
    """A port below 1024 is the one reason."""
    part = breaking.first(objects)
    part["securityContext"]["capabilities"]["add"] = ["NET_BIND_SERVICE"]
    assert kubernetes.judge(objects)["security.capabilities"] == []
    part["securityContext"]["capabilities"]["add"] = ["SYS_ADMIN"]
    assert kubernetes.judge(objects)["security.capabilities"] == [
        "deployment/web, container countersign: capabilities add SYS_ADMIN"
    ]
    part["securityContext"]["privileged"] = True
    assert kubernetes.judge(objects)["security.privilege-escalation"] == [
        "deployment/web, container countersign: privileged is true"
    ]


def test_backups_made_elsewhere_are_said(objects):
    """Where a database service makes them."""
    breaking.no_backups(objects)
    assert kubernetes.judge(objects)["reliability.backups"] == ["nothing makes backups of the database"]
    next(one for one in objects if one["kind"] == "Deployment")["metadata"]["annotations"] = {
        "countersign/backups": "Cloud SQL, daily"
    }
    assert kubernetes.judge(objects)["reliability.backups"] == []


def test_monitors_collect(objects):
    """In place of the annotation."""
    breaking.no_metrics(objects)
    assert kubernetes.judge(objects)["observability.metrics"] == ["deployment/web: nothing collects its metrics"]
    assert (
        kubernetes.judge([*objects, {"kind": "PodMonitor", "metadata": {"name": "m"}}])["observability.metrics"] == []
    )


def test_one_database_pod_is_no_replica():
    """A StatefulSet of one is backed up, not spread."""
    one = {
        "kind": "StatefulSet",
        "metadata": {"name": "db"},
        "spec": {"template": {"spec": {"containers": [{"name": "db"}]}}},
    }
    assert kubernetes.judge([one])["reliability.anti-affinity"] is None
    assert kubernetes.judge([{**one, "spec": {**one["spec"], "replicas": 2}}])["reliability.anti-affinity"] == [
        "statefulset/db: no podAntiAffinity"
    ]
