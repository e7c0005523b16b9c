"""A repository is read without fetching known files; GitHub's dependency graph adds missing licences."""

from datetime import timedelta

import pytest

from audit.facts import Dependency, Learned, Repository, Source
from audit.scan.serialization import unpack
from audit.store import repositories, sealed
from audit.store.records import AuditSealed
from bot.flows.licenses.repository_reading import SBOM_RETRY_DELAY, SBOM_TIMEOUT, read_repository, wants_sbom
from bot.licenses import sealed_files
from tests.bot.flows.licensed import AUDITED, LEFT_PAD, READLINE, locked
from tests.bot.flows.nightly import at_night, night_report, push, row, tonight

REQUIREMENTS = {"requirements.txt": "requests==2.32.0\n"}
SBOM = {
    "spdxVersion": "SPDX-2.3", "SPDXID": "SPDXRef-DOCUMENT", "name": "com.github.cann/ops", "dataLicense": "CC0-1.0",
    "documentNamespace": "https://spdx.org/x", "creationInfo": {"created": "2026-11-22T00:00:00Z", "creators": ["Tool: GitHub"]},
    "packages": [
        {"SPDXID": "SPDXRef-ops", "name": "com.github.cann/ops", "downloadLocation": "git+https://github.com/cann/ops"},
        {"SPDXID": "SPDXRef-requests", "name": "requests", "versionInfo": "2.32.0", "downloadLocation": "NOASSERTION",
         "licenseConcluded": "Apache-2.0",
         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                           "referenceLocator": "pkg:pypi/requests@2.32.0"}]},
    ],
    "relationships": [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-ops"},
        {"spdxElementId": "SPDXRef-ops", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": "SPDXRef-requests"},
    ],
}  # fmt: skip


def facts(scene):
    """What is kept of cann/ops."""
    name = repositories.name(scene.ops.id)
    with scene.sessions() as session:
        return unpack(sealed_files.decrypt(scene.services.vault, name, sealed.get(session, name))).repository


def graph_calls(scene):
    return [call for call in scene.calls() if "dependency-graph" in call[1]]


@pytest.mark.slow
def test_only_files_that_no_repository_had_are_fetched(staged):
    scene = staged(rulebook=AUDITED)
    files = {**locked(LEFT_PAD), "LICENSE": "Apache-2.0 it is\n"}
    scene.world.write(scene.ops, files)
    tonight(scene)
    twin = scene.world.repository(scene.cann, "twin", files=files)
    twin.pushed_at = scene.clock()
    scene.shift += timedelta(days=1)
    scene.calls()
    tonight(scene)
    assert len([call for call in scene.calls() if call[1] == "/graphql"]) == 1  # the newest commit, and no file

    scene.world.delete(twin)
    push(scene, scene.ops, {**locked(READLINE), "LICENSE": "MIT it is\n"})
    scene.shift += timedelta(days=1)
    tonight(scene)
    assert [text.text for text in facts(scene).licenses] == ["MIT it is\n"]
    with scene.sessions() as session:
        kept = [
            record.id for record in session.execute(AuditSealed.__table__.select()) if record.id.startswith("blob/")
        ]
    assert len(kept) == 3 + 1 + 1  # two lock files' worth, the licence, a README, and the rulebook of .github


@pytest.mark.slow
def test_githubs_dependency_graph_is_asked_where_no_lock_file_names_a_license(staged):
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, REQUIREMENTS)
    scene.ops.sbom, scene.world.sbom_patience = SBOM, 2
    tonight(scene)

    [dependency] = facts(scene).dependencies
    assert (dependency.name, dependency.license.expression, dependency.license.source) == (
        "requests",
        "Apache-2.0",
        Source.SBOM,
    )
    assert night_report(scene)["repositories"][1]["cells"][0]["license"] == "Apache-2.0"
    scene.shift += timedelta(days=1)
    scene.calls()
    tonight(scene)
    assert graph_calls(scene) == []


def test_the_dependency_graph_is_given_up_after_half_an_hour(staged):
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, REQUIREMENTS)
    scene.ops.sbom, scene.world.sbom_patience = SBOM, 10**6
    at_night(scene)
    scene.jobs.run_all()
    [job] = [job for job in scene.jobs.waiting if job.name == "audit-repository"]
    assert (job.delay, job.queue, bool(row(scene).report), row(scene).head_sha) == (
        SBOM_RETRY_DELAY,
        "later",
        True,
        None,
    )
    scene.shift += SBOM_TIMEOUT
    scene.jobs.run_all(delayed=True)

    assert [dependency.license.expression for dependency in facts(scene).dependencies] == [None]
    assert (row(scene).report, row(scene).wanted_sha) == ("", None)


@pytest.mark.parametrize("files", [locked(LEFT_PAD), {"README.md": "x"}])
def test_the_dependency_graph_is_not_asked_where_lock_files_name_licenses(staged, files):
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, files)
    scene.ops.sbom = SBOM
    tonight(scene)
    assert graph_calls(scene) == []


def test_without_the_dependency_graph_the_files_are_all_there_is(staged):
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, REQUIREMENTS)
    tonight(scene)
    assert len(graph_calls(scene)) >= 1
    assert [dependency.name for dependency in facts(scene).dependencies] == ["requests"]


def test_the_dependency_graph_is_wanted_if_no_dependency_names_a_license():
    unknown, known = Dependency(name="a"), Dependency(name="b", license=Learned("MIT", Source.LOCK_FILE))
    assert [wants_sbom(Repository(name="x", dependencies=given)) for given in ((), (unknown,), (unknown, known))] == [
        False,
        True,
        False,
    ]


def test_a_late_job_for_a_repository_asks_github_nothing(staged):
    scene = staged(rulebook=AUDITED)
    tonight(scene)
    scene.calls()
    read_repository(scene.ops.id, scene.services)
    read_repository(1, scene.services)
    assert scene.calls() == []
