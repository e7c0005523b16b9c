"""In shadow mode everything is judged, recorded and explained, and nothing is written at GitHub."""

import pytest

from bot.flows.command_reply import react_to_command
from bot.store.pulls import stored_facts
from tests.bot.flows.scene import CLA
from tests.bot.flows.test_override_commands import given

SHADOW = CLA.replace("require: cla", "require: cla, mode: shadow") + "people: {override: maintainers}\n"
FILE = ".github/countersign.yml"


@pytest.fixture(name="scene")
def _scene(staged):
    """The usual scene in the shadow, with max, who maintains cann/ops."""
    scene = staged(rulebook=SHADOW)
    scene.max = scene.world.user("max", name="Max", emails=["max@cann.example"])
    scene.ops.collaborators[scene.max.id] = "maintain"
    return scene


def seen(scene, pull):
    """What GitHub shows: runs, labels, comments of ours, reactions of ours."""
    answers = [
        content
        for comment in pull.comments
        for _, who, content, _ in comment.reactions
        if who.login == "countersign[bot]"
    ]
    return scene.runs(pull), scene.labels(pull), scene.comments(pull), answers


@pytest.mark.slow
def test_no_event_writes_anything_in_shadow_mode(scene):
    pull, clone = scene.pull()
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])
    clone.commit("More", files={"more.txt": "x"})
    clone.push()
    scene.settle()
    for text in (
        "/cla-check why",
        "/cla exempt @mia her employer signs",
        "/cla exempt @nobody-knows x",
        "/dco override",
    ):
        scene.world.comment(pull, scene.max, text)
        scene.settle()

    assert scene.recorded(pull) == ("success", ["cla/overridden"])
    assert len(given(scene, pull)) == 1
    with scene.sessions() as session:
        assert session.get(stored_facts.StoredFacts, scene.row(pull).id).head_sha == pull.head_sha
    assert scene.writes() == []
    assert seen(scene, pull) == ([], [], [], [])
    assert scene.jobs.waiting == ()


@pytest.mark.parametrize(("rulebook", "expected"), [(SHADOW, []), (CLA, ["eyes"])], ids=["shadow", "enforce"])
def test_a_command_before_the_first_verdict_is_answered_by_the_rules_alone(staged, rulebook, expected):
    scene = staged(rulebook=rulebook)
    pull, _ = scene.pull()
    said = scene.world.comment(pull, scene.mia, "/cla-check")
    guid = scene.hear()[-1].guid
    scene.calls()
    react_to_command(guid, scene.services)

    assert scene.row(pull).evaluated_at is None
    assert [content for _, _, content, _ in said.reactions] == expected
    assert len(scene.writes()) == len(expected)


def test_leaving_shadow_mode_brings_the_shown_items_up_to_date(staged):
    scene = staged()
    pull, _ = scene.pull()
    scene.settle()
    before = seen(scene, pull)
    assert (before[0][0][1], before[1], len(before[2])) == ("failure", ["cla-required"], 1)

    scene.world.write(scene.rules, {FILE: SHADOW})
    scene.again(pull)
    scene.sign(scene.mia)
    scene.again(pull)
    scene.writes()
    scene.world.comment(pull, scene.mia, "/cla-check")
    scene.settle()
    assert scene.recorded(pull)[0] == "success"
    assert scene.row(pull).quiet
    assert scene.writes() == []
    assert [scene.conclusion(pull), scene.labels(pull), len(scene.comments(pull))] == ["failure", ["cla-required"], 1]

    scene.world.write(scene.rules, {FILE: CLA})
    scene.again(pull)
    assert [scene.conclusion(pull), scene.labels(pull), len(scene.comments(pull))] == ["success", ["cla-signed"], 1]
    assert scene.comments(pull)[0].body != before[2][0]
    assert not scene.row(pull).quiet


def test_a_broken_rulebook_leaves_the_repository_in_shadow_mode(scene):
    pull, _ = scene.pull()
    scene.settle()
    scene.world.write(scene.rules, {FILE: "version: 1\npeeple: {}\n"})
    scene.again(pull)
    other, _ = scene.pull(branch="other")
    scene.settle()

    assert scene.recorded(pull) == scene.recorded(other) == ("action_required", ["rulebook/invalid"])
    assert scene.row(pull).quiet
    assert scene.row(other).quiet
    assert scene.writes() == []
    assert seen(scene, pull) == seen(scene, other) == ([], [], [], [])

    scene.world.write(scene.rules, {FILE: CLA})
    scene.again(pull)
    assert [scene.conclusion(pull), scene.labels(pull), len(scene.comments(pull))] == ["failure", ["cla-required"], 1]


@pytest.mark.parametrize(
    ("given", "own"),
    [
        ({"rulebook": SHADOW}, "version: 1\nagreements: {individual: {text: icla}}\n"),
        ({"organization_file": ("/etc/rules.yml", SHADOW)}, "version: 1\npeeple: {}\n"),
    ],
    ids=["looser", "broken, and the organization's given as a file"],
)
def test_a_mistake_in_the_repositorys_own_file_is_recorded_in_shadow_mode(staged, given, own):
    scene = staged(**given)
    scene.world.write(scene.ops, {FILE: own})
    pull, _ = scene.pull()
    scene.settle()

    assert scene.recorded(pull) == ("action_required", ["rulebook/invalid"])
    assert scene.writes() == []
