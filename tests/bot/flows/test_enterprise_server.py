"""GitHub Enterprise Servers: the oldest supported one, one too old, and one that hides its version."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.flows import sweep
from tests.bot.demo.github import queued_merges
from tests.bot.flows.recipes import SIGNED, book, pushed_by_another
from tests.bot.flows.scene import CLA

OLDEST, TOO_OLD, ANCIENT = "3.14.2", "3.10.4", "3.3.9"
EVERY = pytest.mark.parametrize(
    ("version", "tells"),
    [(OLDEST, True), (TOO_OLD, True), (TOO_OLD, False), (ANCIENT, False)],
    ids=["oldest supported", "too old", "too old, hidden", "ancient, hidden"],
)


@pytest.fixture(name="on")
def _on(staged, gate):
    """A scene on such a server; the App is not subscribed to what the server does not know."""

    def make(version, tells, rulebook=CLA):
        scene = staged(rulebook=rulebook)
        scene.world.enterprise, scene.world.tells_version = version, tells
        if version == ANCIENT:
            gate.absent = frozenset({"x-github-api-version-selected"})
        scene.app.events.remove("merge_group")
        scene.calls()
        return scene

    return make


@EVERY
def test_a_pull_request_is_judged_red_and_then_green_on_every_server(on, version, tells):
    scene = on(version, tells)
    pull, _ = scene.pull()
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])
    assert scene.conclusion(pull) == "failure"
    assert scene.labels(pull) == ["cla-required"]
    assert len(scene.comments(pull)) == 1
    scene.sign(scene.mia)
    scene.again(pull)
    assert scene.conclusion(pull) == "success"
    assert scene.labels(pull) == ["cla-signed"]


def lacks(version, name):
    """Whether the schema of that version has no such name."""
    return version == ANCIENT or (version == TOO_OLD and name == "mergeQueueEntry")


@EVERY
def test_a_request_that_an_old_server_refuses_is_made_once(on, version, tells):
    scene = on(version, tells)
    for branch in ("one", "two", "three"):
        scene.pull(branch=branch)
        scene.hear(drop={"pull_request"})
    for _ in range(2):
        assert sweep.installation(scene.installation.id, scene.cann.id, scene.services, full=True) in (0, 3)
        scene.settle()
    refused = [name for name in ("mergeQueueEntry", "followRenames") if lacks(version, name)]
    assert len(scene.world.undefined) == (0 if tells else len(refused)), scene.world.undefined
    lacking = {feature.what for feature in scene.hub.server_features().lacking()}
    assert ("merge queues" in lacking) is (version != OLDEST)
    assert ("look-ups of repositories that follow no renames" in lacking) is (
        version == ANCIENT or (tells and version == TOO_OLD)
    )
    assert {scene.conclusion(pull) for pull in scene.ops.pulls.values()} == {"failure"}


def test_an_upgraded_server_is_used_with_its_new_features_at_once(on):
    scene = on(TOO_OLD, tells=True, rulebook=book("dco"))
    pull, _ = scene.pull(SIGNED)
    scene.settle()
    scene.world.enterprise = OLDEST
    scene.again(pull)
    queued_merges.enqueue(scene.world, pull, scene.ada)
    (entry,) = queued_merges.build_group(scene.world, scene.ops, "main")
    scene.settle()
    assert [run.conclusion for run in runs(scene, entry.head_sha)] == ["success"]


def runs(scene, sha):
    """Our check runs on a commit."""
    return [run for run in scene.world.check_runs.values() if run.head_sha == sha]


@pytest.mark.parametrize(("message", "conclusion"), [(SIGNED, "success"), ("Fix it", "failure")])
def test_a_merge_group_without_its_event_is_judged_by_its_branch(on, message, conclusion):
    scene = on(OLDEST, tells=True, rulebook=book("dco"))
    pull, _ = scene.pull(message)
    scene.settle()
    entry = queued_merges.enqueue(scene.world, pull, scene.ada)
    queued_merges.build_group(scene.world, scene.ops, "main")
    head = entry.head_sha
    scene.settle()
    assert [run.conclusion for run in runs(scene, head)] == [conclusion]
    queued_merges.dequeue(scene.world, entry, scene.ada)
    scene.settle()
    scene.advance(timedelta(hours=1))
    assert len(runs(scene, head)) == 1


@pytest.mark.parametrize(
    ("version", "tells", "why"),
    [
        (TOO_OLD, True, "this GitHub Enterprise Server 3.10.4 has no merge queues"),
        (TOO_OLD, False, "this GitHub has no merge queues"),
        (ANCIENT, False, "this GitHub has no merge queues"),
    ],
)
def test_a_merge_group_that_an_old_server_cannot_show_needs_action_at_once(on, version, tells, why):
    scene = on(version, tells, book("dco"))
    pull, _ = scene.pull(SIGNED)
    scene.settle()
    queued_merges.enqueue(scene.world, pull, scene.ada)
    (entry,) = queued_merges.build_group(scene.world, scene.ops, "main")
    scene.settle()
    (run,) = runs(scene, entry.head_sha)
    assert run.conclusion == "action_required"
    assert why in run.output["summary"]
    assert "Trying again does not help." in run.output["summary"]
    scene.calls()
    scene.advance(timedelta(hours=2))
    assert ("POST", "/graphql") not in [call[:2] for call in scene.calls()]


@pytest.mark.slow
@EVERY
def test_without_an_activity_log_an_unknown_pusher_does_not_pass(on, version, tells):
    scene = on(version, tells)
    pull, _ = pushed_by_another(scene)
    scene.hear(drop={"pull_request"})
    scene.again(pull)
    if version == OLDEST:
        assert scene.recorded(pull) == ("failure", ["cla/unsigned", "cla/individual"])
        return
    assert scene.recorded(pull) == ("action_required", ["facts/incomplete", "cla/individual"])
    (run,) = runs(scene, pull.head_sha)
    assert f"who pushed `{pull.head_sha[:7]}`" in run.output["summary"] + run.output["text"]
    asked = [call.template for call in scene.world.calls if call.template.endswith("/activity")]
    assert bool(asked) is not tells, "a version that lacks it is not asked"


def test_a_repository_reached_through_a_rename_is_not_taken_for_the_rulebook(on):
    scene = on(ANCIENT, tells=False)
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()
    assert scene.conclusion(pull) == "success"
    scene.world.rename(scene.rules, "former", scene.ada)
    scene.again(pull)
    assert scene.conclusion(pull) == "action_required"


def test_no_check_passes_once_github_ended_its_api_version(scene, capsys):
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.world.sunsets["2022-11-28"] = datetime(2020, 3, 10, tzinfo=UTC)
    scene.settle()
    assert scene.conclusion(pull) is None
    assert "GitHub may have ended the version of its REST API" in capsys.readouterr().out
    scene.world.sunsets.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "success"
