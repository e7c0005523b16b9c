"""A folder is read as it would be deployed; what cannot be read is one line."""

import os
import time
from pathlib import Path

import pytest

from bot.doctor.manifests import manifest_documents, manifest_files
from bot.doctor.manifests.manifest_documents import ToolMissing, Unrendered, YAMLInvalid, kustomized, parsed, templated
from bot.doctor.manifests.manifest_files import ManifestsInvalid
from tests.deploy.tools import helm_command, tool

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: a}]}\n"


def names(deployment):
    """Kinds and names of its objects."""
    return [f"{found['kind']}/{found['metadata']['name']}" for found in deployment.objects]


def test_files_of_subfolders_and_items_of_a_list_are_read(tmp_path):
    (tmp_path / "a.yaml").write_text(POD % "one" + "---\n" + POD % "two" + "---\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/c.yml").write_text(
        "kind: List\napiVersion: v1\nitems:\n- {kind: Pod, apiVersion: v1, metadata: {name: three}}\n"
        "---\nkind: PodList\napiVersion: v1\nitems:\n- {kind: Pod, apiVersion: v1, metadata: {name: four}}\n"
    )
    (tmp_path / "alerts.yaml").write_text("groups: []\n")
    [found] = manifest_documents.read(tmp_path)

    assert names(found) == ["Pod/one", "Pod/two", "Pod/three", "Pod/four"]
    assert found.read_by.endswith("was read as raw files, which may differ from what is applied")


def test_each_compose_file_is_one_deployment(tmp_path):
    (tmp_path / "compose.yaml").write_text("services: {web: {image: a, cap_drop: [ALL]}}\n")
    (tmp_path / "compose.override.yaml").write_text("services: {web: {privileged: true, cap_drop: [NET_RAW]}}\n")
    (tmp_path / "compose.postgres.yaml").write_text("services: {web: {image: '${IMAGE:-b}'}}\n")
    found = {deployment.source: deployment for deployment in manifest_documents.read(tmp_path)}

    assert [f"{tmp_path.name}/{name}" for name in ("compose.postgres.yaml", "compose.yaml")] == [*found]
    both = found[f"{tmp_path.name}/compose.yaml"]
    assert both.compose == {"services": {"web": {"image": "a", "cap_drop": ["ALL", "NET_RAW"], "privileged": True}}}
    assert "with compose.override.yaml" in both.read_by
    assert found[f"{tmp_path.name}/compose.postgres.yaml"].compose == {"services": {"web": {"image": "b"}}}


def test_the_documents_of_a_compose_file_are_merged_as_compose_does(tmp_path):
    more = "services: {web: {privileged: true}, db: {image: b}}\n---\n---\nvolumes: {v: {}}\n"
    (tmp_path / "compose.yaml").write_text(f"services: {{web: {{image: a}}}}\n---\n{more}")
    [found] = manifest_documents.read(tmp_path)

    services = {"web": {"image": "a", "privileged": True}, "db": {"image": "b"}}
    assert found.compose == {"services": services, "volumes": {"v": {}}}


def test_an_override_alone_is_no_deployment(tmp_path):
    (tmp_path / "compose.override.yaml").write_text("services: {web: {privileged: true}}\n")
    [found] = manifest_documents.read(tmp_path)

    assert found.unread == (f"{tmp_path.name}/compose.override.yaml: the file that it changes is not here",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a: [", "wrong.yaml, line 2: did not find expected node content"),
        (b"a: {{ .Values.x }}", "render the template first"),
        (b"\xff", "not UTF-8 text"),
        (b"\x7fELF\x00\x01", "is not valid YAML"),
        (b"a: " + b"x" * 2_000_001, "has more than 2000000 bytes"),
        (b"&a [*a]", "stands inside what it means"),
        (b"- " * 5000, "nested deeper than 100 levels"),
        (b"a: 1", "contains no Kubernetes manifests and no compose file"),
    ],
)
def test_an_unreadable_manifest_is_one_line_with_its_place(tmp_path, content, said):
    (tmp_path / "wrong.yaml").write_bytes(content)
    with pytest.raises(ManifestsInvalid) as caught:
        manifest_documents.read(tmp_path)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_folder_is_said(tmp_path):
    with pytest.raises(ManifestsInvalid, match="no such folder"):
        manifest_documents.read(tmp_path / "nowhere")


