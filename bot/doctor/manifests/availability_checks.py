"""Whether Kubernetes manifests keep Countersign running while a pod, a node or a zone is gone, and have a place of their own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from bot.doctor.manifests.checklist import Findings
from bot.doctor.manifests.containers import mapping, mappings
from bot.doctor.manifests.keeping import sqlite_file
from bot.doctor.manifests.workloads import Object, Workload, is_scaled, of_kind, scalers, selects, shown, target_of

_SHARED: Final = frozenset({"", "default", "kube-system", "kube-public", "kube-node-lease"})  # Every cluster has these.
_ANTI_AFFINITY: Final = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def judge(objects: Sequence[Object], found: Sequence[Workload]) -> Findings:
    """Every requirement about running on."""
    replicated = [workload for workload in found if _is_replicated(workload)]
    judged: Findings = {
        name: [f"{workload.name}: {why}" for workload in replicated if (why := check(workload, objects))]
        if replicated
        else None
        for name, check in _REPLICATED.items()
    }
    scaled = [f"{shown(scaler)}: {why}" for scaler in scalers(objects) for why in _scaling(scaler, found)]
    return judged | {
        "reliability.autoscaling": scaled if scalers(objects) else None,
        "security.namespace": [
            f"{workload.name}: "
            f"{f'its namespace is {workload.namespace}' if workload.namespace else 'no namespace is set'}"
            for workload in found
            if workload.is_lasting and workload.namespace in _SHARED
        ],
    }


def _is_replicated(workload: Workload) -> bool:
    if any(sqlite_file(part) for part in workload.containers):  # Of SQLite there is one process, and nothing to spread.
        return False
    return workload.kind == "Deployment" or (
        workload.is_lasting and workload.kind != "DaemonSet" and (workload.is_ours or workload.replicas > 1)
    )


def _least(scaler: Object) -> int:
    spec = mapping(scaler, "spec")
    # Without a minimum KEDA's ScaledObject goes down to zero pods, a HorizontalPodAutoscaler to one.
    least = spec.get("minReplicas", spec.get("minReplicaCount", 0 if scaler.get("kind") == "ScaledObject" else 1))
    return least if isinstance(least, int) else 1


def _idle(scaler: Object) -> int:
    idle = mapping(scaler, "spec").get("idleReplicaCount")  # KEDA's, of what runs while no trigger is active.
    return idle if isinstance(idle, int) else _least(scaler)


def _pods(workload: Workload, objects: Sequence[Object]) -> int:
    scaler = next((scaler for scaler in scalers(objects) if is_scaled(workload, scaler)), None)
    # Zero switches a HorizontalPodAutoscaler off; KEDA scales up from it.
    if scaler is None or (workload.replicas == 0 and scaler.get("kind") == "HorizontalPodAutoscaler"):
        return workload.replicas
    return _idle(scaler)


def _replicas(workload: Workload, objects: Sequence[Object]) -> str:
    if mapping(workload.object, "spec").get("paused"):
        return "spec.paused is true, so no pod is made"
    count = _pods(workload, objects)
    return "" if count >= 2 else f"{count} replica{'' if count == 1 else 's'}"


def _scaling(scaler: Object, found: Sequence[Workload]) -> Iterator[str]:
    spec = mapping(scaler, "spec")
    most, least = spec.get("maxReplicas", spec.get("maxReplicaCount")), _least(scaler)
    if isinstance(most, int) and most < least:
        yield f"maxReplicas {most} is less than minReplicas {least}"
    elif most == least == _idle(scaler):
        yield f"minReplicas and maxReplicas are both {most}, so it never scales"
    if not any(is_scaled(workload, scaler) for workload in found):
        yield f"{target_of(scaler)}, its scaleTargetRef, is not among these manifests"


def _affinity(workload: Workload, _objects: Sequence[Object]) -> str:
    said = mapping(workload.pod, "affinity", "podAntiAffinity")
    # A preferred term stands inside another, beside its weight.
    terms = [term.get("podAffinityTerm", term) for kind in _ANTI_AFFINITY for term in mappings(said.get(kind))]
    if not terms:
        return "no podAntiAffinity"
    own = [term for term in terms if _counts(term, workload) and mapping({"term": term}, "term").get("topologyKey")]
    return "" if own else "its podAntiAffinity selects none of its own pods"


def _spread(workload: Workload, _objects: Sequence[Object]) -> str:
    said = list(mappings(workload.pod.get("topologySpreadConstraints")))
    if not said:
        return "no topologySpreadConstraints"
    is_counted = any(_counts(term, workload) for term in said)
    return "" if is_counted else "its topologySpreadConstraints select none of its own pods"


def _counts(term: Any, workload: Workload) -> bool:
    selector = term.get("labelSelector") if isinstance(term, dict) else None
    return isinstance(selector, dict) and selects(selector, workload.labels)  # Without a selector it means none.


def _budget(workload: Workload, objects: Sequence[Object]) -> str:
    # Without a selector a PodDisruptionBudget selects no pod, with an empty one every pod.
    own = [
        budget
        for budget in of_kind(objects, "PodDisruptionBudget")
        if isinstance(mapping(budget, "spec").get("selector"), dict) and workload.is_chosen(budget, "spec", "selector")
    ]
    if not own:
        return "no PodDisruptionBudget selects it"
    return next(
        (f"{shown(budget)}: {why}" for budget in own if (why := _allowed(budget, _pods(workload, objects)))), ""
    )


def _allowed(budget: Object, pods: int) -> str:
    spec = mapping(budget, "spec")
    if "minAvailable" not in spec and "maxUnavailable" not in spec:
        return "neither minAvailable nor maxUnavailable is set"
    key = "minAvailable" if "minAvailable" in spec else "maxUnavailable"
    count = _count(spec[key], pods)
    if count is None:
        return f"{key} is {spec[key]}, which is no number"
    kept = count if key == "minAvailable" else pods - count
    if kept <= 0:
        return f"{key} is {spec[key]}, so all {pods} pods may stop at once"
    return f"{key} is {spec[key]}, so no node with one of its {pods} pods can be upgraded" if kept >= pods > 1 else ""


def _count(said: Any, pods: int) -> int | None:
    text = str(said)
    if text.endswith("%") and text[:-1].isdecimal():
        return -(-pods * int(text[:-1]) // 100)  # Rounded up, as Kubernetes does.
    return int(text) if text.isdecimal() else None


# The checks of each workload with replicas.
_REPLICATED: Final[Mapping[str, Callable[[Workload, Sequence[Object]], str]]] = {
    "reliability.replicas": _replicas,
    "reliability.anti-affinity": _affinity,
    "reliability.topology-spread": _spread,
    "reliability.disruption-budget": _budget,
}
