"""What looks like a manifest and is not read as one is said; other files of a folder are not."""

import os

import pytest

from bot.doctor.manifests import manifest_documents, manifest_files
from bot.doctor.manifests.manifest_files import ManifestsInvalid

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: countersign}]}\n"
COMPOSE = "services: {web: {image: countersign}}\n"


def write(folder, name, text):
    """A file in the folder, or below it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def unread(folder):
    """What of the folder was not read, without its name."""
    found = [why for deployment in manifest_documents.read(folder) for why in deployment.unread]
    return [why.removeprefix(f"{folder.name}/") for why in found]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("k/web.yaml.j2", POD, "k/web.yaml.j2 is a template"),
        ("web.yml.tpl", COMPOSE, "web.yml.tpl is a template"),
        ("web.json.tmpl", '{"kind": "Pod", "image": "{{ x }}"}', "web.json.tmpl is a template"),
        ("web.gotmpl", f"{{{{ if x }}}}\n{POD}", "web.gotmpl is a template"),
        ("web.yaml.erb", POD, "web.yaml.erb is a template"),
        ("compose.yaml.in", COMPOSE, "compose.yaml.in is a template"),
        ("web.jsonnet", "{kind: 'Pod', image: 'ghcr.io/x/countersign:1'}", "web.jsonnet names an image of Countersign"),
        ("main.tf", 'image = "countersign:0.1.0"', "main.tf names an image of Countersign"),
        (
            "web.container",
            "[Container]\nImage=ghcr.io/x/countersign:1\n",
            "web.container names an image of Countersign",
        ),
        (
            "play.yml",
            "- hosts: all\n  tasks:\n  - docker_container: {image: countersign, privileged: true}\n",
            "play.yml names an image of Countersign",
        ),
        ("web.yaml", "kind: Deployment\nmetadata: {name: a}\n", "web.yaml has kind alone"),
        ("web.yaml", "apiVersion: apps/v1\nspec: {replicas: 1}\n", "web.yaml has apiVersion alone"),
        ("web.json", '{"kind": "Pod", "spec": {"containers": []}}', "web.json has kind alone"),
    ],
)
def test_what_looks_like_a_manifest_and_cannot_be_read_is_said(tmp_path, name, text, why):
    write(tmp_path, "compose.yaml", COMPOSE)
    write(tmp_path, name, text)
    assert unread(tmp_path) == [why]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", f"```yaml\n{COMPOSE}image: countersign:1\n```\n"),
        ("nginx.conf.j2", "upstream app { server countersign:8080; }\n"),
        ("prometheus.yml.tmpl", "scrape_configs:\n- job_name: countersign\n"),
        ("Makefile.in", "IMAGE = countersign:1\nimage:\n\tdocker build\n"),
        ("countersign.env.template", "COUNTERSIGN_URL=\n"),
        ("main.tf", 'resource "aws_instance" "x" { ami = "ami-1" }\n'),
        (".gitlab-ci.yml", "check: {image: countersign, script: [countersign check]}\n"),
        (".drone.yml", "kind: pipeline\ntype: docker\nsteps: [{name: a, image: countersign}]\n"),
        ("play.yml", "- hosts: all\n  tasks: [{service: {name: nginx}}]\n"),
        ("datasource.yaml", "apiVersion: 1\ndatasources: [{name: Prometheus}]\n"),
        ("values.yaml", "image: {repository: countersign}\n"),
        ("package.json", '{"name": "x", "kind": "commonjs"}'),
    ],
)
def test_other_files_of_a_deployment_are_no_manifests(tmp_path, name, text):
    write(tmp_path, "compose.yaml", COMPOSE)
    write(tmp_path, name, text)
    assert unread(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "text", "is_said"),
    [
        ("web.yaml", POD, True),
        ("k/web.json", '{"kind": "Pod"}', True),
        ("kustomization.yaml", "resources: []\n", True),
        ("Chart.yaml", "name: x\n", True),
        ("web.txt", POD, False),
        ("config.yaml", "a: 1\n", False),
    ],
)
def test_a_link_to_a_folder_with_manifests_elsewhere_is_said(tmp_path, name, text, is_said):
    folder, elsewhere = tmp_path / "deploy", tmp_path / "elsewhere"
    write(folder, "compose.yaml", COMPOSE)
    write(elsewhere, name, text)
    (folder / "k8s").symlink_to(elsewhere)
    (folder / "here").symlink_to(folder)  # All of it is read already.
    assert unread(folder) == (["k8s is a link, which is not followed"] if is_said else [])


def test_a_compose_file_beside_a_kustomization_or_a_chart_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for place, name in (("k", "kustomization.yaml"), ("c", "Chart.yaml")):
        write(tmp_path, f"{place}/{name}", "name: x\n")
        write(tmp_path, f"{place}/deep/docker-compose.prod.yml", COMPOSE)
    write(tmp_path, "c/templates/compose.yaml", "{{ broken")
    found = [deployment.source for deployment in manifest_documents.read(tmp_path) if deployment.compose]
    assert found == [f"{tmp_path.name}/{place}/deep/docker-compose.prod.yml" for place in ("c", "k")]


def test_a_compose_file_that_only_includes_others_is_one(tmp_path):
    write(tmp_path, "compose.yaml", "include: [other/compose.yaml]\n")
    write(tmp_path, "rules.yaml", "include: [other]\n")
    assert [deployment.compose for deployment in manifest_documents.read(tmp_path)] == [
        {"include": ["other/compose.yaml"]}
    ]


def test_a_folder_that_cannot_be_read_is_one_line(tmp_path, monkeypatch):
    write(tmp_path, "compose.yaml", COMPOSE)
    (tmp_path / "secret").mkdir()
    scan = os.scandir

    def refusing(path):
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(ManifestsInvalid, match=r"cannot read .*secret: Permission denied"):
        list(manifest_files.files(tmp_path))
