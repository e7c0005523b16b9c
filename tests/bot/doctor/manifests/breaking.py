"""Single ways to break a deployment that passes: what a hurried edit does, each with the item that has to name it."""

import copy


def pods(objects):
    """The spec of every pod that these objects make."""
    for manifest in objects:
        spec = manifest.get("spec") or {}
        template = (spec.get("jobTemplate") or {}).get("spec", {}).get("template") or spec.get("template")
        if manifest["kind"] == "Pod":
            yield spec
        elif manifest["kind"] in ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"):
            yield template["spec"]


def of_kind(objects, kind):
    """The first object of that kind."""
    return next(manifest for manifest in objects if manifest["kind"] == kind)


def pod(objects, kind="Deployment"):
    """The pod of the first object of that kind."""
    return next(pods([of_kind(objects, kind)]))


def first(objects, kind="Deployment"):
    """The first container of the first object of that kind."""
    return pod(objects, kind)["containers"][0]


def without(objects, *kinds):
    """Take the objects of these kinds away."""
    objects[:] = [manifest for manifest in objects if manifest["kind"] not in kinds]


def annotations(objects, name):
    """Take an annotation away, wherever it stands."""
    for manifest in objects:
        template = (manifest.get("spec") or {}).get("template") or {}
        for place in (manifest, template):
            ((place.get("metadata") or {}).get("annotations") or {}).pop(name, None)


def all_pods(key):
    """Take a key from every pod's spec."""
    return lambda objects: [pod.pop(key, None) for pod in pods(objects)]


def no_metrics(objects):
    """Neither a monitor nor an annotation."""
    without(objects, "ServiceMonitor", "PodMonitor")
    annotations(objects, "prometheus.io/scrape")


def blind_monitor(objects):
    """A monitor that selects other pods, and no annotation."""
    no_metrics(objects)
    spec = {"selector": {"matchLabels": {"app": "other"}}, "podMetricsEndpoints": [{"port": "http"}]}
    objects.append({"kind": "PodMonitor", "metadata": {"name": "m"}, "spec": spec})


def no_tracing(objects):
    """No ConfigMap says where traces go."""
    for manifest in objects:
        if manifest["kind"] == "ConfigMap":
            manifest["data"] = {
                name: value for name, value in (manifest.get("data") or {}).items() if "OTEL" not in name
            }


def no_backups(objects):
    """No job makes backups, and no annotation says who does."""
    objects[:] = [manifest for manifest in objects if not (manifest["kind"] == "CronJob" and "backup" in str(manifest))]
    annotations(objects, "countersign/backups")


def one_replica(objects):
    """A single pod, and no autoscaler that would make two."""
    without(objects, "HorizontalPodAutoscaler", "ScaledObject")
    for manifest in objects:
        if manifest["kind"] == "Deployment":
            manifest["spec"]["replicas"] = 1
        if manifest["kind"] == "PodDisruptionBudget":
            manifest["spec"] = {"maxUnavailable": 0, "selector": manifest["spec"]["selector"]}


def no_seccomp(objects):
    """Of the first pod alone."""
    pod(objects).get("securityContext", {}).pop("seccompProfile", None)


def context(kind="Deployment", **said):
    """Says something in the securityContext of the first container."""
    return lambda objects: first(objects, kind).setdefault("securityContext", {}).update(said)


def of_pod(kind="Deployment", **said):
    """Says something in the pod's spec."""
    return lambda objects: pod(objects, kind).update(said)


def of_container(kind="Deployment", **said):
    """Says something in the first container."""
    return lambda objects: first(objects, kind).update(said)


def of_spec(kind, **said):
    """Says something in the spec of the first object of that kind."""
    return lambda objects: of_kind(objects, kind)["spec"].update(said)


def variable(name, value):
    """A variable of the first container, as it is pasted for a try."""
    return lambda objects: first(objects).setdefault("env", []).append({"name": name, "value": value})


