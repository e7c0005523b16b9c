"""A stored repository is judged by the present rules and its own stricter file."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.flows.licenses import stored_repository
from bot.rulebook.yaml_document import DocumentInvalid
from tests.bot.flows.licensed import AUDITED, LEFT_PAD, PLAIN, READLINE, locked
from tests.bot.flows.nightly import push, row, tonight


@pytest.fixture(name="scene")
def _scene(staged):
    """After a night; cann/ops is stricter with itself."""
    scene = staged(rulebook=AUDITED)
    own = "version: 1\nlicenses: {fail_on: [incompatible, unknown-license, obligations], delivery: source}\n"
    scene.world.write(scene.ops, {**locked(LEFT_PAD), ".github/countersign.yml": own})
    tonight(scene)
    return scene


def of_ops(scene):
    return stored_repository.read(row(scene), stored_repository.bench(scene.cann.id, scene.services), scene.services)


def test_a_stored_repository_is_judged_with_its_own_stricter_file(scene):
    found = of_ops(scene)
    assert [str(outcome) for outcome in found.applied.policy.fail_on] == [
        "incompatible",
        "unknown-license",
        "obligations",
    ]
    assert found.audited.repository.delivery == "source"
    assert found.failing == ()
    assert (found.audited.repository.name, found.audited.repository.head) == ("cann/ops", row(scene).head_sha)


@pytest.mark.slow
def test_a_broken_file_of_a_repository_is_a_finding(scene):
    scene.shift += timedelta(days=1)
    push(scene, scene.ops, {**locked(READLINE), ".github/countersign.yml": "licenses: {fail_on: [never]}"})
    tonight(scene)
    names = [repository.name for repository in stored_repository.rows(scene.cann.id, scene.services)]
    assert names == [".github", "ops"]
    found = of_ops(scene)
    assert {"rulebook/invalid"} <= {finding.code for finding in found.audited.findings}
    assert [cell.dependency.name for cell in found.failing] == ["readline"]


@pytest.mark.slow
def test_a_commit_that_could_not_be_read_is_a_finding_beside_the_older_facts(scene):
    scene.shift += timedelta(days=1)
    push(scene, scene.ops, locked(READLINE))
    scene.weather.faults.append(("GET", "ops/git/trees", 404))
    tonight(scene)
    found = of_ops(scene)
    assert [cell.dependency.name for cell in found.audited.cells] == ["left-pad"]
    [finding] = [finding for finding in found.audited.findings if finding.code == "repository/unread"]
    assert found.audited.repository.head[:12] in finding.message


def test_the_rules_are_those_last_read_or_given_as_a_file(scene):
    def bench(text):
        return stored_repository.bench(scene.cann.id, replace(scene.services, organization_file=("o.yml", text)))

    assert bench(PLAIN) is None
    assert bench(AUDITED).rules.rulebook.policy.stated
    with pytest.raises(DocumentInvalid):
        bench("nonsense: [")
