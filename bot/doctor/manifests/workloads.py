"""The pods of Kubernetes manifests: which objects make some, what runs in them, and which selectors mean them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from bot.doctor.manifests import containers
from bot.doctor.manifests.command_lines import Listener, listener
from bot.doctor.manifests.containers import listed, mapping, mappings, words

Object = Mapping[str, Any]

_CONTROLLERS: Final = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job")
# Kinds that make pods, and where their pod's template is.
_TEMPLATES: Final[Mapping[str, tuple[str, ...]]] = {
    "Pod": (),
    **dict.fromkeys(_CONTROLLERS, ("spec", "template")),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
_LISTS: Final = ("initContainers", "containers", "ephemeralContainers")
# Volumes of these kinds keep their files when the pod ends.
_LASTING_VOLUMES: Final = frozenset({
    "persistentVolumeClaim", "hostPath", "nfs", "csi", "iscsi", "fc", "cephfs", "rbd", "glusterfs", "azureDisk", "azureFile",
    "gcePersistentDisk", "awsElasticBlockStore", "cinder", "vsphereVolume", "portworxVolume",
})  # fmt: skip
_MAX_DEPTH: Final = 12  # So deep a pod is looked for in an unknown kind.


@dataclass(frozen=True, slots=True)
class Container:
    """A container of a pod: its `name`, `spec` and `variables` (None: from elsewhere); `has_more`, `is_side`: below."""

    name: str
    spec: Object
    variables: Mapping[str, str | None]
    has_more: bool  # Variables come from a Secret, or a ConfigMap that is not here
    is_side: bool  # It prepares the pod, or was added to look at it

    @property
    def command(self) -> list[str]:
        """The command of the container in place of the image's own; empty where the image decides."""
        return words(self.spec.get("command"), self.spec.get("args"))

    @property
    def is_ours(self) -> bool:
        """Whether it runs Countersign."""
        return containers.is_ours(self.spec.get("image"), self.command, self.variables)

    @property
    def listens(self) -> Listener | None:
        """The address where it serves; None where it is not Countersign's server."""
        is_serving = not self.command or "serve" in " ".join(self.command).split()
        return listener(self.command) if self.is_ours and not self.is_side and is_serving else None

    @property
    def ports(self) -> dict[str, int]:
        """The ports that it names, by name or else by number."""
        found = [port for port in mappings(self.spec.get("ports")) if isinstance(port.get("containerPort"), int)]
        return {str(port.get("name") or port["containerPort"]): port["containerPort"] for port in found}

    def port(self, said: Any) -> int | None:
        """The number of a port that is said by number or name; None where it has none of that name."""
        if isinstance(said, int) or str(said).isdecimal():
            return int(said)
        return self.ports.get(str(said))


