"""The shipped deployment files pass our own production checklist: `countersign doctor --manifests`."""

import importlib.util
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.deploy.tools import DEPLOY, helm_command, tool


@pytest.mark.parametrize(
    ("folder", "score", "advice"),
    [
        ("kubernetes/overlays/production", 100, []),
        ("compose", 100, []),
        ("kubernetes/overlays/minimal", 99, ["observability.tracing"]),
        ("chart", 99, ["observability.tracing"]),
        (".", 99, ["observability.tracing"]),
    ],
)
def test_every_shipped_deployment_gets_an_a(folder, score, advice, tmp_path, monkeypatch):
    if not importlib.util.find_spec("bot.doctor"):
        missing("doctor", "no bot.doctor")
    from bot.doctor.manifests.assessment import assess

    for place in (Path(tool("kubectl")).parent, helm_command(tmp_path)):
        monkeypatch.setenv("PATH", str(place), prepend=":")
    report = assess(DEPLOY / folder)

    assert (report.score, report.grade) == (score, "A"), [item for item in report.items if not item.is_met]
    assert [item.id for item in report.items if not item.is_met] == advice
    assert report.is_fine
