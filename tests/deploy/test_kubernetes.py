"""Kubernetes: what kustomize builds is valid, whole and strict, and the chart gives the same."""

import copy
import json
import re
import subprocess
import sys

import pytest
import yaml

from bot.settings import NAMES
from tests.deploy.tools import DEPLOY, ROOT, built, python_with, rendered, run, tool

OVERLAYS = ("minimal", "production")
BUILT = (*OVERLAYS, "restore")
VERSIONS = ("1.27", "1.37")
"""The oldest that the chart allows, and the newest that the validator knows."""
FOREIGN = {"PodMonitor", "PrometheusRule"}
"""Kinds of the Prometheus Operator, whose schemas the validator does not have."""


def pods(objects):
    """The name and the pod of each workload."""
    jobs = {
        manifest["metadata"]["name"]: manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        for manifest in objects
        if manifest["kind"] == "CronJob"
    }
    return jobs | {
        manifest["metadata"]["name"]: manifest["spec"]["template"]["spec"]
        for manifest in objects
        if manifest["kind"] in ("Deployment", "Job")
    }


def containers(pod):
    """All containers of a pod."""
    return [*pod.get("initContainers", []), *pod["containers"]]


def kinds(objects, kind):
    """The objects of a kind by name."""
    return {manifest["metadata"]["name"]: manifest for manifest in objects if manifest["kind"] == kind}


@pytest.fixture(scope="module", name="overlays")
def _overlays():
    """What kustomize builds, and the job that is applied alone, by the command that the page gives."""
    page = (ROOT / "docs/how-to/backups.md").read_text()
    [command] = re.findall(r"^(sed .*restore\.yaml) \| kubectl apply", page, re.MULTILINE)
    restore = run("sh", "-c", f"image=countersign:0.1.0; {command}")
    return {name: built(f"overlays/{name}") for name in OVERLAYS} | {"restore": list(yaml.safe_load_all(restore))}


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("overlay", BUILT)
def test_every_object_fits_kubernetes_schema(overlay, version, overlays, tmp_path):
    file = tmp_path / "all.yaml"
    file.write_text(yaml.safe_dump_all(manifest for manifest in overlays[overlay] if manifest["kind"] not in FOREIGN))

    run(tool("kubernetes-validate"), "--strict", "--quiet", "--kubernetes-version", version, file)