@dataclass(frozen=True, slots=True)
class Workload:
    """An `object` that makes pods: its `pod`, the `labels` and `annotations` of these, and their `containers`."""

    object: Object
    pod: Object  # The pod's spec
    labels: Mapping[str, Any]  # Of the pod
    annotations: Mapping[str, Any]  # Of the pod and of the object
    containers: tuple[Container, ...]

    @property
    def kind(self) -> str:
        """The object's kind."""
        return str(self.object["kind"])

    @property
    def name(self) -> str:
        """Kind and name, as kubectl writes them."""
        return shown(self.object)

    @property
    def namespace(self) -> str:
        """The object's namespace; "" where it does not say."""
        return namespace_of(self.object)

    @property
    def identity(self) -> tuple[str, str]:
        """Its namespace and its name: another namespace may have one of the same name."""
        return self.namespace, self.name

    @property
    def account(self) -> str:
        """The service account that its pods run as."""
        return str(self.pod.get("serviceAccountName") or self.pod.get("serviceAccount") or "default")

    @property
    def is_lasting(self) -> bool:
        """Whether its pods run on, and do not something once."""
        is_alone = self.kind == "Pod" and self.pod.get("restartPolicy", "Always") == "Always"
        return is_alone or self.kind not in ("Pod", "Job", "CronJob")

    @property
    def replicas(self) -> int:
        """The number of pods that it asks for; 1 where it does not say."""
        asked = mapping(self.object, "spec").get("replicas", 1)
        return asked if isinstance(asked, int) else 1

    @property
    def is_ours(self) -> bool:
        """Whether Countersign runs in its pods."""
        return any(part.is_ours for part in self.containers)

    def keeps(self, part: Container, path: str) -> bool:
        """Whether a file there stays when the pod ends."""
        return self.volume_at(part, path) in self.lasting_volumes

    def volume_at(self, part: Container, path: str) -> str | None:
        """The name of the volume that takes what is written there, the one that is mounted deepest; None for none."""
        mounts = [
            mount
            for mount in mappings(part.spec.get("volumeMounts"))
            if PurePosixPath(path).is_relative_to(str(mount.get("mountPath") or "nowhere"))
        ]
        deepest = max(mounts, key=lambda mount: len(str(mount.get("mountPath"))), default=None)
        return None if deepest is None or deepest.get("readOnly") else str(deepest.get("name"))

    def is_chosen(self, by: Object, *path: str) -> bool:
        """Whether an object in its namespace chooses its pods, by the label selector at that path; by an empty one all."""
        return namespace_of(by) == self.namespace and selects(mapping(by, *path), self.labels)

    def is_behind(self, service: Object) -> bool:
        """Whether that Service leads to its pods; one without a selector leads to none."""
        chosen = mapping(service, "spec", "selector")
        return (
            bool(chosen) and namespace_of(service) == self.namespace and selects({"matchLabels": chosen}, self.labels)
        )

    @property
    def lasting_volumes(self) -> set[str]:
        """The names of its volumes whose files stay when the pod ends."""
        claims = {name_of(claim) for claim in mappings(mapping(self.object, "spec").get("volumeClaimTemplates"))}
        volumes = mappings(self.pod.get("volumes"))
        return claims | {str(volume.get("name")) for volume in volumes if _LASTING_VOLUMES & volume.keys()}

    def has_volume(self, part: Container) -> bool:
        """Whether it can write to any volume that stays."""
        mounts = mappings(part.spec.get("volumeMounts"))
        return any(not mount.get("readOnly") and str(mount.get("name")) in self.lasting_volumes for mount in mounts)


def name_of(manifest: Object) -> str:
    """The object's name."""
    return str(mapping(manifest, "metadata").get("name", ""))


def namespace_of(manifest: Object) -> str:
    """The object's namespace; "" where it does not say."""
    return str(mapping(manifest, "metadata").get("namespace") or "")


def shown(manifest: Object) -> str:
    """Kind and name, as kubectl writes them."""
    return f"{str(manifest.get('kind')).lower()}/{name_of(manifest)}"


def workloads(objects: Sequence[Object]) -> tuple[Workload, ...]:
    """Every object that makes pods, also of an unknown kind."""
    maps = {
        (namespace_of(config_map), name_of(config_map)): mapping(config_map, "data")
        for config_map in of_kind(objects, "ConfigMap")
    }
    return tuple(_workload(item, template, maps) for item in objects for template in _pod_templates(item))


def _pod_templates(manifest: Object) -> Iterator[Object]:
    kind = str(manifest.get("kind"))
    if kind in _TEMPLATES:
        yield mapping(manifest, *_TEMPLATES[kind])  # A Pod is its own
    elif kind != "CustomResourceDefinition":  # Its schema may look like a pod.
        yield from _hidden(mapping(manifest, "spec"), {}, 0)


