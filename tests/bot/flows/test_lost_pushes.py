"""A full sweep finds pushes whose webhooks never came, compares them once, and costs nothing where no push was."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from bot.demo.github.git import bare_repository
from bot.store.records import DeliveryRecord
from tests.bot.flows.test_pushed_commits import DCO, found, judged, pushed, runs
from tests.bot.flows.test_sweep import swept


@pytest.fixture(name="scene")
def _scene(staged):
    """A scene under a DCO whose main requires our check, after a first sweep."""
    scene = staged(rulebook=DCO)
    scene.ops.protected_checks["Countersign"] = scene.app.id
    swept(scene)
    return scene


def never_sent(scene):
    """GitHub sends none of what was to be sent, and has no failed delivery of it either."""
    scene.world.hooks.drain()
    scene.heard = len(scene.world.hooks.log)


def lost(scene, *messages, **more):
    """Commits pushed straight to a branch, of which no webhook comes."""
    clone = pushed(scene, *messages, **more)
    never_sent(scene)
    return clone.head


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
def test_a_push_whose_webhook_never_came_is_found_by_a_sweep_and_shown(scene):
    head = lost(scene)
    assert found(scene) == []
    swept(scene)
    assert found(scene) == [("no-pull-request", None, head)]
    assert runs(scene) == [(head, "failure", "Not checked: no pull request brought this commit")]


@pytest.mark.slow
def test_a_lost_push_is_one_delivery_however_often_it_is_found(scene):
    lost(scene)
    for _ in range(2):
        swept(scene)
    found(scene)
    lost(scene, branch="topic")
    swept(scene)
    with scene.sessions() as session:
        assert len(session.exec(select(DeliveryRecord)).all()) == 1


def test_two_lost_pushes_in_a_row_are_compared_as_one(scene):
    heads = [lost(scene, name, branch="main") for name in ("One", "Two")]
    swept(scene)
    assert {sha for _, _, sha in found(scene)} == {*heads}


def test_a_push_after_a_lost_push_is_compared_from_the_head_before_both(scene):
    first, second = lost(scene, "One", branch="main"), pushed(scene, "Two").head
    assert {sha for _, _, sha in found(scene)} == {first, second}
    swept(scene)
    assert {sha for _, _, sha in found(scene)} == {first, second}


@pytest.mark.slow
def test_a_push_whose_rules_github_refuses_to_tell_does_not_count_as_compared(scene):
    scene.weather.faults.append(("GET", r"/rules/branches/main$", 403))
    head = pushed(scene).head
    assert found(scene) == []
    scene.weather.faults.clear()
    swept(scene)
    assert found(scene) == [("no-pull-request", None, head)]


@pytest.mark.slow
def test_the_lost_merge_of_a_judged_pull_request_is_no_finding(scene):
    pull, _ = judged(scene)
    scene.world.merge_pull(pull, scene.ada)
    never_sent(scene)
    swept(scene)
    assert found(scene) == []


def test_a_push_that_was_compared_is_not_taken_for_a_lost_push(scene):
    pushed(scene)
    scene.settle(delayed=True)
    scene.calls()
    swept(scene)
    assert "/repos/{owner}/{repo}/compare/{basehead}" not in {template for _, template in scene.calls()}


@pytest.mark.slow
def test_a_lost_new_branch_is_found_and_a_branch_that_became_protected_since_is_not(scene):
    pushed(scene, "Old", branch="old")
    scene.settle()
    scene.ops.activities[-1] = replace(scene.ops.activities[-1], at=scene.clock() - timedelta(days=1))
    for name in ("old", "new", group := "gh-readonly-queue/main/pr-1-abc"):
        scene.ops.protected_branches[name] = {"Countersign": scene.app.id}
    lost(scene, "Group", branch=group)
    new = lost(scene, "New", branch="new")
    swept(scene)
    assert found(scene) == [("no-pull-request", None, new)]


def test_a_lost_push_to_the_default_branch_has_its_rules_read_again(scene):
    pull, _ = scene.pull("Unsigned")
    scene.settle()
    before = scene.row(pull).evaluated
    lost(scene, "Rules", branch="main")
    swept(scene)
    assert scene.row(pull).evaluated > before


def test_a_repository_whose_branches_github_does_not_show_is_left_for_the_next_sweep(scene):
    head = lost(scene)
    scene.weather.faults.append(("GET", r"/branches$", 404))
    swept(scene)
    assert found(scene) == []
    scene.weather.faults.clear()
    swept(scene)
    assert found(scene) == [("no-pull-request", None, head)]


def test_a_head_that_a_forced_push_removed_is_said_to_be_beyond_comparing(scene):
    base = bare_repository.resolve(scene.ops.git, "refs/heads/main")
    pushed(scene)
    found(scene)
    bare_repository.point(scene.ops.git, "refs/heads/main", base)
    scene.ops.pushed_at = scene.world.now()
    swept(scene)
    assert [kind for kind, _, _ in found(scene)] == [
        "no-pull-request"
    ]  # Of the first push; the second brought nothing.
