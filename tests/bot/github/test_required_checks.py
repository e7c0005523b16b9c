"""Checks that a branch requires, by rulesets and by branch protection, without the right to change settings."""

import pytest

from bot.github.ports import Missing, Unreachable
from bot.github.reading import Garbled
from bot.github.required_checks import RequiredCheck
from tests.bot.github.conftest import HERE

RULES = "/repos/cann/ops/rules/branches/release%2F1"
BRANCH = "/repos/cann/ops/branches/release%2F1"
SOURCE = {"ruleset_source_type": "Organization", "ruleset_source": "cann", "ruleset_id": 1}


def rule(*checks):
    """A rule of a ruleset that requires these."""
    parameters = {"required_status_checks": list(checks), "strict_required_status_checks_policy": False}
    return {"type": "required_status_checks", "parameters": parameters, **SOURCE}


def branch(*checks, enabled=True):
    """A branch whose classic protection requires these."""
    commit = {"sha": "a" * 40}
    required = {"contexts": [], "checks": list(checks)}
    return {
        "name": "release/1",
        "commit": commit,
        "protection": {"enabled": enabled, "required_status_checks": required},
    }


def test_required_checks_come_from_rulesets_and_branch_protection(hub, github):
    github.on(
        "GET",
        RULES,
        [rule({"context": "Countersign", "integration_id": 7}, {"context": "CI"}), {"type": "deletion", **SOURCE}],
    )
    github.on("GET", BRANCH, branch({"context": "Lint", "app_id": None}, {"context": "Docs", "app_id": 8}))
    assert hub.required_checks(HERE, "release/1") == {
        RequiredCheck("Countersign", 7),
        RequiredCheck("CI", None),
        RequiredCheck("Lint", None),
        RequiredCheck("Docs", 8),
    }


def test_protection_that_is_off_requires_nothing(hub, github):
    github.on("GET", RULES, [])
    github.on("GET", BRANCH, branch({"context": "CI", "app_id": None}, enabled=False))
    assert hub.required_checks(HERE, "release/1") == frozenset()


def test_rulesets_count_for_a_branch_that_is_not_there_yet(hub, github):
    github.on("GET", RULES, [rule({"context": "CI"})])
    github.on("GET", BRANCH, {"message": "Branch not found"}, status=404)
    assert hub.required_checks(HERE, "release/1") == {RequiredCheck("CI", None)}


def test_a_failure_is_not_taken_as_no_requirement(hub, github):
    github.on("GET", RULES, {"message": "bad"}, status=502)
    with pytest.raises(Unreachable):
        hub.required_checks(HERE, "release/1")


@pytest.mark.parametrize("answer", [None, {}, [], {"protection": None}])
def test_an_answer_of_another_shape_is_an_error(hub, github, answer):
    github.on("GET", RULES, [])
    github.on("GET", BRANCH, answer)
    with pytest.raises(Garbled):
        hub.required_checks(HERE, "release/1")


@pytest.mark.parametrize("tells", [True, False])
def test_branch_protection_counts_alone_on_a_server_without_rulesets(scene, tells):
    scene.world.enterprise, scene.world.tells_version = "3.10.4", tells
    scene.ops.protected_checks["Countersign"] = scene.app.id
    assert scene.hub.required_checks(scene.place, "main") == {RequiredCheck("Countersign", scene.app.id)}
    old = scene.place
    scene.world.delete(scene.ops)
    with pytest.raises(Missing):
        scene.hub.required_checks(old, "main")
