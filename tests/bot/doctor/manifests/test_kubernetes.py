"""Manifests as people write them are named for what they are: a table of hostile ones."""

import pytest
import yaml

from bot.doctor.manifests import assessment, kubernetes
from bot.doctor.manifests.manifest_documents import Deployment
from bot.doctor.manifests.workloads import workloads
from tests.bot.doctor.manifests.test_assessment import deployment, failed, plain

QUICKSTART = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: cla}
spec:
  selector: {matchLabels: {app: cla}}
  template:
    metadata: {labels: {app: cla}}
    spec:
      containers:
        - name: cla
          image: example/countersign
          env: [{name: COUNTERSIGN_KEYS, value: "2026:AAAA"}, {name: COUNTERSIGN_DATABASE_URL, value: "postgresql://cs:hunter2@db/cs"}]
          ports: [{containerPort: 8080}]
---
apiVersion: v1
kind: Service
metadata: {name: cla}
spec: {type: LoadBalancer, selector: {app: cla}, ports: [{port: 80, targetPort: 8080}]}
"""
AGENT = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: countersign, namespace: kube-system}
spec:
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec:
      hostNetwork: yes
      hostPID: true
      serviceAccountName: countersign
      tolerations: [{operator: Exists}]
      containers:
        - name: agent
          image: countersign:1.2.3
          command: [countersign, sweep]
          securityContext: {privileged: true, capabilities: {add: [SYS_PTRACE]}}
          volumeMounts: [{name: sock, mountPath: /var/run/docker.sock}]
      volumes: [{name: sock, hostPath: {path: /var/run/docker.sock, type: Socket}}, {name: root, hostPath: {path: /}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: countersign}
subjects: [{kind: ServiceAccount, name: countersign, namespace: kube-system}]
roleRef: {kind: ClusterRole, name: cluster-admin, apiGroup: rbac.authorization.k8s.io}
"""
OPERATOR = """
apiVersion: v1
kind: List
items:
  - apiVersion: rbac.authorization.k8s.io/v1
    kind: Role
    metadata: {name: r, namespace: cla}
    rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]
  - apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata: {name: r, namespace: cla}
    subjects: [{kind: ServiceAccount, name: default}]
    roleRef: {kind: Role, name: r}
  - {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: cla}, spec: {containers: [{name: a, image: "countersign:1.2.3"}]}}
"""
DATABASE = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
        - name: db
          image: postgres:17
          env: [{name: POSTGRES_HOST_AUTH_METHOD, value: trust}]
          readinessProbe: {exec: {command: [sh, -c, "exit 0"]}}
          volumeMounts: [{name: data, mountPath: /var/lib/postgresql/data}]
          ports: [{containerPort: 5432}]
      volumes: [{name: data, emptyDir: {}}]
---
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {type: NodePort, selector: {app: db}, ports: [{port: 5432}]}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: migrate}, spec: {template: {spec: {containers: [{name: m, image: "countersign:1.2.3", args: [migrate]}]}}}}
"""
SIDECARS = """
apiVersion: v1
kind: Pod
metadata: {name: cla}
spec:
  shareProcessNamespace: true
  initContainers:
    - {name: iptables, image: "istio/proxyv2:1.20.0", securityContext: {capabilities: {add: [NET_ADMIN, NET_RAW]}, runAsUser: 0}}
    - {name: side, image: "x:1.2.3", restartPolicy: Always, securityContext: {privileged: true}}
  containers: [{name: cla, image: "countersign:1.2.3", securityContext: {procMount: Unmasked}}]
  ephemeralContainers: [{name: debug, image: busybox, securityContext: {seccompProfile: {type: Unconfined}}}]
  securityContext: {sysctls: [{name: net.core.somaxconn, value: "1024"}]}