def test_links_and_pipes_neither_stop_nor_repeat_the_reading(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "pod.txt").write_text(POD % "one")
    (tmp_path / "pod.yaml").symlink_to(tmp_path / "pod.txt")
    [found] = manifest_documents.read(tmp_path)

    assert names(found) == ["Pod/one"]


def test_a_folder_with_too_many_files_is_refused(tmp_path, monkeypatch):
    """A person may have named the wrong folder."""
    monkeypatch.setattr(manifest_files, "_MAX_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(ManifestsInvalid, match="has more than 3 files: name the folder of the manifests alone"):
        manifest_documents.read(tmp_path)


def test_charts_in_a_chart_are_part_of_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for place in (tmp_path, tmp_path / "charts/redis"):
        (place / "templates").mkdir(parents=True)
        (place / "Chart.yaml").write_text("name: x\n")
        (place / "templates/web.yaml").write_text("{{ if .Values.x }}\n")
    [found] = manifest_documents.read(tmp_path)

    assert found.missing.startswith(f"the chart {tmp_path.name}: helm is not on this machine")


def test_a_broken_kustomization_is_said_by_its_tool(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "kustomization.yaml").write_text("resources: [")
    assert manifest_documents.read(tmp_path)[0].missing.endswith("install kubectl (or kustomize)")


LAUGHS = "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{','.join([f'*a{n}'] * 9)}]\n" for n in range(9))
MERGES = "a0: &a0 {k: 1}\n" + "".join(f"a{n + 1}: &a{n + 1} {{<<: [{','.join([f'*a{n}'] * 9)}]}}\n" for n in range(9))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, "more than 500000 values with all aliases"),
        (MERGES, "more than 500000 values with all aliases"),
        ("- " * 200, "nested deeper than 100 levels"),
        ("&a [*a]", r"line 1: \*a stands inside what it means"),
        ("a: 1\nb: {c: 1, c: 2}", "line 2: the key 'c' stands twice"),
        ("? [1]\n: x", "line 1: a key that is no text"),
        ("a: [", "line 2: did not find expected node content"),
        ("a: !!python/object:os.system x", "line 1: could not determine a constructor"),
        ("a: 2026-99-99", "month must be in"),
        ("\x00", "control characters are not allowed"),
    ],
)
def test_hostile_yaml_is_refused_in_one_line_and_in_time(text, said):
    began = time.monotonic()
    with pytest.raises(YAMLInvalid, match=said) as caught:
        parsed(text)

    assert time.monotonic() - began < 2
    assert "\n" not in str(caught.value)


def test_anchors_merges_documents_yaml_1_1_and_json_are_read():
    assert parsed("---\n---\na: &a {b: yes}\nc: {<<: *a, d: 2}\n") == [{"a": {"b": True}, "c": {"b": True, "d": 2}}]
    assert parsed('{"a": [1, "x"]}') == [{"a": [1, "x"]}]
    assert parsed("") == []


WEB = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {tier: web}}\nspec: {replicas: 1, template: {spec: {containers: [{name: app, image: countersign}]}}}\n"


@pytest.fixture(name="kubectl")
def _kubectl(monkeypatch):
    """Where it is found; skips where it is not."""
    monkeypatch.setenv("PATH", str(Path(tool("kubectl")).parent), prepend=":")


def overlay(folder, text):
    """A base and an overlay that says that."""
    for name, said in (("base", "resources: [web.yaml]\n"), ("prod", f"resources: [../base]\n{text}")):
        (folder / name).mkdir()
        (folder / name / "kustomization.yaml").write_text(said)
    (folder / "base/web.yaml").write_text(WEB)


