"""Each item of the checklist, broken in a manifest that has it, lowers the score and the grade, and says what to do."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import yaml

from bot.doctor.manifests import assessment, manifest_documents
from bot.doctor.manifests.checklist import CHECKLIST
from bot.doctor.manifests.manifest_documents import Deployment
from bot.doctor.manifests.manifest_files import ManifestsInvalid
from tests.bot.doctor.manifests import breaking
from tests.deploy.test_kubernetes import PRODUCTION as VALUES
from tests.deploy.tools import built, rendered

ROOT = Path(__file__).parents[4]
SAMPLE = Path(__file__).parent / "sample"
OURS = [*breaking.KUBERNETES, *breaking.PRODUCTION]
COMPOSE = [SAMPLE / "compose/compose.yaml", *sorted((ROOT / "deploy/compose").glob("compose*.yaml"))]


def named(table):
    """The parameters of a test, by what is broken."""
    return pytest.mark.parametrize(("item", "how"), [pytest.param(item, how, id=what) for what, item, how in table])


@cache
def deployment(which):
    """One deployment as it is judged, made once for all tests, none of which changes it."""
    if which == "sample":
        return manifest_documents.read(SAMPLE / "kubernetes")[0]
    return Deployment(which, tuple(built("overlays/production") if which == "overlay" else rendered(**VALUES)))


@cache
def composed(path):
    """A compose file, read once."""
    return next(sample for sample in manifest_documents.read(path.parent) if Path(sample.source).name == path.name)


def plain(value):
    """A copy without what YAML's anchors share, so that a change of one place changes no other."""
    return json.loads(json.dumps(value))


def failed(report):
    """The items that failed."""
    return [item.id for item in report.items if item.status == "fail"]


def is_lowered(report, name):
    """Whether that item took what it has to from a deployment that had everything: advice takes points alone."""
    return report.score < 100 and (report.grade == "A" if CHECKLIST[name].severity == "low" else report.grade > "A")


@pytest.mark.parametrize("which", ["sample", "overlay", "chart", *COMPOSE], ids=str)
def test_the_shipped_manifests_pass_with_the_best_grade(which):
    report = assessment.judge([composed(which) if which in COMPOSE else deployment(which)])

    assert [] == [(item.id, item.message) for item in report.items if not item.is_met]
    assert (100, "A", True) == (report.score, report.grade, report.is_fine)


def breaks(found, item, how):
    """Break one thing of a deployment, and see that it is named by that item, and by no other."""
    after = assessment.judge([replace(found, objects=breaking.broken(plain(found.objects), how))])

    assert failed(after) == [item]
    assert is_lowered(after, item), (after.score, after.grade)
    assert (
        next(doctor_result for doctor_result in after.items if doctor_result.id == item).remedy
        == CHECKLIST[item].kubernetes
    )


@named(breaking.KUBERNETES)
def test_each_breakage_of_the_sample_fails_its_item(item, how):
    breaks(deployment("sample"), item, how)


@named(OURS)
@pytest.mark.parametrize("which", ["overlay", "chart"])
def test_each_breakage_of_our_manifests_fails_its_item(which, item, how):
    breaks(deployment(which), item, how)


@named(breaking.COMPOSE)
@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_breakage_of_a_compose_file_fails_its_item(path, item, how):
    found = composed(path)
    changed = manifest_documents.compose_file.settled(breaking.broken(plain(found.compose), how))
    after = assessment.judge([replace(found, compose=changed)])

    assert failed(after) == [item]
    assert is_lowered(after, item), (after.score, after.grade)
    assert (
        next(doctor_result for doctor_result in after.items if doctor_result.id == item).remedy
        == CHECKLIST[item].compose
    )


def test_every_item_is_broken_above_and_has_its_remedy():
    kubernetes, compose = ({item for _, item, _ in table} for table in (OURS, breaking.COMPOSE))
    assert len(OURS) > 40
    assert kubernetes | compose == {*CHECKLIST}
    for name, requirement in CHECKLIST.items():
        assert (name in kubernetes, name in compose) == (bool(requirement.kubernetes), bool(requirement.compose)), name