def volume(**said):
    """A volume more in the first pod."""
    return lambda objects: pod(objects).setdefault("volumes", []).append({"name": "more", **said})


def privileged_side(key):
    """A container beside the first, as strict as that but for one word."""

    def add(objects):
        container = {**copy.deepcopy(first(objects)), "name": "more", "command": ["sleep", "1"], "args": []}
        container["securityContext"]["privileged"] = True
        pod(objects).setdefault(key, []).append(
            {name: container[name] for name in container if name != "ports" and "Probe" not in name}
        )

    return add


def probe(name, **said):
    """A probe of the first container in place of its own."""
    return of_container(**{name: said})


def rights(role, rules=None, **subject):
    """A binding of a role to the account of the pods, and the role, if it has rules."""
    who = {"kind": "ServiceAccount", "name": "countersign", "namespace": "countersign"} | subject
    binding = {
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "b"},
        "subjects": [who],
        "roleRef": {"kind": "ClusterRole", "name": role},
    }

    def add(objects):
        objects.append(binding)
        if rules:
            objects.append({"kind": "ClusterRole", "metadata": {"name": role}, "rules": rules})

    return add


def policy(**said):
    """Says something in every network policy."""
    return lambda objects: [
        manifest["spec"].update(said) for manifest in objects if manifest["kind"] == "NetworkPolicy"
    ]


def budget(**said):
    """Says how many pods may stop, in place of what each budget says."""

    def change(objects):
        for manifest in objects:
            if manifest["kind"] == "PodDisruptionBudget":
                manifest["spec"] = {"selector": manifest["spec"]["selector"], **said}

    return change


def data(kind, **said):
    """An object that holds data."""
    place = "stringData" if kind == "Secret" else "data"
    return lambda objects: objects.append({"apiVersion": "v1", "kind": kind, "metadata": {"name": "more"}, place: said})


def backup(*words):
    """The backup job runs that script in place of its own."""
    return of_container("CronJob", command=["/bin/sh", "-ec"], args=list(words))


def exposed_database(objects):
    """A database beside Countersign, hardened, on a volume, that a Service opens to the outside."""
    server = copy.deepcopy(of_kind(objects, "Deployment"))
    server["kind"], server["metadata"]["name"] = "StatefulSet", "db"
    spec = server["spec"]
    spec["replicas"] = 1
    labels = {**spec["template"]["metadata"]["labels"], "app.kubernetes.io/component": "db", "role": "db"}
    spec["template"]["metadata"]["labels"], spec["selector"] = labels, {"matchLabels": labels}
    part = spec["template"]["spec"]["containers"][0]
    part |= {"image": "postgres:17.2", "args": [], "ports": [{"containerPort": 5432}], "envFrom": [], "env": []}
    part |= {"readinessProbe": {"tcpSocket": {"port": 5432}}, "livenessProbe": {"tcpSocket": {"port": 5432}}}
    part.pop("startupProbe", None)
    part["volumeMounts"] = [{"name": "data", "mountPath": "/var/lib/postgresql"}]
    spec["volumeClaimTemplates"] = [{"metadata": {"name": "data"}}]
    service = {"kind": "Service", "metadata": {"name": "db", "namespace": server["metadata"].get("namespace")}}
    service["spec"] = {"type": "NodePort", "selector": {"role": "db"}, "ports": [{"port": 5432}]}
    objects += [server, service]


def scaler_for_nothing(objects):
    """It names a Deployment that there is not; the Deployment says its own number."""
    for manifest in objects:
        if manifest["kind"] == "Deployment":
            manifest["spec"]["replicas"] = 2
    of_kind(objects, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]["name"] = "other"


def spread_over_others(objects):
    """Every constraint and anti-affinity counts other pods."""
    for spec in pods(objects):
        for term in spec.get("topologySpreadConstraints", []):
            term["labelSelector"] = {"matchLabels": {"app": "other"}}


