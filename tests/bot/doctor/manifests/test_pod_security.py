"""A container is judged by what would run: its own word, else the pod's, else Kubernetes' default."""

import pytest

from bot.doctor.manifests import pod_security
from bot.doctor.manifests.workloads import workloads


def found(name, part=None, **pod):
    """What one item says about a pod."""
    one = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", **(part or {})}], **pod}}
    return [text.rpartition(": ")[2] for text in pod_security.judge([one], workloads([one]))[name]]


def context(**said):
    """A container's securityContext."""
    return {"securityContext": said}


@pytest.mark.parametrize(
    ("name", "part", "pod", "said"),
    [
        ("security.non-root", {}, {}, ["securityContext.runAsNonRoot is not true"]),
        ("security.non-root", context(runAsNonRoot=True), {}, []),
        ("security.non-root", {}, {"securityContext": {"runAsUser": 10001}}, []),
        ("security.non-root", context(runAsNonRoot=False), {"securityContext": {"runAsUser": 10001}}, []),
        ("security.non-root", context(runAsUser=0, runAsNonRoot=True), {}, ["securityContext.runAsUser is 0"]),
        ("security.non-root", context(runAsUser="10001"), {}, ["securityContext.runAsUser is 10001"]),
        ("security.privileged", context(windowsOptions={"hostProcess": True}), {}, ["securityContext.windowsOptions.hostProcess is true"]),
        ("security.capabilities", context(capabilities={"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}), {}, []),
        ("security.capabilities", context(capabilities={"add": ["CAP_SYS_ADMIN"]}), {}, ["securityContext.capabilities.add has SYS_ADMIN"]),
        ("security.capabilities", context(capabilities={"drop": ["NET_RAW"]}), {}, ["securityContext.capabilities.drop does not contain ALL"]),
        ("security.seccomp", {}, {}, ["securityContext.seccompProfile.type is not set"]),
        ("security.seccomp", {}, {"securityContext": {"seccompProfile": {"type": "Localhost"}}}, []),
        ("security.confinement", {}, {"securityContext": {"seLinuxOptions": {"type": "container_t"}}}, []),
        ("security.proc-mount", context(procMount="Default"), {}, []),
        ("security.sysctls", {}, {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_syncookies"}]}}, []),
        ("security.host-namespaces", {}, {"hostNetwork": False}, []),
        ("security.host-ports", {"ports": [{"containerPort": 1, "hostPort": 0}]}, {}, []),
        ("reliability.resources", {"resources": {"limits": {"cpu": 1, "memory": "1Gi"}}}, {}, []),
        ("reliability.resources", {"resources": {"requests": {"cpu": "100m", "memory": "1Gi"}}}, {}, ["no resources.limits.memory"]),
        ("reliability.resources", {"resources": {"limits": {"memory": "0Mi"}}}, {}, ["no resources.requests.cpu, resources.requests.memory, resources.limits.memory"]),
        ("reliability.resources", {}, {"resources": {"limits": {"cpu": 1, "memory": "1Gi"}}}, []),
        ("observability.logs", {"command": ["sh", "-c", "serve 2>/dev/null"]}, {}, ["a shell redirects its output"]),
    ],
)  # fmt: skip
def test_one_container(name, part, pod, said):
    """Both levels, and what is left out."""
    assert found(name, part, **pod) == said


def test_the_old_annotation_of_apparmor():
    """It still counts."""
    one = {
        "kind": "Pod",
        "metadata": {"name": "p", "annotations": {"container.apparmor.security.beta.kubernetes.io/a": "unconfined"}},
        "spec": {"containers": [{"name": "a"}]},
    }
    assert pod_security.judge([one], workloads([one]))["security.confinement"] == [
        "pod/p, container a: its AppArmor profile is Unconfined"
    ]


def test_a_volume_of_the_node():
    """Also by way of a PersistentVolume."""
    one = {"kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {"hostPath": {"path": "/data"}}}
    assert pod_security.judge([one], ())["security.host-paths"] == ["persistentvolume/v: hostPath /data"]
