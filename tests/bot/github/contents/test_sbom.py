"""GitHub's dependency graph: begun, waited for, fetched from another host without our token, or switched off."""

import json

import pytest
import responses

from bot.github.ports import Missing, PendingReport, Refused, RepositoryPlace, Unreachable
from bot.github.reading import Garbled
from bot.github.renames import root
from tests.bot.github.shapes import SLOW_DOWN

HERE = RepositoryPlace(77, "cann", "ops", 900)
WHERE = f"{root(HERE)}/dependency-graph/sbom"
AWAY = "https://objects.example/one?sig=x"
SPDX = {"spdxVersion": "SPDX-2.3", "packages": []}


@pytest.mark.parametrize("patience", [0, 1, 2])
def test_a_report_is_waited_for_and_fetched_without_our_token(scene, patience):
    scene.ops.sbom, scene.world.sbom_patience = SPDX, patience
    found = scene.hub.dependency_sbom(scene.place)
    for _ in range(patience):
        assert isinstance(found, PendingReport)
        found = scene.hub.dependency_sbom(scene.place, found.report)

    assert json.loads(found) == SPDX
    assert [call.template for call in scene.world.calls].count(
        "/repos/{owner}/{repo}/dependency-graph/sbom/generate-report"
    ) == 1


def test_a_graph_that_is_off_is_told_from_a_repository_that_is_gone(scene):
    """GitHub answers both with 404."""
    old = scene.place
    assert scene.hub.dependency_sbom(scene.place) is None
    scene.ops.sbom = SPDX
    scene.world.rename(scene.ops, "kernels", scene.ada)
    assert json.loads(scene.hub.dependency_sbom(old, "forgotten")) == SPDX
    scene.world.delete(scene.ops)
    with pytest.raises(Missing):
        scene.hub.dependency_sbom(old)


def ready(github, body=b"", *, status=200, away=AWAY, **rest):
    """A report that lies somewhere else."""
    github.on(
        "GET", f"{WHERE}/generate-report", {"sbom_url": f"https://api.github.com{WHERE}/fetch-report/u-1"}, status=201
    )
    github.mock.add("GET", f"{github.api}{WHERE}/fetch-report/u-1", status=302, headers={"Location": away})
    github.mock.add("GET", AWAY, body=body, status=status, **rest)


@pytest.mark.parametrize("body", [SPDX, {"sbom": SPDX}])
def test_bare_and_wrapped_documents_are_the_same(github, hub, body):
    ready(github, json.dumps(body))

    assert json.loads(hub.dependency_sbom(HERE)) == SPDX
    [asked] = [call.request for call in github.mock.calls if call.request.url.startswith("https://objects")]
    assert "Authorization" not in asked.headers
    assert "Cookie" not in asked.headers


@pytest.mark.parametrize("status", [201, 202])
def test_both_of_githubs_statuses_for_not_yet_are_known(github, hub, status):
    """GitHub's change log says 201, its description 202."""
    github.on("GET", f"{WHERE}/generate-report", {"sbom_url": f"{WHERE}/fetch-report/u-1"}, status=201)
    github.mock.add("GET", f"{github.api}{WHERE}/fetch-report/u-1", status=status)

    assert hub.dependency_sbom(HERE) == PendingReport("u-1")


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"spdxVersion": "SPDX-3.0"}', b"[" * 100_000, b"\xff{}"]
)
def test_an_answer_that_is_no_document_is_garbled(github, hub, body):
    ready(github, body)

    with pytest.raises(Garbled):
        hub.dependency_sbom(HERE)


@pytest.mark.parametrize("answer", [{}, {"sbom_url": "x/../.."}, {"sbom_url": ""}, []])
def test_a_report_without_a_name_is_garbled(github, hub, answer):
    github.on("GET", f"{WHERE}/generate-report", answer, status=201)

    with pytest.raises(Garbled):
        hub.dependency_sbom(HERE)


@pytest.mark.parametrize("away", ["http://objects.example/one", "file:///etc/passwd", "", "/relative"])
def test_only_an_https_address_is_fetched(github, hub, away):
    ready(github, away=away)
    github.elsewhere.add(f"{WHERE}/fetch-report/u-1")

    with pytest.raises(Refused):
        hub.dependency_sbom(HERE)


@pytest.mark.parametrize("status", [301, 403, 404, 503])
def test_an_expired_address_is_worth_another_try(github, hub, status):
    ready(github, status=status)

    with pytest.raises(Unreachable):
        hub.dependency_sbom(HERE)


def test_refusals_and_limits_stay_refusals_and_limits(github, hub):
    path = f"{WHERE}/fetch-report/u-1"
    github.mock.add("GET", github.api + path, json={"message": "Resource not accessible by integration"}, status=403)
    with pytest.raises(Refused):
        hub.dependency_sbom(HERE, "u-1")
    github.mock.replace(responses.GET, github.api + path, json=SLOW_DOWN, status=429)
    with pytest.raises(Unreachable):
        hub.dependency_sbom(HERE, "u-1")


def test_a_server_that_makes_no_reports_gives_the_document_at_once(scene):
    scene.world.enterprise = "3.14.2"
    whole = {**SPDX, "SPDXID": "SPDXRef-DOCUMENT", "name": "ops", "dataLicense": "CC0-1.0", "documentNamespace": "https://x.example/ops",
             "creationInfo": {"created": "2026-11-21T09:00:00Z", "creators": []}}  # fmt: skip
    scene.ops.sbom = whole
    assert json.loads(scene.hub.dependency_sbom(scene.place)) == whole
    scene.world.calls.clear()
    assert json.loads(scene.hub.dependency_sbom(scene.place)) == whole
    assert [call.template.rpartition("/")[2] for call in scene.world.calls] == ["sbom"]
    scene.ops.sbom = None
    assert scene.hub.dependency_sbom(scene.place) is None
    old = scene.place
    scene.world.delete(scene.ops)
    with pytest.raises(Missing):
        scene.hub.dependency_sbom(old)


def test_github_com_is_not_asked_twice_where_the_graph_is_off(github, hub):
    github.on("GET", f"{WHERE}/generate-report", {"message": "Not Found"}, status=404)
    github.on("GET", "/repositories/900", {"id": 900, "name": "ops", "owner": {"login": "cann"}})
    assert hub.dependency_sbom(HERE) is None
    assert len(github.sent("GET", "/sbom")) == 0