def test_the_validator_finds_a_misspelt_word(overlays, tmp_path):
    wrong = copy.deepcopy(kinds(overlays["minimal"], "Deployment")["countersign-web"])
    wrong["spec"]["template"]["spec"]["containers"][0]["securityContext"]["readOnlyRootFileSystem"] = True
    file = tmp_path / "wrong.yaml"
    file.write_text(yaml.safe_dump(wrong))

    done = subprocess.run([tool("kubernetes-validate"), "--strict", file], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "readOnlyRootFileSystem" in done.stdout + done.stderr


@pytest.mark.parametrize("overlay", BUILT)
def test_every_pod_may_do_nothing_but_its_work(overlay, overlays):
    for name, pod in pods(overlays[overlay]).items():
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 10_000
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
        assert not [volume for volume in pod["volumes"] if "hostPath" in volume]
        for container in containers(pod):
            may = container["securityContext"]
            assert may["allowPrivilegeEscalation"] is may["privileged"] is False
            assert may["readOnlyRootFilesystem"] is may["runAsNonRoot"] is True
            assert may["capabilities"] == {"drop": ["ALL"]}
            assert set(container["resources"]["requests"]) >= {"cpu", "memory"}
            assert set(container["resources"]["limits"]) >= {"cpu", "memory"}
            assert re.search(r":[\w.]+|@sha256:[0-9a-f]{64}$", container["image"])
            assert not container["image"].endswith(":latest")
    assert "Secret" not in {manifest["kind"] for manifest in overlays[overlay]}


@pytest.mark.parametrize("role", ["web", "worker"])
def test_replicas_are_apart_and_some_always_stay(role, overlays):
    objects = overlays["minimal"]
    deployment = kinds(objects, "Deployment")[f"countersign-{role}"]
    pod, labels = deployment["spec"]["template"]["spec"], deployment["spec"]["template"]["metadata"]["labels"]
    container = pod["containers"][0]

    assert deployment["spec"]["replicas"] >= 2
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    [affinity] = pod["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert affinity["podAffinityTerm"]["labelSelector"]["matchLabels"].items() <= labels.items()
    assert pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"].items() <= labels.items()
    budget = kinds(objects, "PodDisruptionBudget")[f"countersign-{role}"]["spec"]
    assert budget["selector"]["matchLabels"].items() <= labels.items()
    assert budget["minAvailable"] < deployment["spec"]["replicas"]
    assert [container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness", "readiness")] == [
        "/livez",
        "/livez",
        "/readyz",
    ]
    assert container["args"][:3] == ["serve", "--role", role]
    assert pod["terminationGracePeriodSeconds"] >= 40 + int(container["lifecycle"]["preStop"]["exec"]["command"][1])


def test_services_and_policies_select_the_pods(overlays):
    objects = overlays["minimal"]
    labels = {
        manifest["metadata"]["name"]: manifest["spec"]["template"]["metadata"]["labels"]
        for manifest in objects
        if manifest["kind"] in ("Deployment", "Job")
    }
    web = kinds(objects, "Service")["countersign"]["spec"]["selector"]
    nothing = kinds(objects, "NetworkPolicy")["countersign-nothing"]["spec"]

    assert [name for name, has in labels.items() if web.items() <= has.items()] == ["countersign-web"]
    assert all(nothing["podSelector"]["matchLabels"].items() <= has.items() for has in labels.values())
    assert set(nothing["policyTypes"]) == {"Ingress", "Egress"}
    assert not {"ingress", "egress"} & set(nothing)


def test_a_restore_finds_the_database_volume_and_keys_of_the_backup(overlays):
    objects, [job] = overlays["production"], overlays["restore"]
    spec, backup = job["spec"]["template"]["spec"], pods(objects)["countersign-backup"]
    [restore], [made] = spec["containers"], backup["containers"]
    volumes, theirs = ({volume["name"]: volume for volume in pod["volumes"]} for pod in (spec, backup))
    worker = kinds(objects, "Deployment")["countersign-worker"]["spec"]["template"]["spec"]
    nothing = kinds(objects, "NetworkPolicy")["countersign-nothing"]["spec"]

    [script] = restore["args"]
    assert 'exec countersign restore /backups/NAME ${newest:+--erasures "$newest"}' in script
    assert 'erasures export --out "/backups/erasures-$at.json"' in made["args"][0]
    assert made["env"][0] in restore["env"]
    assert {name: volumes[name] for name in ("owner", "backups")} == {
        name: theirs[name] for name in ("owner", "backups")
    }
    assert volumes["keys"]["secret"]["secretName"] == worker["volumes"][0]["secret"]["secretName"]
    assert {mount["name"] for mount in restore["volumeMounts"]} == set(volumes)
    assert {variable["name"] for variable in restore["env"]} == {
        "COUNTERSIGN_DATABASE_URL_FILE",
        "COUNTERSIGN_KEYS_FILE",
    }
    assert nothing["podSelector"]["matchLabels"].items() <= job["spec"]["template"]["metadata"]["labels"].items()


def test_settings_exist_and_secrets_are_mounted(overlays):
    objects = overlays["minimal"]
    [settings] = [manifest["data"] for manifest in objects if manifest["kind"] == "ConfigMap"]
    mounted = kinds(objects, "Deployment")["countersign-web"]["spec"]["template"]["spec"]["containers"][0]

    assert [name for name in settings if name.removesuffix("_FILE") not in NAMES and name not in NAMES] == []
    folders = [mount["mountPath"] for mount in mounted["volumeMounts"]]
    assert {path.rpartition("/")[0] for name, path in settings.items() if name.endswith("_FILE")} <= set(folders)


def test_workers_follow_the_backlog(overlays):
    objects = overlays["production"]
    scalers = kinds(objects, "HorizontalPodAutoscaler")
    adapter = yaml.safe_load((DEPLOY / "kubernetes/components/autoscaling/prometheus-adapter.yaml").read_text())
    [metric] = scalers["countersign-worker"]["spec"]["metrics"]
    name = metric["external"]["metric"]["name"]

    assert set(scalers) == set(kinds(objects, "Deployment"))
    assert all("replicas" not in value["spec"] for value in kinds(objects, "Deployment").values())
    assert adapter["rules"]["external"][0]["seriesQuery"].startswith(f"{name}{{")


PRODUCTION = {
    "autoscaling": {"enabled": True},
    "monitoring": {"enabled": True},
    "tracing": {"endpoint": "http://opentelemetry-collector.monitoring:4318"},
}
"""The values that make of the chart what the overlay of that name is."""


def plain(objects):
    """Objects by kind and name, without what tells only which of the two tools made them."""
    found = {}
    for manifest in copy.deepcopy(objects):
        metadata = manifest["metadata"]
        if manifest["kind"] == "Namespace":
            continue  # Helm makes it: --create-namespace
        metadata["name"] = re.sub(r"^countersign-[a-z0-9]{10}$", "countersign", metadata["name"])
        if manifest["kind"] == "Job":
            del metadata["annotations"]  # the hooks of Argo CD here, those of Helm there
        if manifest["kind"] == "Deployment":
            manifest["spec"]["template"]["metadata"]["annotations"].pop("checksum/settings", None)
        text = re.sub(r'"name": "countersign-[a-z0-9]{10}"', '"name": "countersign"', json.dumps(manifest))
        found[manifest["kind"], metadata["name"]] = json.loads(text)
    return found


@pytest.mark.parametrize(
    ("overlay", "values"),
    [("minimal", {}), ("production", PRODUCTION)],
)
def test_the_chart_gives_the_same_objects(overlay, values, overlays):
    chart, kustomized = plain(rendered(**values)), plain(overlays[overlay])

    assert set(chart) == set(kustomized)
    for key, expected in kustomized.items():
        assert chart[key] == expected, key


def test_the_chart_is_made_from_the_manifests():
    run(sys.executable, "deploy/release/chart.py", "--check")


def test_helm_finds_nothing():
    script = "import json, sys, helm_python; print(json.dumps(helm_python.lint(sys.argv[1], strict=True)))"
    said = json.loads(run(python_with("helm_python"), "-c", script, DEPLOY / "chart"))

    assert said["errors"] == []
    assert [message["error"] for message in said["messages"] if message["severity"] > 1] == []


def test_values_choose_image_replicas_settings_and_secrets():
    digest = f"sha256:{'a' * 64}"
    objects = rendered(
        image={"repository": "registry.example.org/countersign", "digest": digest},
        worker={"replicas": 5, "resources": {"limits": {"memory": "2Gi"}}},
        secretName="ours", ingress={"enabled": False}, settings={"COUNTERSIGN_PROXIES": "2"},
    )  # fmt: skip
    worker = kinds(objects, "Deployment")["countersign-worker"]["spec"]

    assert worker["replicas"] == 5
    assert worker["template"]["spec"]["containers"][0]["image"] == f"registry.example.org/countersign@{digest}"
    assert worker["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"] == "2Gi"
    assert worker["template"]["spec"]["volumes"][0]["secret"]["secretName"] == "ours"
    assert kinds(objects, "ConfigMap")["countersign"]["data"]["COUNTERSIGN_PROXIES"] == "2"
    assert kinds(objects, "Ingress") == {}


@pytest.mark.parametrize(
    "values",
    [
        {"settings": {"COUNTERSIGN_KEYS": "1:secret"}},
        {"settings": {"NAME": "x"}},
        {"image": {"repository": "x", "digest": "latest"}},
        {"secretname": "x"},
        {"web": {"replicas": 0, "resources": {}}},
    ],
)
def test_a_secret_or_misspelt_value_is_refused(values):
    with pytest.raises(AssertionError, match="HelmValuesError"):
        rendered(**values)


def test_every_manifest_is_used():
    named = set()
    for file in (DEPLOY / "kubernetes").rglob("kustomization.yaml"):
        said = yaml.safe_load(file.read_text())
        named |= {file.parent / resource for resource in said.get("resources", [])}
        named |= {file.parent / env for maker in said.get("configMapGenerator", []) for env in maker.get("envs", [])}
    files = {
        file for file in (DEPLOY / "kubernetes").rglob("*") if file.is_file() and file.name != "kustomization.yaml"
    }

    assert {str(file.relative_to(ROOT)) for file in files - named} == {
        "deploy/kubernetes/components/autoscaling/prometheus-adapter.yaml",
        "deploy/kubernetes/components/backups/restore.yaml",  # applied by hand
    }