def apart_from_others(objects):
    """The anti-affinity is to other pods."""
    for spec in pods(objects):
        for term in (
            spec.get("affinity", {})
            .get("podAntiAffinity", {})
            .get("preferredDuringSchedulingIgnoredDuringExecution", [])
        ):
            term["podAffinityTerm"]["labelSelector"] = {"matchLabels": {"app": "other"}}


def sqlite_in_the_pod(objects):
    """The settings' file names no database, and the pods are as they were."""
    for manifest in objects:
        if manifest["kind"] == "ConfigMap":
            manifest["data"].pop("COUNTERSIGN_DATABASE_URL_FILE", None)


ANYWHERE = [{"ipBlock": {"cidr": "0.0.0.0/0"}}]
SECRETS = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]
WILD = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
RISING = [{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"], "verbs": ["escalate"]}]
EXEC = [{"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["create"]}]
DUMMY = {"httpGet": {"path": "/readyz", "port": 9}}
SPEAKING = {"exec": {"command": ["echo", "ok"]}}

KUBERNETES = [
    ("runs as root", "security.non-root", context(runAsUser=0)),
    ("root in the backup job", "security.non-root", context("CronJob", runAsUser=0)),
    ("privileged", "security.privileged", context(privileged=True)),
    ("a privileged init container", "security.privileged", privileged_side("initContainers")),
    ("a privileged ephemeral container", "security.privileged", privileged_side("ephemeralContainers")),
    ("hostNetwork", "security.host-namespaces", of_pod(hostNetwork=True)),
    ("hostPID", "security.host-namespaces", of_pod(hostPID=True)),
    ("hostIPC in the backup job", "security.host-namespaces", of_pod("CronJob", hostIPC=True)),
    ("docker.sock", "security.host-paths", volume(hostPath={"path": "/var/run/docker.sock"})),
    ("containerd.sock", "security.host-paths", volume(hostPath={"path": "/run/containerd/containerd.sock", "type": "Socket"})),
    ("the node's files", "security.host-paths", volume(hostPath={"path": "/"})),
    ("a writable root", "security.read-only-root", context(readOnlyRootFilesystem=False)),
    ("no capability dropped", "security.capabilities", context(capabilities={})),
    ("SYS_ADMIN", "security.capabilities", context(capabilities={"drop": ["ALL"], "add": ["SYS_ADMIN"]})),
    ("all capabilities", "security.capabilities", context(capabilities={"drop": ["ALL"], "add": ["ALL"]})),
    ("privilege escalation", "security.privilege-escalation", lambda objects: first(objects)["securityContext"].pop("allowPrivilegeEscalation")),
    ("no seccomp", "security.seccomp", no_seccomp),
    ("seccomp Unconfined", "security.seccomp", context(seccompProfile={"type": "Unconfined"})),
    ("AppArmor Unconfined", "security.confinement", context(appArmorProfile={"type": "Unconfined"})),
    ("a SELinux type for everything", "security.confinement", context(seLinuxOptions={"type": "spc_t"})),
    ("procMount Unmasked", "security.proc-mount", context(procMount="Unmasked")),
    ("an unsafe sysctl", "security.sysctls", lambda objects: pod(objects)["securityContext"].update(sysctls=[{"name": "kernel.msgmax", "value": "1"}])),
    ("hostPort", "security.host-ports", lambda objects: first(objects)["ports"][0].update(hostPort=8080)),
    ("shareProcessNamespace", "security.shared-processes", of_pod(shareProcessNamespace=True)),
    ("no network policy", "security.network-policy", lambda objects: without(objects, "NetworkPolicy")),
    ("an empty ingress rule", "security.network-policy", policy(ingress=[{}])),
    ("ingress from 0.0.0.0/0", "security.network-policy", policy(ingress=[{"from": ANYWHERE}])),
    ("ingress from every namespace", "security.network-policy", policy(ingress=[{"from": [{"namespaceSelector": {}}]}])),
    ("an empty egress rule", "security.network-policy", policy(egress=[{}])),
    ("egress to 0.0.0.0/0", "security.network-policy", policy(egress=[{"to": ANYWHERE}])),
    ("policies that select other pods", "security.network-policy", policy(podSelector={"matchLabels": {"app": "other"}})),
    ("policies for what comes in alone", "security.network-policy", policy(policyTypes=["Ingress"])),
    ("a database on a NodePort", "security.exposure", exposed_database),
    ("Countersign on a LoadBalancer", "security.exposure", of_spec("Service", type="LoadBalancer")),
    ("Countersign on a NodePort", "security.exposure", of_spec("Service", type="NodePort")),
    ("cluster-admin", "security.rbac", rights("cluster-admin")),
    ("edit for every account", "security.rbac", rights("edit", kind="Group", name="system:serviceaccounts")),
    ("reading Secrets", "security.rbac", rights("r", SECRETS)),
    ("wildcards", "security.rbac", rights("r", WILD)),
    ("escalate", "security.rbac", rights("r", RISING)),
    ("pods/exec", "security.rbac", rights("r", EXEC)),
    ("a role that is in no manifest", "security.rbac", rights("some-operator")),
    ("a token for the cluster", "security.service-account-token", of_pod(automountServiceAccountToken=True)),
    ("a projected token", "security.service-account-token", volume(projected={"sources": [{"serviceAccountToken": {"path": "t"}}]})),
    ("a secret in env", "security.secrets", variable("COUNTERSIGN_WEBHOOK_SECRET", "hunter2")),
    ("a password in an address", "security.secrets", variable("SENTRY_DSN", "https://user:hunter2@sentry.example.org/1")),
    ("a secret in args", "security.secrets", lambda objects: first(objects)["args"].append("--token=hunter2")),
    ("a secret in a script", "security.secrets", backup("PGPASSWORD=hunter2 countersign backup /backups/x")),
    ("a secret in a ConfigMap", "security.secrets", data("ConfigMap", POSTGRES_PASSWORD="hunter2")),
    ("a file with a secret in a ConfigMap", "security.secrets", data("ConfigMap", app="mode: a\nsmtp_password: hunter2\n")),
    ("a Secret with its data", "security.secrets", data("Secret", keys="hunter2")),
    ("a secret in a probe", "security.secrets", lambda objects: first(objects)["livenessProbe"]["httpGet"].update(httpHeaders=[{"name": "Authorization", "value": "Bearer hunter2"}])),
    ("latest", "security.image", of_container(image="registry.example.org/countersign:latest")),
    ("no tag", "security.image", of_container(image="registry.example.org:5000/countersign")),
    ("a tag that moves", "security.image", of_container(image="registry.example.org/countersign:1")),
    ("the default namespace", "security.namespace", lambda objects: [manifest["metadata"].update(namespace="default") for manifest in objects]),
    ("no livenessProbe", "reliability.probes", lambda objects: first(objects).pop("livenessProbe")),
    ("a probe that runs true", "reliability.probes", probe("readinessProbe", exec={"command": ["true"]})),
    ("a probe that echoes", "reliability.probes", probe("livenessProbe", **SPEAKING)),
    ("a probe that cannot fail", "reliability.probes", probe("readinessProbe", exec={"command": ["sh", "-c", "curl -f http://127.0.0.1:8080/readyz || true"]})),
    ("a probe of a dead port", "reliability.probes", probe("readinessProbe", **DUMMY)),
    ("a probe of a port without that name", "reliability.probes", probe("readinessProbe", httpGet={"path": "/readyz", "port": "web"})),
    ("a probe of another path", "reliability.probes", probe("readinessProbe", httpGet={"path": "/", "port": 8080})),
    ("a tcpSocket on another port", "reliability.probes", probe("livenessProbe", tcpSocket={"port": 22})),
    ("a tcpSocket in place of a request", "reliability.probes", probe("livenessProbe", tcpSocket={"port": 8080})),
    ("a probe of another host", "reliability.probes", probe("readinessProbe", httpGet={"path": "/readyz", "port": 8080, "host": "example.org"})),
    ("a probe once a day", "reliability.probes", probe("readinessProbe", httpGet={"path": "/readyz", "port": 8080}, periodSeconds=86400)),
    ("a server on loopback", "reliability.probes", lambda objects: first(objects).update(args=["serve", "--role", "web"])),
    ("no limits", "reliability.resources", lambda objects: first(objects)["resources"].pop("limits")),
    ("a limit of nothing", "reliability.resources", lambda objects: first(objects)["resources"]["limits"].update(memory="0")),
    ("a Service that selects nothing", "reliability.selectors", of_spec("Service", selector={"app": "other"})),
    ("a Service on a dead port", "reliability.selectors", lambda objects: of_kind(objects, "Service")["spec"]["ports"][0].update(targetPort=9)),
    ("a SQLite file in the pod", "reliability.database", sqlite_in_the_pod),
    ("one replica", "reliability.replicas", one_replica),
    ("no anti-affinity", "reliability.anti-affinity", all_pods("affinity")),
    ("an anti-affinity to others", "reliability.anti-affinity", apart_from_others),
    ("no spread", "reliability.topology-spread", all_pods("topologySpreadConstraints")),
    ("a spread over others", "reliability.topology-spread", spread_over_others),
    ("no budget", "reliability.disruption-budget", lambda objects: without(objects, "PodDisruptionBudget")),
    ("minAvailable 0", "reliability.disruption-budget", budget(minAvailable=0)),
    ("maxUnavailable 100%", "reliability.disruption-budget", budget(maxUnavailable="100%")),
    ("maxUnavailable 0", "reliability.disruption-budget", budget(maxUnavailable=0)),
    ("a budget of other pods", "reliability.disruption-budget", of_spec("PodDisruptionBudget", selector={"matchLabels": {"app": "other"}})),
    ("no backups", "reliability.backups", no_backups),
    ("suspended backups", "reliability.backups", of_spec("CronJob", suspend=True)),
    ("a backup that is none", "reliability.backups", backup("echo backup done")),
    ("a backup to /dev/null", "reliability.backups", backup("pg_dump countersign > /dev/null")),
    ("a backup that may fail unseen", "reliability.backups", backup("countersign backup /backups/x || true")),
    ("a backup that ends with its pod", "reliability.backups", backup("countersign backup /tmp/x")),
    ("a backup in a comment", "reliability.backups", backup("# countersign backup /backups/x\nsleep 1")),
    ("backups on 30 February", "reliability.backups", of_spec("CronJob", schedule="0 1 30 2 *")),
    ("backups once a year", "reliability.backups", of_spec("CronJob", schedule="@yearly")),
    ("a schedule that is none", "reliability.backups", of_spec("CronJob", schedule="every night")),
    ("nothing collects metrics", "observability.metrics", no_metrics),
    ("a monitor of other pods", "observability.metrics", blind_monitor),
    ("lost logs", "observability.logs", of_container("CronJob", command=["sh", "-c", "countersign backup /backups/x 2>/dev/null"], args=[])),
    ("no traces", "observability.tracing", no_tracing),
]  # fmt: skip
"""Each changes one thing of a deployment, and one item has to name it: what was changed, the item, the change."""

PRODUCTION = [
    ("an Ingress without TLS", "security.tls", lambda objects: of_kind(objects, "Ingress")["spec"].pop("tls")),
    ("TLS for another host", "security.tls", lambda objects: of_kind(objects, "Ingress")["spec"]["tls"][0].update(hosts=["other.example.org"])),
    ("no redirect to TLS", "security.tls", lambda objects: of_kind(objects, "Ingress")["metadata"]["annotations"].update({"nginx.ingress.kubernetes.io/ssl-redirect": "false"})),
    ("an Ingress to no Service", "reliability.selectors", lambda objects: of_kind(objects, "Ingress")["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"].update(name="other")),
    ("a selector that is not its pods'", "reliability.selectors", lambda objects: of_kind(objects, "Deployment")["spec"]["selector"]["matchLabels"].update(tier="x")),
    ("max below min", "reliability.autoscaling", of_spec("HorizontalPodAutoscaler", maxReplicas=1)),
    ("an autoscaler of nothing", "reliability.autoscaling", scaler_for_nothing),
    ("an autoscaler that leaves one", "reliability.replicas", of_spec("HorizontalPodAutoscaler", minReplicas=1)),
    ("a paused Deployment", "reliability.replicas", of_spec("Deployment", paused=True)),
    ("a secret in the migration", "security.secrets", lambda objects: next(pods([of_kind(objects, "Job")]))["initContainers"][0]["args"].append("--password=hunter2")),
    ("root in the migration", "security.non-root", lambda objects: next(pods([of_kind(objects, "Job")]))["initContainers"][0]["securityContext"].update(runAsUser=0)),
]  # fmt: skip
"""Those of our own manifests alone, which the sample has nothing for."""


def service(document):
    """The first service that serves: by its command, or by the image's own."""
    ours = [value for value in document["services"].values() if "countersign" in str(value.get("image"))]
    return next(entry for entry in ours if "serve" in str(entry.get("command", "serve")))


def says(**said):
    """Says something in the service."""
    return lambda document: service(document).update(said)


def also(key, *values):
    """Adds to a list of the service."""
    return lambda document: service(document).update({key: [*service(document).get(key, []), *values]})


def no_compose_limits(document):
    """However they were written."""
    for key in ("deploy", "mem_limit", "cpus"):
        service(document).pop(key, None)


def no_compose_metrics(document):
    """No label, and no service that collects."""
    document["services"] = {
        name: entry for name, entry in document["services"].items() if "prom" not in str(entry.get("image"))
    }
    for value in document["services"].values():
        value.pop("labels", None)


def no_compose_backups(document):
    """No service makes backups, and no label says who does."""
    document["services"] = {
        name: entry
        for name, entry in document["services"].items()
        if "pg_dump" not in str(entry.get("command")) and "backup" not in str(entry.get("command"))
    }


def compose_backup(*words):
    """The backup runs that script."""

    def change(document):
        document["services"]["backup"].pop("entrypoint", None)
        document["services"]["backup"]["command"] = ["sh", "-ec", *words]

    return change


def no_compose_tracing(document):
    """No service says where traces go."""
    for entry in document["services"].values():
        if isinstance(entry.get("environment"), dict):
            entry["environment"] = {name: value for name, value in entry["environment"].items() if "OTEL" not in name}


def published_database(document):
    """A database that other machines reach."""
    strict = {key: service(document)[key] for key in ("read_only", "cap_drop", "security_opt", "logging")}
    strict |= {"deploy": {"resources": {"limits": {"memory": "1G", "cpus": "1"}}}, "restart": "always", "user": "70"}
    document["services"]["db"] = {
        **strict,
        "image": "postgres:17.2",
        "ports": ["5432:5432"],
        "volumes": ["db:/var/lib/postgresql"],
    }


def compose_sqlite(document):
    """The SQLite file in the container."""
    entry = service(document)
    entry.pop("env_file", None)
    entry["volumes"] = [mount for mount in entry.get("volumes", []) if "/var/lib/countersign" not in str(mount)]
    for name in ("COUNTERSIGN_DATABASE_URL", "COUNTERSIGN_DATABASE_URL_FILE"):
        entry["environment"].pop(name, None)


COMPOSE = [
    ("the image's user", "security.non-root", lambda document: service(document).pop("user")),
    ("root", "security.non-root", says(user="0:0")),
    ("privileged", "security.privileged", says(privileged=True)),
    ("privileged by default", "security.privileged", says(privileged="${PRIVILEGED:-true}")),
    ("the host's network", "security.host-namespaces", says(network_mode="host")),
    ("the host's processes", "security.host-namespaces", says(pid="host")),
    ("the host's memory", "security.host-namespaces", says(ipc="host")),
    ("docker.sock", "security.host-paths", also("volumes", "/var/run/docker.sock:/var/run/docker.sock:ro")),
    ("docker.sock in the long form", "security.host-paths", also("volumes", {"type": "bind", "source": "${SOCK:-/var/run/docker.sock}", "target": "/s"})),
    ("the host's files", "security.host-paths", also("volumes", "/:/host")),
    ("a device", "security.host-paths", says(devices=["/dev/mem"])),
    ("a writable root", "security.read-only-root", lambda document: service(document).pop("read_only")),
    ("NET_ADMIN", "security.capabilities", says(cap_add=["NET_ADMIN"])),
    ("no capability dropped", "security.capabilities", lambda document: service(document).pop("cap_drop")),
    ("privilege escalation", "security.privilege-escalation", lambda document: service(document).pop("security_opt")),
    ("no seccomp", "security.seccomp", also("security_opt", "seccomp=unconfined")),
    ("no AppArmor", "security.confinement", also("security_opt", "apparmor:unconfined")),
    ("no SELinux", "security.confinement", also("security_opt", "label=disable")),
    ("/proc unmasked", "security.proc-mount", also("security_opt", "systempaths=unconfined")),
    ("another's processes", "security.shared-processes", says(pid="service:backup")),
    ("an unsafe sysctl", "security.sysctls", says(sysctls=["kernel.shmmax=1"])),
    ("a published database", "security.exposure", published_database),
    ("published without TLS", "security.tls", also("ports", "8080:8080")),
    ("a secret in the environment", "security.secrets", lambda document: service(document)["environment"].update(COUNTERSIGN_CLIENT_SECRET="hunter2")),
    ("a secret as a default", "security.secrets", lambda document: service(document)["environment"].update(COUNTERSIGN_KEYS="${KEYS:-1:hunter2}")),
    ("a secret in the command", "security.secrets", lambda document: service(document)["command"].append("--api-key=hunter2")),
    ("no tag", "security.image", says(image="countersign")),
    ("latest by default", "security.image", says(image="countersign:${TAG:-latest}")),
    ("no healthcheck", "reliability.probes", lambda document: service(document)["healthcheck"].update(disable=True)),
    ("a healthcheck that runs true", "reliability.probes", lambda document: service(document)["healthcheck"].update(test=["CMD", "true"])),
    ("a healthcheck that cannot fail", "reliability.probes", lambda document: service(document)["healthcheck"].update(test="wget -q http://127.0.0.1:8080/readyz || exit 0")),
    ("a healthcheck of a dead port", "reliability.probes", lambda document: service(document)["healthcheck"].update(test=["CMD", "curl", "-f", "http://localhost:9/readyz"])),
    ("a healthcheck that takes any answer", "reliability.probes", lambda document: service(document)["healthcheck"].update(test=["CMD", "curl", "http://localhost:8080/readyz"])),
    ("no limits", "reliability.resources", no_compose_limits),
    ("no restart", "reliability.restart", says(restart="no")),
    ("a SQLite file in the container", "reliability.database", compose_sqlite),
    ("no backups", "reliability.backups", no_compose_backups),
    ("a backup that is none", "reliability.backups", compose_backup("echo backup")),
    ("a backup that ends with its container", "reliability.backups", compose_backup("countersign backup /tmp/x")),
    ("nothing collects metrics", "observability.metrics", no_compose_metrics),
    ("no logs", "observability.logs", lambda document: service(document)["logging"].update(driver="none")),
    ("no traces", "observability.tracing", no_compose_tracing),
]  # fmt: skip
"""The same for a compose file."""


def broken(documents, how):
    """A copy with that done to it."""
    changed = copy.deepcopy(documents)
    how(changed)
    return changed
