"""The production checklist: each requirement with what it weighs, and what to do where a manifest does not meet it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.doctor.report import Severity

BACKUPS_KEY: Final = "countersign/backups"
"""An annotation (Kubernetes) or label (compose) that says in words where backups are made, when no manifest makes them."""


Findings = dict[str, list[str] | None]
"""By the requirement's id: what does not meet it, none where all does; None where it does not apply."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One item. `said` is what holds when it is met; the remedies are for Kubernetes and compose, "" where it does not apply."""

    severity: Severity
    said: str
    kubernetes: str
    compose: str


CHECKLIST: Final[Mapping[str, Requirement]] = {
    "security.non-root": Requirement(
        "critical",
        "no container runs as root",
        "Set `runAsNonRoot: true` in the securityContext, and do not set `runAsUser: 0`.",
        "Set `user:` to an account that is not root, such as `10001:10001`.",
    ),
    "security.read-only-root": Requirement(
        "high",
        "no container can write to its own file system",
        "Set `readOnlyRootFilesystem: true` in the container's securityContext; mount an emptyDir where it needs to write.",
        "Set `read_only: true`; mount a volume or `tmpfs` where it needs to write.",
    ),
    "security.capabilities": Requirement(
        "high",
        "all Linux capabilities are dropped",
        "Set `capabilities: {drop: [ALL]}` in the container's securityContext; add only NET_BIND_SERVICE, if needed.",
        "Set `cap_drop: [ALL]`; add only NET_BIND_SERVICE, if needed.",
    ),
    "security.privilege-escalation": Requirement(
        "high",
        "no process can gain privileges",
        "Set `allowPrivilegeEscalation: false` in the container's securityContext, and never `privileged: true`.",
        "Set `security_opt: [no-new-privileges:true]`, and never `privileged: true`.",
    ),
    "security.seccomp": Requirement(
        "medium",
        "system calls are filtered by seccomp",
        "Set `seccompProfile: {type: RuntimeDefault}` in the securityContext.",
        "Remove `seccomp:unconfined` from `security_opt`.",
    ),
    "security.network-policy": Requirement(
        "high",
        "traffic is limited to what is needed",
        "Add a NetworkPolicy that selects these pods, with policyTypes Ingress and Egress.",
        "Remove `ports` and `network_mode: host` from the database. Other services reach it by its name.",
    ),
    "security.service-account-token": Requirement(
        "medium",
        "no pod is given a token for the cluster",
        "Set `automountServiceAccountToken: false` in the pod's spec.",
        "",
    ),
    "security.secrets": Requirement(
        "critical",
        "no manifest contains a secret",
        "Read it from a Secret, by `secretKeyRef` or a mounted file (…_FILE). Create the Secret outside these files.",
        "Use a compose `secret` with the setting's …_FILE form, or read the value from the environment: `${NAME:?}`.",
    ),
    "security.image": Requirement(
        "high",
        "every image is pinned",
        "Give the image a version or a digest (`@sha256:…`). `latest`, or no tag, can change at any time.",
        "Give the image a version or a digest (`@sha256:…`). `latest`, or no tag, can change at any time.",
    ),
    "reliability.probes": Requirement(
        "high",
        "everything that serves requests has health probes",
        "Add a readinessProbe on /readyz and a livenessProbe on /livez.",
        "Add a `healthcheck` that requests /readyz.",
    ),
    "reliability.resources": Requirement(
        "high",
        "every container has resource limits",
        "Set `resources` with requests for cpu and memory and a limit for memory.",
        "Set `deploy: {resources: {limits: {memory: …, cpus: …}}}`.",
    ),
    "reliability.replicas": Requirement(
        "medium",
        "one pod can stop without an outage",
        "Set `replicas` to 2 or more, or give the Deployment a HorizontalPodAutoscaler with minReplicas 2 or more.",
        "",
    ),
    "reliability.anti-affinity": Requirement(
        "medium",
        "replicas run on different nodes",
        "Add a podAntiAffinity over kubernetes.io/hostname.",
        "",
    ),
    "reliability.topology-spread": Requirement(
        "medium",
        "replicas are spread over zones or nodes",
        "Add topologySpreadConstraints over topology.kubernetes.io/zone.",
        "",
    ),
    "reliability.disruption-budget": Requirement(
        "medium",
        "replicas keep running while nodes are upgraded",
        "Add a PodDisruptionBudget that selects these pods, with minAvailable or maxUnavailable.",
        "",
    ),
    "reliability.restart": Requirement(
        "medium",
        "a service that stops is restarted",
        "",
        "Set `restart: unless-stopped`.",
    ),
    "reliability.backups": Requirement(
        "high",
        "backups are made",
        "Add a CronJob that runs `countersign backup` or pg_dump, or say where backups are made in an annotation "
        f"`{BACKUPS_KEY}` of the Deployment.",
        f"Add a service that runs `countersign backup` or pg_dump, or say where backups are made in a label `{BACKUPS_KEY}`.",
    ),
    "observability.metrics": Requirement(
        "medium",
        "metrics are collected",
        'Add a ServiceMonitor or PodMonitor, or the annotation `prometheus.io/scrape: "true"` to the pods that serve.',
        'Add Prometheus as a service, or the label `prometheus.io/scrape: "true"` to the service that serves.',
    ),
    "observability.logs": Requirement(
        "medium",
        "structured logs can be collected",
        "Run the command directly. A shell must not redirect or pipe standard error, where Countersign writes JSON lines.",
        "Set `logging:` to a driver that keeps lines, with a size limit (`json-file` with `max-size` and `max-file`, `local`, or a collector's), "
        "and do not redirect standard error in a shell.",
    ),
    "observability.tracing": Requirement(
        "low",
        "traces are sent",
        "Set OTEL_EXPORTER_OTLP_ENDPOINT for Countersign's containers.",
        "Set OTEL_EXPORTER_OTLP_ENDPOINT for Countersign's services.",
    ),
}
"""Every requirement by its id, which begins with its category. The ids are part of the command's interface."""
