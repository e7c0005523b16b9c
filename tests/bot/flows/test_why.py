"""Whoever asks why sees the evidence in our one comment, on the head that they asked about."""

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


def test_asked_where_we_have_a_comment(scene):
    """The comment gets the check's tables, stays one, and loses them with the next push."""
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


def test_asked_again_nothing_is_written(scene):
    """The same evidence is there already: one reaction is all."""
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


def test_asked_where_all_is_good(scene):
    """There is no comment on a pull request that always passed; the question makes one."""
    pull, _ = scene.pull("Fix\n\nSigned-off-by: Mia <mia@home.example>")
    scene.settle()
    assert scene.conclusion(pull) == "success"
    assert scene.comments(pull) == []

    asks(scene, pull)

    (comment,) = scene.comments(pull)
    assert "<details>" in comment.body
    assert pull.head_sha[:7] in comment.body


def test_asked_soon_after_another_command(scene):
    """The answer comes, after the pause."""
    pull, _ = scene.pull("One")
    scene.settle()
    asks(scene, pull, "/cla-check")
    asks(scene, pull)

    (comment,) = scene.comments(pull)
    assert "<details>" in comment.body
