"""The pods of Kubernetes manifests: which objects make some, what runs in them, and which selectors mean them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.doctor.manifests.containers import mapping, mappings, words

Object = Mapping[str, Any]

_TEMPLATES: Final[Mapping[str, tuple[str, ...]]] = {
    "Pod": (),
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
"""Kinds that make pods, and where their pod's template is."""
LASTING: Final = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})
"""Kinds whose pods run until somebody ends them."""


@dataclass(frozen=True, slots=True)
class Container:
    """One container of a pod, with its variables: text, or None where the value comes from elsewhere."""

    name: str
    spec: Object
    variables: Mapping[str, str | None]

    @property
    def command(self) -> list[str]:
        """What it runs instead of the image's own command; empty where the image decides."""
        return words(self.spec.get("command"), self.spec.get("args"))


@dataclass(frozen=True, slots=True)
class Workload:
    """An object that makes pods."""

    object: Object
    pod: Object  # the pod's spec
    labels: Mapping[str, Any]  # of the pod
    annotations: Mapping[str, Any]  # of the pod and of the object
    containers: tuple[Container, ...]

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.object["kind"])

    @property
    def name(self) -> str:
        """Kind and name, as kubectl writes them."""
        return f"{self.kind.lower()}/{name_of(self.object)}"

    @property
    def is_lasting(self) -> bool:
        """Whether its pods run on."""
        return self.kind in LASTING

    @property
    def replicas(self) -> int:
        """How many pods it asks for; 1 where it does not say."""
        asked = mapping(self.object, "spec").get("replicas", 1)
        return asked if isinstance(asked, int) else 1


def name_of(one: Object) -> str:
    """The object's name."""
    return str(mapping(one, "metadata").get("name", ""))


def workloads(objects: Sequence[Object]) -> tuple[Workload, ...]:
    """Every object that makes pods."""
    maps = {name_of(one): mapping(one, "data") for one in objects if one.get("kind") == "ConfigMap"}
    return tuple(_workload(one, maps) for one in objects if one.get("kind") in _TEMPLATES)


def _workload(one: Object, maps: Mapping[str, Object]) -> Workload:
    template = mapping(one, *_TEMPLATES[one["kind"]])  # a Pod is its own
    pod = mapping(template, "spec")
    listed = [*mappings(pod.get("initContainers")), *mappings(pod.get("containers"))]
    return Workload(
        one,
        pod,
        mapping(template, "metadata", "labels"),
        {**mapping(one, "metadata", "annotations"), **mapping(template, "metadata", "annotations")},
        tuple(Container(str(spec.get("name", "?")), spec, _variables(spec, maps)) for spec in listed),
    )


def _variables(spec: Object, maps: Mapping[str, Object]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for source in mappings(spec.get("envFrom")):
        prefix = str(source.get("prefix", ""))
        values = maps.get(str(mapping(source, "configMapRef").get("name", "")), {})
        found |= {f"{prefix}{name}": str(value) for name, value in values.items()}
    for one in mappings(spec.get("env")):
        value = one.get("value")
        found[str(one.get("name", ""))] = str(value) if value is not None else None
        reference = mapping(one, "valueFrom", "configMapKeyRef")
        if reference:
            kept = maps.get(str(reference.get("name")), {}).get(str(reference.get("key")))
            found[str(one.get("name", ""))] = None if kept is None else str(kept)
    return found


def selects(selector: Object, labels: Mapping[str, Any]) -> bool:
    """Whether a label selector (`matchLabels`, `matchExpressions`) means a pod; an empty one means every pod."""
    plain = mapping(selector, "matchLabels")
    if any(labels.get(key) != value for key, value in plain.items()):
        return False
    return all(_holds(one, labels) for one in mappings(selector.get("matchExpressions")))


def _holds(expression: Object, labels: Mapping[str, Any]) -> bool:
    key, values = expression.get("key"), expression.get("values") or ()
    match expression.get("operator"):
        case "In":
            return labels.get(str(key)) in values
        case "NotIn":
            return labels.get(str(key)) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return False


def of_kind(objects: Iterable[Object], *kinds: str) -> list[Object]:
    """The objects of these kinds."""
    return [one for one in objects if one.get("kind") in kinds]
