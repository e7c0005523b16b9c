"""A folder is read as it would be deployed; what cannot be read is one line."""

import pytest

from bot.doctor.manifests import documents
from bot.doctor.manifests.documents import ManifestsInvalid
from tests.bot.doctor.manifests.test_assessment import SAMPLE

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: a}]}\n"


def names(one):
    """Kinds and names of its objects."""
    return [f"{found['kind']}/{found['metadata']['name']}" for found in one.objects]


def test_several_files_and_documents(tmp_path):
    """Files of subfolders belong to it; a List is what it lists."""
    (tmp_path / "a.yaml").write_text(POD % "one" + "---\n" + POD % "two" + "---\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/c.yml").write_text(
        "kind: List\napiVersion: v1\nitems:\n- {kind: Pod, apiVersion: v1, metadata: {name: three}}\n"
    )
    (tmp_path / "alerts.yaml").write_text("groups: []\n")
    [found] = documents.read(tmp_path)

    assert names(found) == ["Pod/one", "Pod/two", "Pod/three"]


def test_an_overlay_and_its_base_are_one():
    """The sample's base is judged as part of its overlay, and alone when it is asked for."""
    [whole] = documents.read(SAMPLE / "kubernetes")
    [base] = documents.read(SAMPLE / "kubernetes/base")

    assert whole.source == "kubernetes/overlay"
    assert names(whole) == names(base)
    web = next(one for one in whole.objects if one["kind"] == "Deployment")
    assert web["spec"]["replicas"] == 3
    assert web["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.example.org/countersign:0.1.0"


def test_each_compose_file_is_one(tmp_path):
    """They are alternatives; a chart's templates are none."""
    (tmp_path / "compose.yaml").write_text("services: {web: {image: a}}\n")
    (tmp_path / "compose.postgres.yaml").write_text("services: {web: {image: b}}\n")
    (tmp_path / "chart/templates").mkdir(parents=True)
    (tmp_path / "chart/Chart.yaml").write_text("name: x\n")
    (tmp_path / "chart/templates/web.yaml").write_text("{{ if .Values.x }}\n")

    assert [f"{tmp_path.name}/{name}" for name in ("compose.postgres.yaml", "compose.yaml")] == [
        one.source for one in documents.read(tmp_path)
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a: [", "wrong.yaml, line 1: expected the node content"),
        (b"a: {{ .Values.x }}", "render the template first"),
        (b"\xff", "not UTF-8 text"),
        (b"a: " + b"x" * 2_000_001, "has more than 2000000 bytes"),
        (b"a: 1", "contains no Kubernetes manifests and no compose file"),
    ],
)
def test_what_cannot_be_read(tmp_path, content, said):
    """The file, the line, and what is the matter."""
    (tmp_path / "wrong.yaml").write_bytes(content)
    with pytest.raises(ManifestsInvalid) as caught:
        documents.read(tmp_path)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_folder(tmp_path):
    """Says so."""
    with pytest.raises(ManifestsInvalid, match="is not a folder"):
        documents.read(tmp_path / "nowhere")
