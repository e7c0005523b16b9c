"""Before merging, the check says what GitHub's default message of a squash will hold."""

import pytest

from tests.bot.flows.test_pushed_commits import DCO, SIGNED


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("COMMIT_MESSAGES", "holds those of its commits, with their sign-offs"),
        ("PR_BODY", "copy their sign-offs (`Signed-off-by` lines; number of people: 2)"),
        ("BLANK", "copy the commits' sign-offs (`Signed-off-by` lines; number of people: 2)"),
        ("", ""),
    ],
)
def test_before_merging_the_check_says_what_a_squash_will_hold(staged, setting, said):
    scene = staged(rulebook=DCO)
    scene.ops.squash_message = setting
    pull, clone = scene.pull(SIGNED.format("One"), author=("Mia", "mia@home.example"))
    message = f"{SIGNED.format('Two')}\nSigned-off-by: Bo <bo@home.example>"
    clone.commit(message, files={"two.txt": "2"}, author=("Mia", "mia@home.example"))
    clone.push()
    scene.settle()
    [run] = [run for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha]
    assert run.conclusion == "success"
    assert said in run.output["summary"]
    assert ("squashed" in run.output["summary"]) is bool(said)
