"""Kustomizations and charts are rendered by their own tools, and what those say is one line."""

from pathlib import Path

import pytest

from bot.doctor.manifests import documents, rendering
from bot.doctor.manifests.documents import ManifestsInvalid
from bot.doctor.manifests.rendering import ToolMissing, Unrendered, kustomized, templated
from tests.deploy.tools import helm_command, tool

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
    """The base is judged as part of it; patches by label, generators and replacements are kustomize's own."""
    overlay(
        tmp_path,
        "namePrefix: x-\nimages: [{name: countersign, newTag: 1.2.3}]\npatches: [{target: {labelSelector: 'tier=web'}, patch: '- {op: replace, path: /spec/replicas, value: 7}'}]\n",
    )
    [found] = documents.read(tmp_path)

    [one] = found.objects
    assert (one["metadata"]["name"], one["spec"]["replicas"]) == ("x-web", 7)
    assert one["spec"]["template"]["spec"]["containers"][0]["image"] == "countersign:1.2.3"
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
def test_what_kubectl_does_not_render(tmp_path, text, said):
    """Its own words, in one line, and no grade."""
    (tmp_path / "web.yaml").write_text(WEB)
    (tmp_path / "kustomization.yaml").write_text(f"{text}\n")
    with pytest.raises(Unrendered) as caught:
        kustomized(tmp_path)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    [found] = documents.read(tmp_path)
    assert found.objects == ()
    assert said in found.unread[0]


@pytest.mark.usefixtures("kubectl")
def test_a_component_is_not_applied_alone(tmp_path):
    """Where nothing takes it in, there is nothing to judge."""
    (tmp_path / "kustomization.yaml").write_text("kind: Component\nresources: [web.yaml]\n")
    (tmp_path / "web.yaml").write_text(WEB)
    with pytest.raises(ManifestsInvalid, match="contains no Kubernetes manifests"):
        documents.read(tmp_path)


def chart(folder, template):
    """A chart with that template."""
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: x\nversion: 0.1.0\n")
    (folder / "values.yaml").write_text("replicas: 3\n")
    (folder / "templates/web.yaml").write_text(template)
    return folder


def test_a_chart_is_what_helm_makes_of_it(tmp_path, monkeypatch):
    """With its own values, in the namespace of the page that installs it."""
    monkeypatch.setenv("PATH", str(helm_command(tmp_path)))
    template = WEB.replace("replicas: 1", "replicas: {{ .Values.replicas }}").replace(
        "{name: web,", "{name: web, namespace: {{ .Release.Namespace }},"
    )
    chart(tmp_path / "chart", template)
    [found] = documents.read(tmp_path / "chart")

    assert found.objects[0]["spec"]["replicas"] == 3
    assert found.objects[0]["metadata"]["namespace"] == "countersign"
    assert found.read_by == "chart was rendered by `helm template` with its own values.yaml"


def test_a_template_that_cannot_be_rendered(tmp_path, monkeypatch):
    """Helm says why."""
    monkeypatch.setenv("PATH", str(helm_command(tmp_path)))
    with pytest.raises(Unrendered, match=r"helm template: Error: .*none") as caught:
        templated(chart(tmp_path / "chart", '{{ include "none" . }}'))
    assert "\n" not in str(caught.value)


def test_without_the_tools(tmp_path, monkeypatch):
    """It says what to install."""
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
def test_a_tool_is_bounded(tmp_path, monkeypatch, script, said):
    """In time and in what it writes."""
    (tmp_path / "kustomize").write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
    (tmp_path / "kustomize").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(rendering, "_TIMEOUT_SECONDS", 1)
    monkeypatch.setattr(rendering, "_MAX_OUTPUT_BYTES", 2000)
    with pytest.raises(Unrendered) as caught:
        kustomized(tmp_path)
    assert str(caught.value) == said


def test_a_program_that_cannot_run(tmp_path, monkeypatch):
    """No traceback."""
    (tmp_path / "kustomize").write_bytes(b"\x00\x01")
    (tmp_path / "kustomize").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unrendered, match="kustomize build could not be run"):
        kustomized(tmp_path)
