"""The production checklist: each requirement with what it weighs, and what to do where a manifest does not meet it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.doctor.doctor_report import Severity

# An annotation (Kubernetes) or label (compose) that says where backups are made, when no manifest makes them.
BACKUPS_KEY: Final = "countersign/backups"


Findings = dict[str, list[str] | None]
"""By the requirement's id: what does not meet it, none where all does; None where it does not apply."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """An item of a `severity`: `said` holds when it is met; a remedy for `kubernetes`, for `compose`, "" for none."""

    severity: Severity
    said: str
    kubernetes: str
    compose: str


# The ids begin with the category, and are part of the command's interface.
CHECKLIST: Final[Mapping[str, Requirement]] = {
    "security.non-root": Requirement(
        "critical",
        "no container runs as root",
        "Set `runAsNonRoot: true` in the securityContext, and never `runAsUser: 0`.",
        "Set `user:` to an account that is not root, such as `10001:10001`.",
    ),
    "security.privileged": Requirement(
        "critical",
        "no container is privileged",
        "Remove `privileged: true` (and `hostProcess`) from the container's securityContext. Countersign needs no right on the node.",
        "Remove `privileged: true`. Countersign needs no right on the host.",
    ),
    "security.host-namespaces": Requirement(
        "critical",
        "no pod shares the namespaces of its host",
        "Remove `hostNetwork`, `hostPID` and `hostIPC` from the pod's spec.",
        "Remove `network_mode: host`, and `pid`, `ipc`, `uts`, `userns_mode` or `cgroup: host`.",
    ),
    "security.host-paths": Requirement(
        "critical",
        "no pod is given files or sockets of its host",
        "Remove the hostPath volume. Use a PersistentVolumeClaim for data, and nothing for a container engine's socket.",
        "Remove the mount or device. Use a named volume or a folder beside the compose file for data, and nothing for a socket.",
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
    "security.confinement": Requirement(
        "high",
        "AppArmor and SELinux are not switched off",
        "Remove `appArmorProfile: {type: Unconfined}` and `seLinuxOptions` from the securityContext.",
        "Remove `apparmor:unconfined` and `label:disable` from `security_opt`.",
    ),
    "security.proc-mount": Requirement(
        "high",
        "/proc is masked",
        "Remove `procMount` from the container's securityContext.",
        "Remove `systempaths=unconfined` from `security_opt`.",
    ),
    "security.sysctls": Requirement(
        "high",
        "only safe kernel parameters are set",
        "Remove these `sysctls` from the pod's securityContext.",
        "Remove these `sysctls`.",
    ),
    "security.host-ports": Requirement(
        "high",
        "no container takes a port of its node",
        "Remove `hostPort`. A Service leads to the pods.",
        "",  # See security.exposure.
    ),
    "security.shared-processes": Requirement(
        "medium",
        "no container sees the processes of another",
        "Remove `shareProcessNamespace` from the pod's spec.",
        "Remove `pid`.",
    ),
    "security.privilege-escalation": Requirement(
        "high",
        "no process can gain privileges",
        "Set `allowPrivilegeEscalation: false` in the container's securityContext.",
        "Set `security_opt: [no-new-privileges:true]`.",
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
        "Add a NetworkPolicy that selects these pods, with policyTypes Ingress and Egress. Name in `from` who may call "
        "(the proxy's and Prometheus's namespaces), and in each egress rule `to` or `ports`.",
        "",  # Compose limits no traffic.
    ),
    "security.exposure": Requirement(
        "high",
        "databases and metrics cannot be reached from outside",
        "Set the Service's `type: ClusterIP`, without externalIPs; only the proxy is reached from outside. Give the database a password.",
        "Remove `ports`: other services reach it by its name. To look at it yourself, publish it on 127.0.0.1. Give the database a password.",
    ),
    "security.tls": Requirement(
        "high",
        "what is reached from outside is encrypted",
        "Name the host and its certificate in `spec.tls`, and let the controller redirect HTTP.",
        "Publish only the proxy's ports 80 and 443, and let it speak TLS.",
    ),
    "security.rbac": Requirement(
        "critical",
        "no service account has rights that take over the cluster",
        "Remove the binding. Countersign never asks the cluster's API, and its service account needs no right.",
        "",  # Compose has no cluster.
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
        "Read it from a Secret, by `secretKeyRef` or a mounted file (…_FILE). Create the Secret outside these files, and change "
        "what stood here: it is known.",
        "Use a compose `secret` with the setting's …_FILE form, or read the value from the environment: `${NAME:?}`.",
    ),
    "security.image": Requirement(
        "high",
        "every image is pinned",
        "Give the image its whole version (`17.2`, not `17`) or a digest (`@sha256:…`). Other tags, or none, change at any time.",
        "Give the image its whole version (`17.2`, not `17`) or a digest (`@sha256:…`). Other tags, or none, change at any time.",
    ),
    "security.namespace": Requirement(
        "low",
        "Countersign has a namespace of its own",
        "Set `metadata.namespace` to one that is only for Countersign, or `namespace` in the kustomization.",
        "",
    ),
    "reliability.probes": Requirement(
        "high",
        "everything that serves requests has health probes",
        "Add a readinessProbe with `httpGet` on /readyz and a livenessProbe with `httpGet` on /livez, both on the port of `serve --port`.",
        "Add a `healthcheck` that requests /readyz on the port of `serve --port`, and fails when the answer is not 200.",
    ),
    "reliability.selectors": Requirement(
        "high",
        "Services, Ingresses and selectors lead to pods that there are",
        "Make the selector equal to the labels of the pod's template, and the port one that the container listens on.",
        "",
    ),
    "reliability.database": Requirement(
        "critical",
        "what is written stays",
        "Mount a PersistentVolumeClaim over it, and run one replica; or use PostgreSQL (COUNTERSIGN_DATABASE_URL_FILE).",
        "Mount a named volume over it, and run one replica; or use PostgreSQL (COUNTERSIGN_DATABASE_URL_FILE).",
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
        "",  # Compose runs on one host.
    ),
    "reliability.autoscaling": Requirement(
        "medium",
        "autoscalers can scale what they name",
        "Set maxReplicas higher than minReplicas, and scaleTargetRef to the Deployment.",
        "",
    ),
    "reliability.anti-affinity": Requirement(
        "medium",
        "replicas run on different nodes",
        "Add a podAntiAffinity over kubernetes.io/hostname, whose labelSelector selects these pods.",
        "",
    ),
    "reliability.topology-spread": Requirement(
        "medium",
        "replicas are spread over zones or nodes",
        "Add topologySpreadConstraints over topology.kubernetes.io/zone, whose labelSelector selects these pods.",
        "",
    ),
    "reliability.disruption-budget": Requirement(
        "medium",
        "replicas keep running while nodes are upgraded",
        "Add a PodDisruptionBudget that selects these pods, with `minAvailable: 1`.",
        "",
    ),
    "reliability.restart": Requirement(
        "medium",
        "a service that stops is restarted",
        "",  # Kubernetes restarts a pod by itself.
        "Set `restart: unless-stopped`.",
    ),
    "reliability.backups": Requirement(
        "high",
        "backups are made",
        "Add a CronJob that runs `countersign backup` or pg_dump every day onto a PersistentVolumeClaim, or say where backups are made "
        f"in an annotation `{BACKUPS_KEY}` of the Deployment.",
        "Add a service that runs `countersign backup` or pg_dump into a volume, or say where backups are made "
        f"in a label `{BACKUPS_KEY}`.",
    ),
    "observability.metrics": Requirement(
        "medium",
        "metrics are collected",
        'Add a ServiceMonitor or PodMonitor that selects these pods, or the annotation `prometheus.io/scrape: "true"` to the pods that serve.',
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