@pytest.mark.usefixtures("kubectl")
def test_an_overlay_is_what_kubectl_makes_of_it(tmp_path):
    overlay(
        tmp_path,
        "namePrefix: x-\nimages: [{name: countersign, newTag: 1.2.3}]\npatches: [{target: {labelSelector: 'tier=web'}, patch: '- {op: replace, path: /spec/replicas, value: 7}'}]\n",
    )
    [found] = manifest_documents.read(tmp_path)

    [workload] = found.objects
    assert (workload["metadata"]["name"], workload["spec"]["replicas"]) == ("x-web", 7)
    assert workload["spec"]["template"]["spec"]["containers"][0]["image"] == "countersign:1.2.3"
    assert found.read_by == f"{tmp_path.name}/prod was rendered by `kubectl kustomize`"


@pytest.mark.usefixtures("kubectl")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("helmCharts: [{name: redis}]", "must specify --enable-helm"),
        ("patches: [{path: none.yaml}]", "none.yaml"),
        ("resources: [/etc]", "kubectl kustomize: error: "),
        (
            "patches: [{target: {kind: Deployment}, patch: '[{op: x}'}]",
            "error: trouble configuring builtin PatchTransformer",
        ),
        ("resources: 5", "kubectl kustomize: error: invalid Kustomization"),
    ],
)
def test_a_kustomization_that_kubectl_refuses_is_told_in_its_words(tmp_path, text, said):
    (tmp_path / "web.yaml").write_text(WEB)
    (tmp_path / "kustomization.yaml").write_text(f"{text}\n")
    with pytest.raises(Unrendered) as caught:
        kustomized(tmp_path)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    [found] = manifest_documents.read(tmp_path)
    assert found.objects == ()
    assert said in found.unread[0]


@pytest.mark.usefixtures("kubectl")
def test_a_component_is_not_applied_alone(tmp_path):
    (tmp_path / "kustomization.yaml").write_text("kind: Component\nresources: [web.yaml]\n")
    (tmp_path / "web.yaml").write_text(WEB)
    with pytest.raises(ManifestsInvalid, match="contains no Kubernetes manifests"):
        manifest_documents.read(tmp_path)


BASE, COMPONENT = "resources: [web.yaml]\n", "kind: Component\nresources: [../base]\n"


@pytest.mark.parametrize(
    ("kustomizations", "applied", "left"),
    [
        ({"base": BASE, "prod": "resources: [../base]\n"}, ["prod"], []),
        ({"base": BASE, "part": COMPONENT, "prod": "components: [../part]\n"}, ["prod"], []),
        ({"base": BASE, "part": COMPONENT}, ["base"], []),
        ({"base": "resources: [../prod]\n", "prod": "resources: [../base]\n"}, [], ["base", "prod"]),
        ({"base": "resources: [../base]\n"}, ["base"], []),
        (
            {"base": BASE, "a": "resources: [../b, ../base]\n", "b": "resources: [../a]\n", "prod": BASE},
            ["prod"],
            ["a", "b", "base"],
        ),
        ({"base": BASE, "prod": "resources: [https://x.example/y, 5]\n"}, ["base", "prod"], []),
    ],
)
def test_each_kustomization_is_applied_or_taken_or_said(tmp_path, monkeypatch, kustomizations, applied, left):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, text in kustomizations.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "kustomization.yaml").write_text(text)
    found = manifest_documents.read(tmp_path)

    assert [deployment.source.rpartition("/")[2] for deployment in found if deployment.missing] == applied
    assert [why for deployment in found for why in deployment.unread] == [
        f"{tmp_path.name}/{name}: no kustomization that is applied names it" for name in left
    ]


