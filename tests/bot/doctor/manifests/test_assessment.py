"""Each item of the checklist, broken in a manifest that has it, lowers the score and the grade, and says what to do."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import yaml

from bot.doctor.manifests import assessment, documents
from bot.doctor.manifests.checklist import CHECKLIST
from bot.doctor.manifests.documents import ManifestsInvalid
from tests.bot.doctor.manifests import breaking

ROOT = Path(__file__).parents[4]
SAMPLE = Path(__file__).parent / "sample"
KUBERNETES = [SAMPLE / "kubernetes/base", SAMPLE / "kubernetes", ROOT / "deploy/kubernetes/overlays/production"]
COMPOSE = [SAMPLE / "compose", ROOT / "deploy/compose"]


def written(folder, found):
    """The documents in a file of that folder, assessed."""
    folder.mkdir(exist_ok=True)
    (folder / "compose.yaml").write_text(yaml.safe_dump_all(found), encoding="utf-8")
    return assessment.assess(folder)


@cache
def read(folder):
    """The deployments of a folder, read once for all tests, none of which changes them."""
    return documents.read(folder)


def plain(value):
    """A copy without what YAML's anchors share, so that a change of one place changes no other."""
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("folder", [*KUBERNETES, *COMPOSE], ids=lambda folder: str(folder.relative_to(ROOT)))
def test_what_is_shipped_passes(folder):
    """Everything that applies, with the best grade."""
    report = assessment.assess(folder)

    assert [] == [(one.id, one.message) for one in report.items if not one.is_met]
    assert (100, "A", True) == (report.score, report.grade, report.is_fine)


@pytest.mark.parametrize("name", sorted(breaking.KUBERNETES))
@pytest.mark.parametrize("folder", KUBERNETES, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_each_item_broken_in_kubernetes(folder, name):
    """That very item fails, with its remedy; score and grade fall."""
    [found] = read(folder)
    before = assessment.judge([replace(found, objects=plain(found.objects))])
    changed = breaking.broken(plain(found.objects), breaking.KUBERNETES[name])
    after = assessment.judge([replace(found, objects=changed)])

    assert (100, "A") == (before.score, before.grade)
    assert [name] == [one.id for one in after.items if one.status == "fail"]
    [item] = [one for one in after.items if one.id == name]
    assert item.remedy == CHECKLIST[name].kubernetes
    assert after.score < 100
    assert after.grade > "A"


@pytest.mark.parametrize("name", sorted(breaking.COMPOSE))
@pytest.mark.parametrize("folder", COMPOSE, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_each_item_broken_in_compose(folder, name):
    """The same for a compose file."""
    for found in read(folder):
        changed = breaking.broken(plain(found.compose), breaking.COMPOSE[name])
        after = assessment.judge([replace(found, compose=changed)])
        [item] = [one for one in after.items if one.id == name]

        assert [name] == [one.id for one in after.items if one.status == "fail"]
        assert item.remedy == CHECKLIST[name].compose
        assert after.score < 100
        assert after.grade > "A"


def test_every_item_can_be_broken():
    """No item is left out above; each says what holds and what to do."""
    assert {*breaking.KUBERNETES, *breaking.COMPOSE} == {*CHECKLIST}
    for name, one in CHECKLIST.items():
        assert (name in breaking.KUBERNETES, name in breaking.COMPOSE) == (bool(one.kubernetes), bool(one.compose))


def test_the_worst_deployment_decides(tmp_path):
    """Of two compose files one is broken; the message says which."""
    [found] = read(SAMPLE / "compose")
    (tmp_path / "good.yaml").write_text(yaml.safe_dump(found.compose), encoding="utf-8")
    report = written(tmp_path, [breaking.broken(plain(found.compose), breaking.COMPOSE["security.non-root"])])
    [item] = [one for one in report.items if one.id == "security.non-root"]

    assert (item.status, report.grade) == ("fail", "D")
    assert f"{tmp_path.name}/compose.yaml: service web: " in item.message


def test_what_is_not_understood_is_no_pass(tmp_path):
    """A chart that a kustomization pulls in may hold anything."""
    for file in (SAMPLE / "kubernetes/base").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with (tmp_path / "kustomization.yaml").open("a") as file:
        file.write("helmCharts: [{name: redis}]\n")
    report = assessment.assess(tmp_path)

    assert [("manifests.readable", "fail")] == [(one.id, one.status) for one in report.items if not one.is_met]
    assert "helmCharts" in report.items[0].message
    assert (report.grade, report.is_fine) == ("C", False)


def test_what_another_compose_file_adds_is_no_pass(tmp_path):
    """Neither what is included nor what is extended is read."""
    [found] = read(SAMPLE / "compose")
    report = written(tmp_path, [{**found.compose, "include": ["other.yaml"]}])

    assert ("fail", "C") == (report.items[0].status, report.grade)


def test_a_folder_in_which_nothing_runs(tmp_path):
    """It has no grade at all."""
    (tmp_path / "kustomization.yaml").write_text("resources: []\n")
    with pytest.raises(ManifestsInvalid, match=r"contains no pod and no compose service"):
        assessment.assess(tmp_path)