"""
OPEN = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: allow-all}
spec: {podSelector: {}, policyTypes: [Ingress, Egress], ingress: [{}], egress: [{}]}
---
{apiVersion: v1, kind: Pod, metadata: {name: cla}, spec: {containers: [{name: a, image: "countersign:1.2.3"}]}}
"""
WORLD = OPEN.replace(
    "ingress: [{}], egress: [{}]",
    "ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/1}}, {ipBlock: {cidr: 128.0.0.0/1}}]}], egress: [{to: [{ipBlock: {cidr: '::/0'}}], ports: [{port: 1, endPort: 65535}]}]",
)
NIGHTLY = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: backup}
spec:
  schedule: "0 0 31 2 *"
  jobTemplate: {spec: {template: {spec: {containers: [{name: backup, image: "bitnami/kubectl", command: [sh, -c, "echo backing up && sleep 1"]}]}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: cla}, spec: {containers: [{name: a, image: "countersign:1.2.3"}]}}
"""
PLAIN = """
{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {private-key.pem: "LS0tLS1CRUdJTg=="}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {settings.env: "COUNTERSIGN_URL=https://x\\nCOUNTERSIGN_WEBHOOK_SECRET=hunter2\\n"}}
---
{apiVersion: v1, kind: Pod, metadata: {name: cla}, spec: {containers: [{name: a, image: "countersign:1.2.3", args: [serve, --host, 0.0.0.0, "--token=hunter2"]}]}}
"""
BARE = """
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: cla, annotations: {nginx.ingress.kubernetes.io/ssl-redirect: "false"}}
spec: {rules: [{host: cla.example.org, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: cla, port: {number: 80}}}}]}}]}
---
{apiVersion: v1, kind: Service, metadata: {name: cla}, spec: {selector: {app: countersign}, ports: [{port: 8080}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: cla}, spec: {selector: {matchLabels: {app: cla}}, template: {metadata: {labels: {app: cla-web}}, spec: {containers: [{name: a, image: "countersign:1.2.3"}]}}}}
"""
SCALED = """
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {minReplicas: 5, maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: clabot}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: "100%", selector: {matchLabels: {app: cla}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cla}
spec:
  replicas: 0
  template:
    metadata: {labels: {app: cla}}
    spec: {containers: [{name: a, image: "countersign:1.2.3", env: [{name: COUNTERSIGN_DATABASE_URL_FILE, value: /x}]}]}
"""
PROBES = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: cla}
spec:
  template:
    spec:
      containers:
        - name: a
          image: countersign:1.2.3
          args: [serve, --host, 0.0.0.0, --port, "9000"]
          ports: [{name: http, containerPort: 8080}]
          readinessProbe: {httpGet: {path: /readyz, port: http}}
          livenessProbe: {exec: {command: [/bin/true]}}
          startupProbe: {tcpSocket: {port: 1}}
"""
ROLLOUT = """
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: cla}
spec: {replicas: 2, template: {metadata: {labels: {app: cla}}, spec: {hostIPC: true, containers: [{name: a, image: countersign, securityContext: {privileged: true}}]}}}
"""
STATE = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: cla}
spec:
  replicas: 3
  template:
    spec:
      containers:
        - {name: a, image: "countersign:1.2.3", env: [{name: COUNTERSIGN_DATABASE_URL, value: "sqlite:////data/c.db"}], volumeMounts: [{name: d, mountPath: /data}]}
      volumes: [{name: d, emptyDir: {}}]