@pytest.mark.parametrize(
    ("said", "text", "exposed"),
    [
        ("web.env", "# a\nCOUNTERSIGN_KEYS='k1 abc'\n", ["web.env (COUNTERSIGN_KEYS)"]),
        ("[web.env]", "export DB_PASSWORD=x", ["web.env (DB_PASSWORD)"]),
        ("[{path: web.env, required: false}]", "URL=postgresql://a:b@db/c\n", ["web.env (an address with a password)"]),
        ("web.env", "COUNTERSIGN_KEYS_FILE=/run/secrets/keys\nDB_PASSWORD=\nCOUNTERSIGN_URL=https://x.example\n", []),
        ("web.env", "# DB_URL=postgresql://a:b@db/c\n  #COUNTERSIGN_KEYS=abc\n", []),
        ("other.env", "COUNTERSIGN_KEYS=abc\n", []),
    ],
)
def test_secrets_in_the_file_of_a_services_variables_are_found(tmp_path, said, text, exposed):
    (tmp_path / "compose.yaml").write_text(f"services: {{web: {{image: countersign, env_file: {said}}}}}\n")
    (tmp_path / "web.env").write_text(text)
    [found] = manifest_documents.read(tmp_path)

    assert found.exposed == tuple(f"service web: env_file {what} is a secret" for what in exposed)


def test_a_file_of_variables_that_cannot_be_read_is_said(tmp_path):
    (tmp_path / "compose.yaml").write_text("services: {a: {image: countersign, env_file: x}, b: {env_file: [x]}}\n")
    (tmp_path / "x").write_bytes(b"\xff")
    [found] = manifest_documents.read(tmp_path)

    assert (found.exposed, found.unread) == ((), (f"cannot read {tmp_path / 'x'}: not UTF-8 text",))


def chart(folder, template):
    """A chart with that template."""
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: x\nversion: 0.1.0\n")
    (folder / "values.yaml").write_text("replicas: 3\n")
    (folder / "templates/web.yaml").write_text(template)
    return folder


def test_a_chart_is_what_helm_makes_of_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(helm_command(tmp_path)))
    template = WEB.replace("replicas: 1", "replicas: {{ .Values.replicas }}").replace(
        "{name: web,", "{name: web, namespace: {{ .Release.Namespace }},"
    )
    chart(tmp_path / "chart", template)
    [found] = manifest_documents.read(tmp_path / "chart")

    assert found.objects[0]["spec"]["replicas"] == 3
    assert found.objects[0]["metadata"]["namespace"] == "countersign"
    assert found.read_by == "chart was rendered by `helm template` with its own values.yaml"


def test_a_template_that_cannot_be_rendered_is_told_in_helms_words(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(helm_command(tmp_path)))
    with pytest.raises(Unrendered, match=r"helm template: Error: .*none") as caught:
        templated(chart(tmp_path / "chart", '{{ include "none" . }}'))
    assert "\n" not in str(caught.value)


def test_without_kubectl_or_helm_the_missing_tool_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match=r"install kubectl \(or kustomize\)"):
        kustomized(tmp_path)
    with pytest.raises(ToolMissing, match="install helm"):
        templated(tmp_path)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("sleep 5", "kustomize build took more than 1 seconds"),
        ("yes | head -c 3000", "kustomize build wrote more than 2000 bytes"),
        ("exit 3", "kustomize build: it failed and said nothing"),
        ("echo warning >&2; echo 'Error: no' >&2; echo more >&2; exit 1", "kustomize build: Error: no more"),
    ],
)
def test_a_tool_is_bounded_in_time_and_output(tmp_path, monkeypatch, script, said):
    (tmp_path / "kustomize").write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
    (tmp_path / "kustomize").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(manifest_documents, "_TIMEOUT_SECONDS", 1)
    monkeypatch.setattr(manifest_documents, "_MAX_OUTPUT_BYTES", 2000)
    with pytest.raises(Unrendered) as caught:
        kustomized(tmp_path)
    assert str(caught.value) == said


def test_a_program_that_cannot_run_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "kustomize").write_bytes(b"\x00\x01")
    (tmp_path / "kustomize").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unrendered, match="kustomize build could not be run"):
        kustomized(tmp_path)
