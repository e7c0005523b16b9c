"""A changelog that the rulebook requires, from the push to the check run."""

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_required_changelog_fails_until_it_is_changed_or_labelled(staged, language):
    book = (
        "version: 1\nchangelog: {require: true, path: NEWS, skip-label: No-News}\ncomment: {language: "
        + language
        + "}\n"
    )
    scene = staged(rulebook=book)
    scene.world.write(scene.ops, {"NEWS": "News\n"})
    pull, clone = scene.pull("One\n\nSigned-off-by: Mia <mia@home.example>")
    clone.git("rm", "--quiet", "NEWS")
    clone.commit("Two\n\nSigned-off-by: Mia <mia@home.example>", files={"a": "a"})
    clone.push()
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["dco/signed", "dco/signed", "changelog/missing"])
    summary = {run.head_sha: run for run in scene.world.check_runs.values()}[pull.head_sha].output["summary"]
    assert {"en": "### ❌ Changelog", "zh": "### ❌ 变更日志"}[language] in summary
    assert "`NEWS`" in summary

    scene.world.add_labels(pull, ["no-news"], scene.ada)
    scene.settle()
    assert scene.conclusion(pull) == "success"

    scene.world.remove_label(pull, "no-news", scene.ada)
    scene.settle()
    assert scene.conclusion(pull) == "failure"

    clone.commit("Three\n\nSigned-off-by: Mia <mia@home.example>", files={"NEWS": "More\n"})
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "success"