def test_the_worst_deployment_decides_and_is_named(tmp_path):
    good = yaml.safe_load(COMPOSE[0].read_text())
    (tmp_path / "good.yaml").write_text(yaml.safe_dump(good), encoding="utf-8")
    (tmp_path / "compose.yaml").write_text(yaml.safe_dump(breaking.broken(plain(good), breaking.says(user="0"))))
    report = assessment.assess(tmp_path)
    [item] = [item for item in report.items if item.id == "security.non-root"]

    assert (item.status, report.grade) == ("fail", "D")
    assert f"{tmp_path.name}/compose.yaml: service web: " in item.message


def test_an_included_or_extended_compose_file_is_no_pass(tmp_path):
    (tmp_path / "compose.yaml").write_text(f"include: [other.yaml]\n{COMPOSE[0].read_text()}")
    report = assessment.assess(tmp_path)

    assert ("manifests.readable", "fail", "C") == (report.items[0].id, report.items[0].status, report.grade)
    assert "compose.yaml: include" in report.items[0].message


def test_a_manifest_that_the_cluster_would_fetch_is_no_pass():
    other = {"kind": "HelmRelease", "metadata": {"name": "redis"}, "spec": {}}
    found = deployment("sample")
    report = assessment.judge([replace(found, objects=(*found.objects, other))])

    assert failed(report) == ["manifests.readable"]
    assert "helmrelease/redis deploys what is not in these files" in report.items[0].message


def test_a_manifest_that_cannot_be_rendered_is_no_pass(tmp_path, monkeypatch):
    (tmp_path / "compose.yaml").write_text(COMPOSE[0].read_text())
    (tmp_path / "chart").mkdir()
    (tmp_path / "chart/Chart.yaml").write_text("name: x\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    report = assessment.assess(tmp_path)

    assert ("unknown", "B", False) == (report.items[0].status, report.grade, report.is_fine)
    assert "chart: helm is not on this machine: install helm" in report.items[0].message


def test_the_report_says_how_the_manifests_were_read():
    [said] = [
        item.message for item in assessment.assess(SAMPLE / "kubernetes").items if item.id == "manifests.readable"
    ]
    assert said == "kubernetes was read as raw files, which may differ from what is applied"


def test_foreign_workloads_are_left_out_and_named(tmp_path):
    (tmp_path / "ours.yaml").write_text(COMPOSE[0].read_text())
    (tmp_path / "other.yaml").write_text("services: {blog: {image: wordpress, privileged: true}}\n")
    report = assessment.assess(tmp_path)

    assert report.grade == "A"
    assert "other.yaml was left out, since Countersign is no part of it" in report.items[0].message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "contains no Kubernetes manifests and no compose file"),
        ("services: {blog: {image: wordpress:6.8.1}}", "contains no pod and no compose service of Countersign"),
        ("kind: Pod\napiVersion: v1\nspec: {containers: [{image: nginx}]}", "contains no pod and no compose service of Countersign"),
    ],
)  # fmt: skip
def test_without_an_applicable_item_there_is_no_report(tmp_path, text, said):
    (tmp_path / "all.yaml").write_text(text)
    with pytest.raises(ManifestsInvalid, match=said):
        assessment.assess(tmp_path)


def test_without_the_rendering_tool_there_is_no_report(tmp_path, monkeypatch):
    (tmp_path / "kustomization.yaml").write_text("resources: []\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ManifestsInvalid, match=r"nothing in .* could be judged: .* install kubectl") as caught:
        assessment.assess(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_secret_in_a_services_env_file_is_no_pass(tmp_path):
    document = yaml.safe_load(COMPOSE[0].read_text())
    document["services"]["web"]["env_file"] = "web.env"
    (tmp_path / "compose.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    (tmp_path / "web.env").write_text("COUNTERSIGN_KEYS=abc\n")
    report = assessment.assess(tmp_path)

    assert (failed(report), report.grade) == (["security.secrets"], "D")
