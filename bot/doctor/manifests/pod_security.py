"""What a pod of Kubernetes may do to its node and to others: for each requirement what does not meet it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from bot.doctor.manifests import commands, containers
from bot.doctor.manifests.checklist import Findings
from bot.doctor.manifests.containers import mapping, mappings
from bot.doctor.manifests.workloads import Container, Object, Workload, of_kind, shown

_PROFILES = ("RuntimeDefault", "Localhost")
_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")
_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SELINUX = frozenset({"container_t", "container_init_t", "container_kvm_t", "container_engine_t"})
"""The types that the baseline of Kubernetes' Pod Security Standards allows."""


def judge(objects: Sequence[Object], found: Sequence[Workload]) -> Findings:
    """Every requirement about single containers and pods."""
    judged: Findings = {
        name: [f"{one.name}, container {part.name}: {why}" for one in found for part in one.containers if (why := check(one, part))]
        for name, check in _CONTAINERS.items()
    }  # fmt: skip
    judged |= {
        name: [f"{one.name}: {why}" for one in found for why in check(one)] for name, check in _PODS.items()
    }  # fmt: skip
    judged["security.host-paths"] = [
        *(judged["security.host-paths"] or ()),
        *(
            f"{shown(one)}: hostPath {mapping(one, 'spec', 'hostPath').get('path')}"
            for one in of_kind(objects, "PersistentVolume")
            if mapping(one, "spec", "hostPath")
        ),
    ]
    return judged


def _security(one: Workload, part: Container, key: str) -> Any:
    """A field that the container's securityContext may say, or else the pod's."""
    own = mapping(part.spec, "securityContext")
    return own[key] if key in own else mapping(one.pod, "securityContext").get(key)


def _root(one: Workload, part: Container) -> str:
    user = _security(one, part, "runAsUser")
    if user is None:
        return "" if _security(one, part, "runAsNonRoot") is True else "securityContext.runAsNonRoot is not true"
    return "" if isinstance(user, int) and user > 0 else f"securityContext.runAsUser is {user}"


def _privileged(one: Workload, part: Container) -> str:
    if mapping(part.spec, "securityContext").get("privileged"):
        return "securityContext.privileged is true"
    options = _security(one, part, "windowsOptions")
    return "securityContext.windowsOptions.hostProcess is true" if mapping(options).get("hostProcess") else ""


def _writable(_one: Workload, part: Container) -> str:
    is_set = mapping(part.spec, "securityContext").get("readOnlyRootFilesystem") is True
    return "" if is_set else "securityContext.readOnlyRootFilesystem is not true"


def _capabilities(_one: Workload, part: Container) -> str:
    said = mapping(part.spec, "securityContext", "capabilities")
    added = {name.upper().removeprefix("CAP_") for name in containers.listed(said.get("add"))} - {"NET_BIND_SERVICE"}
    if added:
        return f"securityContext.capabilities.add has {', '.join(sorted(added))}"
    is_dropped = "ALL" in containers.listed(said.get("drop"))
    return "" if is_dropped else "securityContext.capabilities.drop does not contain ALL"


def _escalation(_one: Workload, part: Container) -> str:
    is_set = mapping(part.spec, "securityContext").get("allowPrivilegeEscalation") is False
    return "" if is_set else "securityContext.allowPrivilegeEscalation is not false"


def _seccomp(one: Workload, part: Container) -> str:
    kind = mapping(_security(one, part, "seccompProfile")).get("type")
    return "" if kind in _PROFILES else f"securityContext.seccompProfile.type is {kind or 'not set'}"


def _confined(one: Workload, part: Container) -> str:
    old = str(one.annotations.get(f"{_APPARMOR}{part.name}", ""))
    if old == "unconfined" or mapping(_security(one, part, "appArmorProfile")).get("type") == "Unconfined":
        return "its AppArmor profile is Unconfined"
    options = mapping(_security(one, part, "seLinuxOptions"))
    kind = str(options.get("type") or "")
    return f"securityContext.seLinuxOptions.type is {kind}" if kind and kind not in _SELINUX else ""


def _masked(_one: Workload, part: Container) -> str:
    kind = mapping(part.spec, "securityContext").get("procMount", "Default")
    return "" if kind == "Default" else f"securityContext.procMount is {kind}"


def _image(_one: Workload, part: Container) -> str:
    image = str(part.spec.get("image") or "")
    return "" if containers.is_pinned(image) else f"the image {image or '(none)'} is not pinned"


def _host_ports(_one: Workload, part: Container) -> str:
    taken = [str(one["hostPort"]) for one in mappings(part.spec.get("ports")) if one.get("hostPort")]
    return f"ports.hostPort is {', '.join(taken)}" if taken else ""


def _resources(one: Workload, part: Container) -> str:
    most, asked = (
        {
            name
            for spec in (one.pod, part.spec)
            for name, value in mapping(spec, "resources", key).items()
            if _is_some(value)
        }
        for key in ("limits", "requests")
    )
    lacking = [f"requests.{name}" for name in ("cpu", "memory") if name not in asked | most]  # a limit is its request
    lacking += [] if "memory" in most else ["limits.memory"]
    return f"no resources.{', resources.'.join(lacking)}" if lacking else ""


def _is_some(quantity: Any) -> bool:
    return str(quantity or "0").strip().rstrip("mkKMGTPEi") not in ("", "0", "0.0")


def _logs(_one: Workload, part: Container) -> str:
    return "a shell redirects its output" if commands.loses_logs(part.command) else ""


_CONTAINERS: Final[Mapping[str, Callable[[Workload, Container], str]]] = {
    "security.non-root": _root,
    "security.privileged": _privileged,
    "security.read-only-root": _writable,
    "security.capabilities": _capabilities,
    "security.privilege-escalation": _escalation,
    "security.seccomp": _seccomp,
    "security.confinement": _confined,
    "security.proc-mount": _masked,
    "security.host-ports": _host_ports,
    "security.image": _image,
    "reliability.resources": _resources,
    "observability.logs": _logs,
}
"""What every container must meet, also one that only prepares the pod."""


def _host_namespaces(one: Workload) -> Iterator[str]:
    yield from (f"{key} is true" for key in _NAMESPACES if one.pod.get(key))


def _host_paths(one: Workload) -> Iterator[str]:
    for volume in mappings(one.pod.get("volumes")):
        if "hostPath" in volume:
            yield f"volume {volume.get('name')}: hostPath {mapping(volume, 'hostPath').get('path')}"


def _shared(one: Workload) -> Iterator[str]:
    if one.pod.get("shareProcessNamespace"):
        yield "shareProcessNamespace is true"


def _sysctls(one: Workload) -> Iterator[str]:
    names = [str(said.get("name")) for said in mappings(mapping(one.pod, "securityContext").get("sysctls"))]
    yield from (f"securityContext.sysctls sets {name}" for name in names if name not in containers.SAFE_SYSCTLS)


_PODS: Final[Mapping[str, Callable[[Workload], Iterator[str]]]] = {
    "security.host-namespaces": _host_namespaces,
    "security.host-paths": _host_paths,
    "security.shared-processes": _shared,
    "security.sysctls": _sysctls,
}
"""What every pod must meet."""
