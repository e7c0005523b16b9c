"""Faults known from other bots, tried from the event to the check run."""

import pytest


@pytest.mark.slow
def test_an_uncovered_author_on_the_first_of_two_pages_is_named(scene):
    scene.sign(scene.mia)
    eve = scene.world.user("eve", name="Eve", emails=["eve@x.example"])
    clone, fork = scene.push("By somebody else", author="Eve <eve@x.example>")
    name, email = clone.identity
    steps = '!for n in $(seq 100); do git commit -q --allow-empty -m "Step $n"; done'
    clone.git("-c", f"user.name={name}", "-c", f"user.email={email}", "-c", f"alias.steps={steps}", "steps")
    clone.push()
    pull = scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork)
    scene.settle()

    assert scene.conclusion(pull) == "failure"
    assert scene.recorded(pull)[1].count("cla/unsigned") == 1
    assert f"`{eve.login}`" in scene.comments(pull)[0].body


def test_the_phrase_of_another_bot_in_a_comment_signs_nothing(scene):
    pull, _ = scene.pull()
    scene.settle()
    scene.calls()
    for said in (
        "I have read the CLA Document and I hereby sign the CLA",
        "I will not sign: I have read the CLA Document and I hereby sign the CLA",
    ):
        scene.world.comment(pull, scene.mia, said)
    scene.settle()

    assert scene.conclusion(pull) == "failure"
    assert [call[1].rpartition("/")[2] for call in scene.calls()] == ["reactions", "graphql", "comments"]


def test_two_forks_with_the_same_branch_name_are_judged_apart(scene):
    zed = scene.world.user("zed", name="Zed", emails=["zed@home.example"])
    mine, _ = scene.pull()
    theirs, _ = scene.pull(who=zed)
    scene.settle()
    scene.sign(scene.mia)
    scene.sign(zed)
    scene.again(mine)

    assert (scene.conclusion(mine), scene.conclusion(theirs)) == ("success", "failure")
