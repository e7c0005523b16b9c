"""An organisation is audited without a database: what was read is not read again, also after a run that was ended half-way."""

from dataclasses import replace

import pytest

from audit.licenses.osadl import shipped
from bot.github.ports import HubError
from bot.licenses import organization
from bot.licenses.checkouts import AuditOptions
from bot.licenses.organization import NoOrganization, ReadingCache
from bot.rulebook.yaml_document import DocumentInvalid
from tests.bot.flows.licensed import LEFT_PAD, PLAIN, READLINE, locked
from tests.bot.flows.scene import Scene


@pytest.fixture(name="scene")
def _scene(tmp_path, key, gate):
    """cann/ops that uses what does not fit, cann/lib that does, and the rulebook's repository."""
    scene = Scene(tmp_path, key, gate, f"sqlite:///{tmp_path / 'test.db'}", rulebook=PLAIN)
    scene.world.write(scene.ops, locked(READLINE))
    scene.world.repository(scene.cann, "lib", files=locked(LEFT_PAD))
    scene.said = []
    scene.memory = ReadingCache(tmp_path / "memory", scene.said.append)
    scene.given = AuditOptions(None, shipped(), scene.clock().date())
    yield scene
    scene.close()


def audit(scene, login="cann", given=None, told=lambda _step: None):
    """All of it, as (name, failing dependencies)."""
    scene.calls()
    found = organization.audit(login, scene.hub, given or scene.given, scene.memory, told)
    return [
        (audit_result.audited.repository.name, [cell.dependency.name for cell in audit_result.audited.cells if cell.judgement.verdict in audit_result.policy.fail_on])
        for audit_result in found
    ]  # fmt: skip


def trees(scene):
    return len([call for call in scene.calls() if "/git/trees/" in call[1]])


def test_a_second_audit_reads_only_repositories_with_pushes(scene):
    steps = []
    expected = [("cann/.github", []), ("cann/lib", []), ("cann/ops", ["readline"])]
    assert audit(scene, "CANN", told=steps.append) == expected
    assert trees(scene) == 3
    assert [(step.name, step.number, step.of) for step in steps][-1] == ("cann/ops", 3, 3)
    assert audit(scene) == expected
    assert trees(scene) == 0
    scene.world.write(scene.ops, locked(LEFT_PAD))
    assert audit(scene)[-1] == ("cann/ops", [])
    assert trees(scene) == 1


def test_an_audit_that_ended_half_way_goes_on_without_asking_again(scene):
    going = organization.audit("cann", scene.hub, scene.given, scene.memory)
    next(going)
    next(going)
    going.close()
    audit(scene)
    assert trees(scene) == 1


def test_a_damaged_or_unwritable_memory_is_read_anew_with_one_line(scene, tmp_path):
    audit(scene)
    for file in (tmp_path / "memory").iterdir():
        assert file.stat().st_mode & 0o077 == 0
        file.write_bytes(b"damaged")
    audit(scene)
    assert trees(scene) == 3
    (tmp_path / "file").write_text("")
    scene.memory = ReadingCache(tmp_path / "file" / "below", scene.said.append)
    audit(scene)
    audit(scene)
    assert len(scene.said) == 1


def test_the_given_rulebook_or_the_organisations_counts(scene):
    given = replace(scene.given, rulebook=("r.yml", "version: 1\nlicenses: {fail_on: []}\n"))
    assert audit(scene, given=given)[-1] == ("cann/ops", [])
    scene.world.write(scene.rules, {".github/countersign.yml": "version: 1\nlicenses: {fail_on: [never]}\n"})
    with pytest.raises(DocumentInvalid):
        audit(scene)
    scene.rules.private = True
    scene.world.choose(scene.installation, scene.ada, removed=[scene.rules])
    with pytest.raises(NoOrganization, match=r"We do not know whether cann/.github has a rulebook.*--rulebook"):
        audit(scene)
    assert len(audit(scene, given=given)) == 2


def test_without_an_organisations_rulebook_each_repositorys_own_counts(scene):
    scene.world.delete(scene.rules)
    assert [name for name, _ in audit(scene)] == ["cann/lib", "cann/ops"]


def test_an_organisation_without_the_app_is_told_in_a_clause(scene):
    with pytest.raises(NoOrganization, match="not installed at nowhere"):
        audit(scene, "nowhere")


def test_a_deleted_repository_is_left_out_and_an_outage_claims_nothing(scene):
    scene.weather.faults.append(("GET", "lib/git/trees", 404))
    assert [name for name, _ in audit(scene)] == ["cann/.github", "cann/ops"]
    scene.weather.faults[:] = [("GET", "lib/git/trees", 502)]
    with pytest.raises(HubError):
        audit(scene)
