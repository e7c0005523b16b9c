"""A pull request has one label of the pair at most, changed only when it must."""

import pytest

from tests.bot.flows.scene import CLA

CLA_THEN_DCO = 'version: 1\nrepositories: [{match: ["*"], require: dco}]\n'


def labelled(scene):
    """Calls since the last time that touch labels."""
    return [call for call in scene.writes() if "labels" in call[1]]


@pytest.mark.slow
def test_the_other_label_of_the_pair_is_removed_before_ours_is_added(scene):
    pull, _ = scene.pull()
    scene.world.add_labels(pull, ["CLA-Signed", "bug"], scene.ada)
    states = []
    for pattern in ("/labels/", "/labels$"):
        scene.weather.before.append(("*", rf"/issues/\d+{pattern}", lambda: states.append(scene.labels(pull))))
    scene.settle()

    assert states == [["CLA-Signed", "bug"], ["bug"]]
    assert scene.labels(pull) == ["bug", "cla-required"]


def test_a_label_is_written_only_when_it_must_change(scene):
    scene.pull()
    scene.settle()
    made = scene.world.repositories[scene.ops.id].labels["cla-required"]
    assert (made.color, made.description) == ("9a6700", "A contributor agreement is still needed")
    assert len(labelled(scene)) == 2

    second, _ = scene.pull(branch="second")
    scene.settle()
    assert scene.labels(second) == ["cla-required"]
    assert len(labelled(scene)) == 1

    scene.again(second)
    assert labelled(scene) == []


LABELS = 'labels: {signed: "CLA: yes", required: "CLA: no"}\n'


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (CLA, ["cla-required"]),
        (CLA + "broken: 1\n", []),
        (CLA_THEN_DCO, []),
        (CLA + 'labels: {signed: "CLA: no", required: todo}\n', ["todo"]),
    ],
)
def test_our_label_goes_when_the_rules_name_another_and_other_labels_stay(staged, after, expected):
    scene = staged(rulebook=CLA + LABELS)
    pull, _ = scene.pull()
    scene.settle()
    scene.world.add_labels(pull, ["bug"], scene.ada)
    assert scene.labels(pull) == ["CLA: no", "bug"]

    scene.world.write(scene.rules, {".github/countersign.yml": after})
    scene.again(pull)

    assert scene.labels(pull) == sorted(["bug", *expected])
    assert scene.row(pull).label == "".join(expected)


def test_a_label_in_another_case_is_taken_for_ours(scene):
    """GitHub compares the names of labels without case."""
    scene.world.label_of(scene.ops, "CLA-Required")
    pull, _ = scene.pull()
    scene.world.add_labels(pull, ["CLA-Required"], scene.ada)
    scene.settle()

    assert scene.labels(pull) == ["CLA-Required"]
    assert labelled(scene) == []


def test_a_label_that_a_person_removed_comes_back(scene):
    pull, _ = scene.pull()
    scene.settle()
    scene.world.remove_label(pull, "cla-required", scene.ada)
    scene.settle()

    assert scene.labels(pull) == ["cla-required"]


def test_no_label_of_the_pair_stays_when_no_cla_is_judged(scene):
    pull, _ = scene.pull()
    scene.settle()
    scene.world.write(scene.rules, {".github/countersign.yml": CLA_THEN_DCO})
    scene.again(pull)

    assert scene.labels(pull) == []
    assert scene.conclusion(pull) == "failure"
