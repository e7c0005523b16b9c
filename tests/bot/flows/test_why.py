"""A question why is answered with the evidence in the comment, on the head that it was asked about."""

import pytest


@pytest.fixture(name="scene")
def _scene(staged):
    """Where a sign-off is asked for, and eve, a stranger, looks on."""
    scene = staged(rulebook='version: 1\nrepositories: [{match: ["*"], require: dco}]\n')
    scene.eve = scene.world.user("eve")
    return scene


def asks(scene, pull, text="/cla-check why"):
    """Eve comments, and everything that follows happens; gives the reactions."""
    said = scene.world.comment(pull, scene.eve, text)
    scene.settle(delayed=True)
    return [content for _, _, content, _ in said.reactions]


def test_the_evidence_is_added_to_the_comment_until_the_next_push(scene):
    pull, clone = scene.pull("One", "Two")
    scene.settle()
    (comment,) = scene.comments(pull)
    plain = comment.body
    assert "<details>" not in plain

    assert asks(scene, pull) == ["eyes"]

    assert [comment] == scene.comments(pull)
    assert comment.body.startswith(plain.rstrip())
    (table,) = [run.output["text"] for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha]
    assert table in comment.body
    assert comment.body.count("dco/missing") == 0, "words, not codes"

    clone.commit("Three", files={"three.txt": "x"})
    clone.push()
    scene.settle()
    assert "<details>" not in comment.body


def test_a_repeated_question_writes_nothing_but_a_reaction(scene):
    pull, _ = scene.pull("One")
    scene.settle()
    asks(scene, pull)
    scene.writes()
    scene.again(pull)

    assert scene.writes() == []
    assert asks(scene, pull) == ["eyes"]
    assert [template for _, template in scene.writes()] == [
        "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"
    ]


def test_a_question_on_a_green_pull_request_makes_the_comment(scene):
    pull, _ = scene.pull("Fix\n\nSigned-off-by: Mia <mia@home.example>")
    scene.settle()
    assert scene.conclusion(pull) == "success"
    assert scene.comments(pull) == []

    asks(scene, pull)

    (comment,) = scene.comments(pull)
    assert "<details>" in comment.body
    assert pull.head_sha[:7] in comment.body


def test_a_question_soon_after_another_command_is_answered_after_the_pause(scene):
    pull, _ = scene.pull("One")
    scene.settle()
    asks(scene, pull, "/cla-check")
    asks(scene, pull)

    (comment,) = scene.comments(pull)
    assert "<details>" in comment.body