"""
GATEWAY = """
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g}, spec: {listeners: [{name: http, port: 80, protocol: HTTP}]}}
---
{apiVersion: route.openshift.io/v1, kind: Route, metadata: {name: r}, spec: {to: {kind: Service, name: cla}}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {hostPath: {path: /data}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: cla}, spec: {serviceAccountName: x, containers: [{name: a, image: "countersign:1.2.3"}]}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: reader}, rules: [{apiGroups: [""], resources: [secrets], resourceNames: [a], verbs: [get]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, subjects: [{kind: ServiceAccount, name: x}], roleRef: {kind: ClusterRole, name: reader}}
"""

HOSTILE = {
    "a tutorial": (QUICKSTART, "security.secrets security.image security.exposure security.non-root reliability.probes reliability.resources reliability.replicas security.network-policy reliability.backups security.seccomp"),
    "an agent on every node": (AGENT, "security.host-namespaces security.host-paths security.privileged security.capabilities security.rbac security.service-account-token security.namespace"),
    "an operator's list": (OPERATOR, "security.rbac security.non-root"),
    "a database for a try": (DATABASE, "security.exposure reliability.database security.image reliability.probes"),
    "sidecars": (SIDECARS, "security.shared-processes security.capabilities security.privileged security.proc-mount security.seccomp security.sysctls security.image security.non-root"),
    "a policy that allows all": (OPEN, "security.network-policy"),
    "a policy for the world": (WORLD, "security.network-policy"),
    "a nightly job": (NIGHTLY, "reliability.backups security.image"),
    "secrets in the files": (PLAIN, "security.secrets"),
    "an Ingress without TLS": (BARE, "security.tls reliability.selectors"),
    "scaling that does not": (SCALED, "reliability.autoscaling reliability.disruption-budget reliability.replicas"),
    "probes that prove nothing": (PROBES, "reliability.probes"),
    "a kind of another project": (ROLLOUT, "security.privileged security.host-namespaces security.image"),
    "SQLite in three pods": (STATE, "reliability.database"),
    "a gateway, a route, a volume": (GATEWAY, "security.tls security.host-paths security.rbac"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "items"), HOSTILE.values(), ids=HOSTILE)
def test_each_hostile_manifest_is_a_d_with_every_fault_named(text, items, tmp_path):
    (tmp_path / "all.yaml").write_text(text)
    report = assessment.assess(tmp_path)

    assert [name for name in items.split() if name not in failed(report)] == []
    assert report.grade == "D"
    for item in report.items:
        assert item.status != "fail" or (item.remedy and ("/" in item.message or "nothing" in item.message)), item


def test_every_finding_names_its_object_and_container():
    [found] = [yaml.safe_load(ROLLOUT)]
    judged = kubernetes.judge([found])

    assert judged["security.privileged"] == ["rollout/cla, container a: securityContext.privileged is true"]
    assert judged["security.host-namespaces"] == ["rollout/cla: hostIPC is true"]


def test_a_manifest_in_json_is_read(tmp_path):
    (tmp_path / "package.json").write_text("{not json")
    (tmp_path / "pod.json").write_text(
        '{"apiVersion": "v1", "kind": "Pod", "spec": {"hostPID": true, "containers": [{"image": "countersign:1.2.3"}]}}'
    )

    assert "security.host-namespaces" in failed(assessment.assess(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize(
    "value", [[5], None, *(pytest.param(value, marks=pytest.mark.nightly) for value in (5, "x", [[]], {"a": 5}, True))]
)
def test_an_odd_value_at_any_place_of_the_sample_breaks_nothing(value):
    found = deployment("sample")

    def places(node, way=()):
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            yield (*way, key)
            if isinstance(child, dict | list):
                yield from places(child, (*way, key))

    for way in list(places(plain(found.objects))):
        objects = plain(found.objects)
        node = objects
        for key in way[:-1]:
            node = node[key]
        if len(way) > 1:  # an object itself is a mapping
            node[way[-1]] = value
        assert assessment.judge([Deployment("x", tuple(objects))]).items


def pod_found(name, part=None, **pod):
    """What one item says about a pod."""
    manifest = {
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "a", **(part or {})}], **pod},
    }
    return [text.rpartition(": ")[2] for text in kubernetes.judge_pods([manifest], workloads([manifest]))[name]]


def context(**said):
    """A container's securityContext."""
    return {"securityContext": said}


@pytest.mark.parametrize(
    ("name", "part", "pod", "said"),
    [
        ("security.non-root", {}, {}, ["securityContext.runAsNonRoot is not true"]),
        ("security.non-root", context(runAsNonRoot=True), {}, []),
        ("security.non-root", {}, {"securityContext": {"runAsUser": 10001}}, []),
        ("security.non-root", context(runAsNonRoot=False), {"securityContext": {"runAsUser": 10001}}, []),
        ("security.non-root", context(runAsUser=0, runAsNonRoot=True), {}, ["securityContext.runAsUser is 0"]),
        ("security.non-root", context(runAsUser="10001"), {}, ["securityContext.runAsUser is 10001"]),
        ("security.privileged", context(windowsOptions={"hostProcess": True}), {}, ["securityContext.windowsOptions.hostProcess is true"]),
        ("security.capabilities", context(capabilities={"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}), {}, []),
        ("security.capabilities", context(capabilities={"add": ["CAP_SYS_ADMIN"]}), {}, ["securityContext.capabilities.add has SYS_ADMIN"]),
        ("security.capabilities", context(capabilities={"drop": ["NET_RAW"]}), {}, ["securityContext.capabilities.drop does not contain ALL"]),
        ("security.seccomp", {}, {}, ["securityContext.seccompProfile.type is not set"]),
        ("security.seccomp", {}, {"securityContext": {"seccompProfile": {"type": "Localhost"}}}, []),
        ("security.confinement", {}, {"securityContext": {"seLinuxOptions": {"type": "container_t"}}}, []),
        ("security.proc-mount", context(procMount="Default"), {}, []),
        ("security.sysctls", {}, {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_syncookies"}]}}, []),
        ("security.host-namespaces", {}, {"hostNetwork": False}, []),
        ("security.host-ports", {"ports": [{"containerPort": 1, "hostPort": 0}]}, {}, []),
        ("reliability.resources", {"resources": {"limits": {"cpu": 1, "memory": "1Gi"}}}, {}, []),
        ("reliability.resources", {"resources": {"requests": {"cpu": "100m", "memory": "1Gi"}}}, {}, ["no resources.limits.memory"]),
        ("reliability.resources", {"resources": {"limits": {"memory": "0Mi"}}}, {}, ["no resources.requests.cpu, resources.requests.memory, resources.limits.memory"]),
        ("reliability.resources", {}, {"resources": {"limits": {"cpu": 1, "memory": "1Gi"}}}, []),
        ("observability.logs", {"command": ["sh", "-c", "serve 2>/dev/null"]}, {}, ["a shell redirects its output"]),
    ],
)  # fmt: skip
def test_each_item_judges_a_container_by_pod_and_container(name, part, pod, said):
    assert pod_found(name, part, **pod) == said


def test_the_old_annotation_of_apparmor_still_counts():
    manifest = {
        "kind": "Pod",
        "metadata": {"name": "p", "annotations": {"container.apparmor.security.beta.kubernetes.io/a": "unconfined"}},
        "spec": {"containers": [{"name": "a"}]},
    }
    assert kubernetes.judge_pods([manifest], workloads([manifest]))["security.confinement"] == [
        "pod/p, container a: its AppArmor profile is Unconfined"
    ]


def test_a_volume_of_the_node_is_found_behind_a_persistentvolume_too():
    volume = {"kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {"hostPath": {"path": "/data"}}}
    assert kubernetes.judge_pods([volume], ())["security.host-paths"] == ["persistentvolume/v: hostPath /data"]
