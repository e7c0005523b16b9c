"""The checklist over Kubernetes objects: for each requirement what does not meet it, as clauses that name the object."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from bot.doctor.manifests import containers
from bot.doctor.manifests.checklist import BACKUPS_KEY, Findings
from bot.doctor.manifests.containers import mapping
from bot.doctor.manifests.workloads import Container, Object, Workload, name_of, of_kind, selects, workloads

_MONITORS = ("ServiceMonitor", "PodMonitor")
_PROFILES = ("RuntimeDefault", "Localhost")


def judge(objects: Sequence[Object]) -> Findings:
    """Every requirement over these objects, which are one deployment."""
    found = workloads(objects)
    replicated = [one for one in found if _is_replicated(one)]
    judged: Findings = {
        name: [f"{one.name}, container {part.name}: {why}" for one in found for part in one.containers if (why := check(one, part))]
        for name, check in _CONTAINERS.items()
    }  # fmt: skip
    judged |= {
        name: [f"{one.name}: {why}" for one in replicated if (why := check(one, objects))] if replicated else None
        for name, check in _REPLICATED.items()
    }
    return judged | {name: check(objects, found) for name, check in _DEPLOYMENT.items()}


def _security(one: Workload, part: Container, key: str) -> Any:
    """A field that the container's securityContext may say, or else the pod's."""
    own = mapping(part.spec, "securityContext")
    return own[key] if key in own else mapping(one.pod, "securityContext").get(key)


def _root(one: Workload, part: Container) -> str:
    if _security(one, part, "runAsUser") == 0:
        return "runAsUser is 0"
    return "" if _security(one, part, "runAsNonRoot") is True else "runAsNonRoot is not true"


def _writable(_one: Workload, part: Container) -> str:
    is_set = mapping(part.spec, "securityContext").get("readOnlyRootFilesystem") is True
    return "" if is_set else "readOnlyRootFilesystem is not true"


def _capabilities(_one: Workload, part: Container) -> str:
    said = mapping(part.spec, "securityContext", "capabilities")
    if "ALL" not in (said.get("drop") or ()):
        return "capabilities do not drop ALL"
    added = sorted(set(said.get("add") or ()) - {"NET_BIND_SERVICE"})
    return f"capabilities add {', '.join(added)}" if added else ""


def _escalation(_one: Workload, part: Container) -> str:
    said = mapping(part.spec, "securityContext")
    if said.get("privileged"):
        return "privileged is true"
    return "" if said.get("allowPrivilegeEscalation") is False else "allowPrivilegeEscalation is not false"


def _seccomp(one: Workload, part: Container) -> str:
    profile = _security(one, part, "seccompProfile")
    return "" if mapping(profile).get("type") in _PROFILES else "seccompProfile is not RuntimeDefault"


def _image(_one: Workload, part: Container) -> str:
    image = str(part.spec.get("image", ""))
    return "" if containers.is_pinned(image) else f"the image {image or '(none)'} is not pinned"


def _resources(_one: Workload, part: Container) -> str:
    asked, most = mapping(part.spec, "resources", "requests"), mapping(part.spec, "resources", "limits")
    lacking = [f"requests.{name}" for name in ("cpu", "memory") if not asked.get(name)]
    lacking += [] if most.get("memory") else ["limits.memory"]
    return f"no {', '.join(lacking)}" if lacking else ""


def _logs(_one: Workload, part: Container) -> str:
    return "a shell redirects its output" if containers.loses_logs(part.command) else ""


_CONTAINERS: Final[Mapping[str, Callable[[Workload, Container], str]]] = {
    "security.non-root": _root,
    "security.read-only-root": _writable,
    "security.capabilities": _capabilities,
    "security.privilege-escalation": _escalation,
    "security.seccomp": _seccomp,
    "security.image": _image,
    "reliability.resources": _resources,
    "observability.logs": _logs,
}
"""What every container must meet, also one that only prepares the pod."""


def _secrets(objects: Sequence[Object], found: Sequence[Workload]) -> list[str]:
    plain = [
        f"{one.name}, container {part.name}: the manifest contains the value of {name}"
        for one in found
        for part in one.containers
        for name, value in part.variables.items()
        if value and containers.is_secret(name, value)
    ]
    plain += [
        f"configmap/{name_of(one)}: {name} is a secret"
        for one in of_kind(objects, "ConfigMap")
        for name, value in mapping(one, "data").items()
        if containers.is_secret(name, str(value))
    ]
    return plain + [
        f"secret/{name_of(one)}: the manifest contains the value of {name}"
        for one in of_kind(objects, "Secret")
        for name, value in {**mapping(one, "data"), **mapping(one, "stringData")}.items()
        if value
    ]


def _tokens(objects: Sequence[Object], found: Sequence[Workload]) -> list[str]:
    without = {
        name_of(one) for one in of_kind(objects, "ServiceAccount") if one.get("automountServiceAccountToken") is False
    }
    return [
        f"{one.name}: automountServiceAccountToken is not false"
        for one in found
        if one.pod.get("automountServiceAccountToken", one.pod.get("serviceAccountName") not in without) is not False
    ]


def _policies(objects: Sequence[Object], found: Sequence[Workload]) -> list[str]:
    policies = [mapping(one, "spec") for one in of_kind(objects, "NetworkPolicy")]
    lacking = []
    for one in found:
        kinds: set[str] = set()
        for policy in policies:
            if selects(mapping(policy, "podSelector"), one.labels):
                kinds |= set(
                    policy.get("policyTypes") or ({"Ingress", "Egress"} if "egress" in policy else {"Ingress"})
                )
        lacking += [
            f"{one.name}: no NetworkPolicy limits its {way.lower()}"
            for way in ("Ingress", "Egress")
            if way not in kinds
        ]
    return lacking  # fmt: skip


def _is_replicated(one: Workload) -> bool:
    """What an upgrade or a lost node must not end: Deployments, and what else runs more than once."""
    return one.kind == "Deployment" or (one.is_lasting and one.kind != "DaemonSet" and one.replicas > 1)


def _replicas(one: Workload, objects: Sequence[Object]) -> str:
    scalers = [mapping(scaler, "spec") for scaler in of_kind(objects, "HorizontalPodAutoscaler", "ScaledObject")]
    targets = [
        mapping(scaler, "scaleTargetRef")
        for scaler in scalers
        if (scaler.get("minReplicas") or scaler.get("minReplicaCount") or 0) >= 2
    ]
    is_scaled = one.name in {f"{target.get('kind', '')}/{target.get('name', '')}".lower() for target in targets}
    return "" if one.replicas >= 2 or is_scaled else f"{one.replicas} replica"


def _affinity(one: Workload, _objects: Sequence[Object]) -> str:
    kinds = ("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution")
    is_set = any(mapping(one.pod, "affinity", "podAntiAffinity").get(kind) for kind in kinds)
    return "" if is_set else "no podAntiAffinity"


def _spread(one: Workload, _objects: Sequence[Object]) -> str:
    return "" if one.pod.get("topologySpreadConstraints") else "no topologySpreadConstraints"


def _budget(one: Workload, objects: Sequence[Object]) -> str:
    budgets = [mapping(budget, "spec") for budget in of_kind(objects, "PodDisruptionBudget")]
    whole = [budget for budget in budgets if "minAvailable" in budget or "maxUnavailable" in budget]
    is_selected = any(selects(mapping(budget, "selector"), one.labels) for budget in whole)
    return "" if is_selected else "no PodDisruptionBudget selects it"


_REPLICATED: Final[Mapping[str, Callable[[Workload, Sequence[Object]], str]]] = {
    "reliability.replicas": _replicas,
    "reliability.anti-affinity": _affinity,
    "reliability.topology-spread": _spread,
    "reliability.disruption-budget": _budget,
}
"""What everything that is replicated must meet."""


def _serving(objects: Sequence[Object], found: Sequence[Workload]) -> Iterator[tuple[Workload, Container]]:
    """What takes requests: it names a port, or a Service leads to it."""
    services = [mapping(one, "spec", "selector") for one in of_kind(objects, "Service")]
    for one in found:
        if not one.is_lasting:
            continue
        own = [part for part in one.containers if part.spec.get("ports")]
        is_behind = any(selector and selects({"matchLabels": selector}, one.labels) for selector in services)
        yield from ((one, part) for part in own or (one.containers[-1:] if is_behind else ()))


def _probes(objects: Sequence[Object], found: Sequence[Workload]) -> list[str] | None:
    judged = list(_serving(objects, found))
    lacking = [
        f"{one.name}, container {part.name}: no {probe}"
        for one, part in judged
        for probe in ("readinessProbe", "livenessProbe")
        if not mapping(part.spec, probe)
    ]
    return lacking if judged else None


def _metrics(objects: Sequence[Object], found: Sequence[Workload]) -> list[str]:
    if of_kind(objects, *_MONITORS):
        return []
    judged = {one.name: one for one, _ in _serving(objects, found)} or {
        one.name: one for one in found if one.is_lasting
    }
    return [
        f"{one.name}: nothing collects its metrics"
        for one in judged.values()
        if str(one.annotations.get("prometheus.io/scrape")).lower() != "true"
    ]  # fmt: skip


def _tracing(_objects: Sequence[Object], found: Sequence[Workload]) -> list[str] | None:
    judged = [(one, part) for one in found if one.is_lasting for part in one.containers if _is_ours(part)]
    lacking = [
        f"{one.name}, container {part.name}: no OTEL_EXPORTER_OTLP_ENDPOINT"
        for one, part in judged
        if not containers.is_tracing(part.variables)
    ]
    return lacking if judged else None  # fmt: skip


def _is_ours(part: Container) -> bool:
    return any(name.startswith("COUNTERSIGN_") for name in part.variables) or "countersign" in str(
        part.spec.get("image")
    )


def _backups(_objects: Sequence[Object], found: Sequence[Workload]) -> list[str]:
    scheduled = (part for one in found if one.kind == "CronJob" for part in one.containers)
    if any(containers.makes_backups(part.command) for part in scheduled):
        return []
    return [] if any(one.annotations.get(BACKUPS_KEY) for one in found) else ["nothing makes backups of the database"]


_DEPLOYMENT: Final[Mapping[str, Callable[[Sequence[Object], Sequence[Workload]], list[str] | None]]] = {
    "security.secrets": _secrets,
    "security.service-account-token": _tokens,
    "security.network-policy": _policies,
    "reliability.probes": _probes,
    "reliability.backups": _backups,
    "observability.metrics": _metrics,
    "observability.tracing": _tracing,
}
"""What the objects must meet together."""
