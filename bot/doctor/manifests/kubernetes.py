"""The checklist over Kubernetes objects: what a pod may do to its node and to others, and every other requirement by its module."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from bot.doctor.manifests import access, availability_checks, command_lines, containers, keeping, probes, traffic
from bot.doctor.manifests.checklist import Findings
from bot.doctor.manifests.containers import listed, mapping, mappings
from bot.doctor.manifests.workloads import Container, Object, Workload, of_kind, settled, shown, workloads

_PROFILES = ("RuntimeDefault", "Localhost")
_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")
_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"  # The annotation of before Kubernetes 1.30.
# The types that the baseline of Kubernetes' Pod Security Standards allows.
_SELINUX = frozenset({"container_t", "container_init_t", "container_kvm_t", "container_engine_t"})
ContainerCheck = Callable[[Workload, Container], str]
"""The reason that a container does not meet a requirement; "" where it does."""


def judge(objects: Sequence[Object]) -> Findings:
    """Every requirement over these objects, which are one deployment: what does not meet it, as clauses that name the object."""
    together = settled(objects)
    found = workloads(together)
    judged = judge_pods(together, found)
    for part in (access, traffic, probes, keeping, availability_checks):
        judged |= part.judge(together, found)
    return judged


def judge_pods(objects: Sequence[Object], found: Sequence[Workload]) -> Findings:
    """Every requirement about single containers and pods."""
    judged: Findings = {
        name: [
            f"{workload.name}, container {part.name}: {why}"
            for workload in found
            for part in workload.containers
            if (why := check(workload, part))
        ]
        for name, check in _CONTAINERS.items()
    }
    return judged | {
        "security.host-namespaces": [
            f"{workload.name}: {key} is true" for workload in found for key in _NAMESPACES if workload.pod.get(key)
        ],
        "security.host-paths": list(_host_paths(objects, found)),
        "security.shared-processes": [
            f"{workload.name}: shareProcessNamespace is true"
            for workload in found
            if workload.pod.get("shareProcessNamespace")
        ],
        "security.sysctls": [
            f"{workload.name}: securityContext.sysctls sets {name}"
            for workload in found
            for said in mappings(mapping(workload.pod, "securityContext").get("sysctls"))
            if (name := str(said.get("name"))) not in containers.SAFE_SYSCTLS
        ],
    }


def _security(workload: Workload, part: Container, key: str) -> Any:
    """A field that the container's securityContext may say, or else the pod's."""
    own = mapping(part.spec, "securityContext")
    return own[key] if key in own else mapping(workload.pod, "securityContext").get(key)


def _must_be(key: str, *, value: bool) -> ContainerCheck:
    # Only the container's own securityContext has these fields.
    wrong = f"securityContext.{key} is not {str(value).lower()}"
    return lambda _one, part: "" if mapping(part.spec, "securityContext").get(key) is value else wrong


def _root(workload: Workload, part: Container) -> str:
    user = _security(workload, part, "runAsUser")
    if user is None:
        return "" if _security(workload, part, "runAsNonRoot") is True else "securityContext.runAsNonRoot is not true"
    return "" if isinstance(user, int) and user > 0 else f"securityContext.runAsUser is {user}"


def _privileged(workload: Workload, part: Container) -> str:
    if mapping(part.spec, "securityContext").get("privileged"):
        return "securityContext.privileged is true"
    options = mapping(_security(workload, part, "windowsOptions"))
    return "securityContext.windowsOptions.hostProcess is true" if options.get("hostProcess") else ""


def _capabilities(_one: Workload, part: Container) -> str:
    said = mapping(part.spec, "securityContext", "capabilities")
    if added := containers.added_capabilities(said.get("add")):
        return f"securityContext.capabilities.add has {added}"
    return "" if "ALL" in listed(said.get("drop")) else "securityContext.capabilities.drop does not contain ALL"


def _seccomp(workload: Workload, part: Container) -> str:
    kind = mapping(_security(workload, part, "seccompProfile")).get("type")
    return "" if kind in _PROFILES else f"securityContext.seccompProfile.type is {kind or 'not set'}"


def _confined(workload: Workload, part: Container) -> str:
    old = str(workload.annotations.get(f"{_APPARMOR}{part.name}", ""))
    if old == "unconfined" or mapping(_security(workload, part, "appArmorProfile")).get("type") == "Unconfined":
        return "its AppArmor profile is Unconfined"
    kind = str(mapping(_security(workload, part, "seLinuxOptions")).get("type") or "")
    return f"securityContext.seLinuxOptions.type is {kind}" if kind and kind not in _SELINUX else ""


def _masked(_one: Workload, part: Container) -> str:
    kind = mapping(part.spec, "securityContext").get("procMount", "Default")
    return "" if kind == "Default" else f"securityContext.procMount is {kind}"


def _host_ports(_one: Workload, part: Container) -> str:
    taken = [str(port["hostPort"]) for port in mappings(part.spec.get("ports")) if port.get("hostPort")]
    return f"ports.hostPort is {', '.join(taken)}" if taken else ""


def _resources(workload: Workload, part: Container) -> str:
    most, asked = (
        {
            name
            for spec in (workload.pod, part.spec)  # A pod may have limits for all of its containers.
            for name, value in mapping(spec, "resources", key).items()
            # A quantity such as 0Mi limits nothing.
            if str(value or "0").strip().rstrip("mkKMGTPEi") not in ("", "0", "0.0")
        }
        for key in ("limits", "requests")
    )
    lacking = [f"requests.{name}" for name in ("cpu", "memory") if name not in asked | most]  # A limit is its request
    lacking += [] if "memory" in most else ["limits.memory"]
    return f"no resources.{', resources.'.join(lacking)}" if lacking else ""


# The checks of every container, init containers included.
_CONTAINERS: Final[Mapping[str, ContainerCheck]] = {
    "security.non-root": _root,
    "security.privileged": _privileged,
    "security.read-only-root": _must_be("readOnlyRootFilesystem", value=True),
    "security.capabilities": _capabilities,
    "security.privilege-escalation": _must_be("allowPrivilegeEscalation", value=False),
    "security.seccomp": _seccomp,
    "security.confinement": _confined,
    "security.proc-mount": _masked,
    "security.host-ports": _host_ports,
    "security.image": lambda _one, part: containers.unpinned(part.spec.get("image")),
    "reliability.resources": _resources,
    "observability.logs": lambda _one, part: (
        "a shell redirects its output" if command_lines.loses_logs(part.command) else ""
    ),
}


def _host_paths(objects: Sequence[Object], found: Sequence[Workload]) -> Iterator[str]:
    for workload in found:
        for volume in mappings(workload.pod.get("volumes")):
            if "hostPath" in volume:
                yield (
                    f"{workload.name}: volume {volume.get('name')}: hostPath {mapping(volume, 'hostPath').get('path')}"
                )
    for kept in of_kind(objects, "PersistentVolume"):
        if path := mapping(kept, "spec", "hostPath"):
            yield f"{shown(kept)}: hostPath {path.get('path')}"
