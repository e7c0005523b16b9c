"""One way to break each item of the checklist in a manifest that has it: what a hurried edit would do."""

import copy


def pods(objects):
    """The spec of every pod that these objects make."""
    for one in objects:
        spec = one.get("spec") or {}
        template = (spec.get("jobTemplate") or {}).get("spec", {}).get("template") or spec.get("template")
        if one["kind"] == "Pod":
            yield spec
        elif one["kind"] in ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"):
            yield template["spec"]


def first(objects, kind="Deployment"):
    """The first container of the first object of that kind."""
    return next(pods([one for one in objects if one["kind"] == kind]))["containers"][0]


def without(objects, *kinds):
    """Take the objects of these kinds away."""
    objects[:] = [one for one in objects if one["kind"] not in kinds]


def annotations(objects, name):
    """Take an annotation away, wherever it stands."""
    for one in objects:
        template = (one.get("spec") or {}).get("template") or {}
        for place in (one, template):
            ((place.get("metadata") or {}).get("annotations") or {}).pop(name, None)


def all_pods(key):
    """Take a key from every pod's spec."""
    return lambda objects: [pod.pop(key, None) for pod in pods(objects)]


def no_metrics(objects):
    """Neither a monitor nor an annotation."""
    without(objects, "ServiceMonitor", "PodMonitor")
    annotations(objects, "prometheus.io/scrape")


def no_tracing(objects):
    """Nobody says where traces go."""
    for one in objects:
        if one["kind"] == "ConfigMap":
            one["data"] = {name: value for name, value in (one.get("data") or {}).items() if "OTEL" not in name}
    for pod in pods(objects):
        for part in pod["containers"]:
            part["env"] = [one for one in part.get("env", []) if "OTEL" not in one["name"]]


def no_backups(objects):
    """No job makes them, and nobody says who does."""
    objects[:] = [one for one in objects if not (one["kind"] == "CronJob" and "backup" in str(one))]
    annotations(objects, "countersign/backups")


def one_replica(objects):
    """A single pod, and no autoscaler that would make two."""
    without(objects, "HorizontalPodAutoscaler", "ScaledObject")
    next(one for one in objects if one["kind"] == "Deployment")["spec"]["replicas"] = 1


def as_root(objects):
    """The container's word counts more than the pod's."""
    first(objects).setdefault("securityContext", {})["runAsNonRoot"] = False


def no_seccomp(objects):
    """Of the first pod alone."""
    pod = next(pods(objects))
    pod.get("securityContext", {}).pop("seccompProfile", None)
    for part in pod["containers"]:
        part.get("securityContext", {}).pop("seccompProfile", None)


def secret_in_the_manifest(objects):
    """As it is pasted for a try."""
    first(objects).setdefault("env", []).append({"name": "COUNTERSIGN_WEBHOOK_SECRET", "value": "hunter2"})


KUBERNETES = {
    "security.non-root": as_root,
    "security.read-only-root": lambda objects: first(objects)["securityContext"].pop("readOnlyRootFilesystem"),
    "security.capabilities": lambda objects: first(objects)["securityContext"].pop("capabilities"),
    "security.privilege-escalation": lambda objects: first(objects)["securityContext"].pop("allowPrivilegeEscalation"),
    "security.seccomp": no_seccomp,
    "security.network-policy": lambda objects: without(objects, "NetworkPolicy"),
    "security.service-account-token": lambda objects: next(pods(objects)).update(automountServiceAccountToken=True),
    "security.secrets": secret_in_the_manifest,
    "security.image": lambda objects: first(objects).update(image="registry.example.org/countersign:latest"),
    "reliability.probes": lambda objects: [part.pop("livenessProbe", 0) for pod in pods(objects) for part in pod["containers"]],
    "reliability.resources": lambda objects: first(objects)["resources"].pop("limits"),
    "reliability.replicas": one_replica,
    "reliability.anti-affinity": all_pods("affinity"),
    "reliability.topology-spread": all_pods("topologySpreadConstraints"),
    "reliability.disruption-budget": lambda objects: without(objects, "PodDisruptionBudget"),
    "reliability.backups": no_backups,
    "observability.metrics": no_metrics,
    "observability.logs": lambda objects: first(objects).update(command=["sh", "-c", "countersign serve 2>/dev/null"]),
    "observability.tracing": no_tracing,
}  # fmt: skip


def service(document):
    """The first service that serves: by its command, or by the image's own."""
    ours = [one for one in document["services"].values() if "countersign" in str(one.get("image"))]
    return next(one for one in ours if "serve" in str(one.get("command", "serve")))


def no_compose_limits(document):
    """However they were written."""
    for key in ("deploy", "mem_limit", "cpus"):
        service(document).pop(key, None)


def no_compose_metrics(document):
    """No label, and no service that collects."""
    document["services"] = {
        name: one for name, one in document["services"].items() if "prom" not in str(one.get("image"))
    }
    for one in document["services"].values():
        one.pop("labels", None)


def no_compose_backups(document):
    """No service makes them, and nobody says who does."""
    document["services"] = {
        name: one
        for name, one in document["services"].items()
        if "pg_dump" not in str(one.get("command")) and "backup" not in str(one.get("command"))
    }
    for one in document["services"].values():
        one["labels"] = {name: value for name, value in (one.get("labels") or {}).items() if "backups" not in name}


def no_compose_tracing(document):
    """Nobody says where traces go."""
    for one in document["services"].values():
        if isinstance(one.get("environment"), dict):
            one["environment"] = {name: value for name, value in one["environment"].items() if "OTEL" not in name}


COMPOSE = {
    "security.non-root": lambda document: service(document).pop("user"),
    "security.read-only-root": lambda document: service(document).pop("read_only"),
    "security.capabilities": lambda document: service(document).update(cap_add=["NET_ADMIN"]),
    "security.privilege-escalation": lambda document: service(document).pop("security_opt"),
    "security.seccomp": lambda document: service(document)["security_opt"].append("seccomp=unconfined"),
    "security.network-policy": lambda document: service(document).update(network_mode="host"),
    "security.secrets": lambda document: service(document)["environment"].update(COUNTERSIGN_CLIENT_SECRET="hunter2"),
    "security.image": lambda document: service(document).update(image="countersign"),
    "reliability.probes": lambda document: service(document)["healthcheck"].update(disable=True),
    "reliability.resources": no_compose_limits,
    "reliability.restart": lambda document: service(document).update(restart="no"),
    "reliability.backups": no_compose_backups,
    "observability.metrics": no_compose_metrics,
    "observability.logs": lambda document: service(document)["logging"].update(driver="none"),
    "observability.tracing": no_compose_tracing,
}


def broken(documents, how):
    """A copy with that done to it."""
    changed = copy.deepcopy(documents)
    how(changed)
    return changed
