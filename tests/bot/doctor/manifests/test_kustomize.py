"""Bases, patches, images and generators come out as `kustomize build` makes them; what is not understood is named."""

import pytest
import yaml

from bot.doctor.manifests import documents
from bot.doctor.manifests.kustomize import build, merge

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
        - {name: app, image: "registry.example.org:5000/app:1", env: [{name: A, value: "1"}]}
        - {name: side, image: side}
"""


def built(folder, kustomization, **files):
    """The build of a folder with that kustomization beside WEB."""
    (folder / "web.yaml").write_text(WEB)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({"resources": ["web.yaml"], **kustomization}))
    return build(folder, documents.load, documents.kustomization)


def containers(made):
    """The containers of the first object."""
    return made.objects[0]["spec"]["template"]["spec"]["containers"]


def test_a_strategic_merge(tmp_path):
    """Containers and variables by their names."""
    patch = "kind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: app, env: [{name: B, value: '2'}]}, {name: side, $patch: delete}]}}}\n"
    made = built(tmp_path, {"patches": [{"path": "patch.yaml"}]}, patch_yaml=patch)

    assert [[one["name"] for one in part["env"]] for part in containers(made)] == [["A", "B"]]
    assert made.unread == []


def test_operations(tmp_path):
    """RFC 6902: add, replace, remove."""
    root = "/spec/template/spec/containers"
    patch = yaml.safe_dump(
        [
            {"op": "add", "path": f"{root}/0/env/-", "value": {"name": "C"}},
            {"op": "replace", "path": f"{root}/0/image", "value": "other:2"},
            {"op": "remove", "path": f"{root}/1"},
            {"op": "add", "path": "/metadata/annotations", "value": {"a~b": "c"}},
        ]
    )
    made = built(tmp_path, {"patches": [{"target": {"kind": "Deployment"}, "patch": patch}]})

    [part] = containers(made)
    assert (part["image"], [one["name"] for one in part["env"]]) == ("other:2", ["A", "C"])
    assert made.objects[0]["metadata"]["annotations"] == {"a~b": "c"}


@pytest.mark.parametrize(
    ("entry", "image"),
    [
        ({"newTag": "2"}, "registry.example.org:5000/app:2"),
        ({"newName": "app"}, "app:1"),
        ({"newName": "app", "digest": "sha256:ab"}, "app@sha256:ab"),
    ],
)
def test_images(tmp_path, entry, image):
    """By the name without its tag; others stay."""
    made = built(tmp_path, {"images": [{"name": "registry.example.org:5000/app", **entry}]})

    assert [part["image"] for part in containers(made)] == [image, "side"]


def test_generators(tmp_path):
    """Literals, files of variables, whole files; a file that is made only later holds nothing."""
    made = built(
        tmp_path,
        {
            "configMapGenerator": [{"name": "c", "literals": ["A=1=2"], "envs": ["more.env"], "files": ["k=note.txt"]}],
            "secretGenerator": [{"name": "s", "envs": ["secrets.env"]}],
        },
        more_env="# no\nB=2\n",
        note_txt="n",
    )
    config, secret = made.objects[1:]

    assert config["data"] == {"A": "1=2", "B": "2", "k": "n"}
    assert (secret["kind"], secret["data"]) == ("Secret", {})


def test_components_and_deletion(tmp_path):
    """A component patches what the kustomization has."""
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra/kustomization.yaml").write_text(
        "kind: Component\npatches: [{patch: '{kind: Deployment, metadata: {name: web}, $patch: delete}'}]\n"
    )

    made = built(tmp_path, {"components": ["extra"]})

    assert ([], []) == (made.objects, made.unread)


@pytest.mark.parametrize(
    ("kustomization", "said"),
    [
        ({"helmCharts": [{}]}, "helmCharts"),
        ({"resources": ["https://example.org/x"]}, "https://example.org/x is not in this folder"),
        ({"patches": [{"patch": "kind: Deployment\nmetadata: {name: other}"}]}, "a patch for Deployment other, which does not exist"),
        ({"patches": [{"target": {"kind": "Job"}, "patch": "- {op: remove, path: /spec}"}]}, "which does not exist"),
        ({"patches": [{"target": {"labelSelector": "a=b"}, "patch": "- {op: remove, path: /spec}"}]}, "labelSelector"),
        ({"patches": [{"target": {"kind": "Deployment"}, "patch": "- {op: move, path: /spec, from: /x}"}]}, "the operation move"),
        ({"patches": [{"target": {"kind": "Deployment"}, "patch": "- {op: remove, path: /spec/x/y}"}]}, "/spec/x/y, which does not exist"),
        ({"patches": [{"patch": "a: ["}]}, "kustomization.yaml: a patch that is not valid YAML"),
        ({"patches": [{"patch": 5}]}, "kustomization.yaml: a patch that is not text"),
        ({"patches": [{"path": 5}]}, "kustomization.yaml: a patch that is not text"),
        ({"patches": [{"target": 5, "patch": "- {op: remove, path: /spec}"}]}, "kustomization.yaml: a patch whose target is not a mapping"),
        ({"patches": [{"target": {1: 2, "a": 3}, "patch": "- {op: remove, path: /spec}"}]}, "a patch whose target has 1, a"),
        ({"components": 5}, "kustomization.yaml: components is not a list of text"),
        ({"resources": ["web.yaml", 5]}, "kustomization.yaml: resources is not a list of text"),
        ({"images": "app"}, "kustomization.yaml: images is not a list of mappings"),
        ({"configMapGenerator": [{"name": "c", "literals": 5}]}, "kustomization.yaml: literals is not a list of text"),
    ],
)  # fmt: skip
def test_what_is_not_understood(tmp_path, kustomization, said):
    """Is named, never passed over."""
    [unread] = built(tmp_path, kustomization).unread

    assert said in unread


def test_objects_without_a_mapping(tmp_path):
    """Get one where a patch or a number of replicas asks for it."""
    (tmp_path / "odd.yaml").write_text("kind: Deployment\nmetadata: 5\nspec:\n---\nkind: List\nitems: 5\n")
    patch = {"target": {"kind": "Deployment"}, "patch": "metadata: {labels: {a: b}}"}
    made = built(tmp_path, {"resources": ["odd.yaml"], "patches": [patch], "replicas": [{"count": 3}]})

    assert made.objects == [
        {"kind": "Deployment", "metadata": {"labels": {"a": "b"}, "name": None}, "spec": {"replicas": 3}}
    ]
    assert made.unread == []


def test_merging():
    """Null takes away; a list without names is replaced; `$patch: replace` replaces."""
    assert merge({"a": 1, "b": {"c": 2}}, {"a": None, "b": {"d": 3}}) == {"b": {"c": 2, "d": 3}}
    assert merge([1, 2], [3]) == [3]
    assert merge({"a": {"b": 1}}, {"a": {"$patch": "replace", "c": 2}}) == {"a": {"c": 2}}