def _hidden(value: Any, template: Object, depth: int) -> Iterator[Object]:
    """Pods' templates below a value: all mappings that have containers with images."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for child in value:
            yield from _hidden(child, {}, depth + 1)
    elif isinstance(value, dict):
        if any(container.get("image") for container in mappings(value.get("containers"))):
            yield {**template, "spec": value}
        else:
            for child in value.values():
                yield from _hidden(child, value, depth + 1)


def _workload(manifest: Object, template: Object, maps: Mapping[tuple[str, str], Object]) -> Workload:
    pod = mapping(template, "spec")
    space = namespace_of(manifest)
    here = {name: data for (of, name), data in maps.items() if of == space}
    return Workload(
        manifest,
        pod,
        mapping(template, "metadata", "labels"),
        {**mapping(manifest, "metadata", "annotations"), **mapping(template, "metadata", "annotations")},
        tuple(
            Container(
                str(spec.get("name", "?")),
                spec,
                *_variables(spec, here),
                # An init container that is always restarted is a sidecar and runs on (Kubernetes 1.29).
                is_side=key != "containers" and spec.get("restartPolicy") != "Always",
            )
            for key in _LISTS
            for spec in mappings(pod.get(key))
        ),
    )


def _variables(spec: Object, maps: Mapping[str, Object]) -> tuple[dict[str, str | None], bool]:
    found: dict[str, str | None] = {}
    has_more = False
    for source in mappings(spec.get("envFrom")):
        prefix = str(source.get("prefix", ""))
        values = maps.get(str(mapping(source, "configMapRef").get("name", "")))
        has_more |= values is None
        found |= {f"{prefix}{name}": str(value) for name, value in (values or {}).items()}
    for variable in mappings(spec.get("env")):
        value = variable.get("value")
        found[str(variable.get("name", ""))] = str(value) if value is not None else None
        reference = mapping(variable, "valueFrom", "configMapKeyRef")
        if reference:
            kept = maps.get(str(reference.get("name")), {}).get(str(reference.get("key")))
            found[str(variable.get("name", ""))] = None if kept is None else str(kept)
    return found, has_more


def selects(selector: Object, labels: Mapping[str, Any]) -> bool:
    """Whether a label selector (`matchLabels`, `matchExpressions`) means a pod; an empty one means every pod."""
    plain = mapping(selector, "matchLabels")
    if any(labels.get(key) != value for key, value in plain.items()):
        return False
    return all(_holds(expression, labels) for expression in mappings(selector.get("matchExpressions")))


def _holds(expression: Object, labels: Mapping[str, Any]) -> bool:
    key, values = expression.get("key"), listed(expression.get("values"))
    match expression.get("operator"):
        case "In":
            return labels.get(str(key)) in values
        case "NotIn":
            return labels.get(str(key)) not in values  # Also without that label.
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return False


def target_of(scaler: Object) -> str:
    """Kind and name of what an autoscaler scales."""
    said = mapping(scaler, "spec", "scaleTargetRef")
    return f"{said.get('kind', 'Deployment')}/{said.get('name', '')}".lower()  # KEDA's default is a Deployment.


def is_scaled(workload: Workload, scaler: Object) -> bool:
    """Whether that autoscaler decides how many pods there are."""
    return target_of(scaler) == workload.name.lower() and namespace_of(scaler) == workload.namespace


def scalers(objects: Iterable[Object]) -> list[Object]:
    """The autoscalers."""
    return of_kind(objects, "HorizontalPodAutoscaler", "ScaledObject")


def of_kind(objects: Iterable[Object], *kinds: str) -> list[Object]:
    """The objects of these kinds."""
    return [item for item in objects if item.get("kind") in kinds]


def settled(objects: Sequence[Object]) -> tuple[Object, ...]:
    """The objects, those without a namespace in the one that all others name, where that is one alone."""
    named = {space for item in objects if (space := namespace_of(item))}
    if len(named) != 1:
        return tuple(objects)
    [space] = named
    return tuple(
        # These kinds have no namespace.
        item if namespace_of(item) or item.get("kind") in ("Namespace", "ClusterRole", "ClusterRoleBinding")
        else {**item, "metadata": {**mapping(item, "metadata"), "namespace": space}}
        for item in objects
    )  # fmt: skip
