"""Pull requests are judged, and `countersign replay` says who would change under another rulebook."""

import json

import pytest

from bot.cli.verdicts.replay import command
from tests.bot.flows.scene import CLA
from tests.terminal import TerminalRunner

pytestmark = pytest.mark.slow

BEFORE = 'version: 1\norganization: The CANN Authors\nrepositories: [{match: ["quiet"], require: dco, mode: shadow}, {match: ["*"], require: dco}]\n'
AFTER = CLA + "people: {override: admins}\n"


@pytest.fixture(name="replay")
def _replay(scene, tmp_path):
    """The command, on the scene's database, with that text as the changed rulebook."""

    def replay(text, *arguments):
        file = tmp_path / "changed.yml"
        file.write_text(text)
        values = {
            "COUNTERSIGN_DATABASE_URL": scene.settings.database_url,
            "COUNTERSIGN_KEYS": scene.settings.keys.reveal(),
        }
        return TerminalRunner(env=values).invoke(command, ["--rulebook", str(file), *arguments])

    return replay


@pytest.fixture(name="scene")
def _scene(staged):
    """Each commit needs a sign-off; the repository `quiet` is in the shadow."""
    return staged(rulebook=BEFORE)


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
def test_replay_names_the_people_whom_a_changed_rulebook_would_fail(scene, replay):
    quiet = scene.world.repository(scene.cann, "quiet")
    scene.sign(scene.ada)
    off = "Fix\n\nSigned-off-by: {} <{}>"
    scene.pull(off.format("Mia", "mia@home.example"), branch="one")
    scene.pull(off.format("Ada", "ada@cann.example"), who=scene.ada, branch="two")
    shadow, _ = scene.pull("Fix", to=quiet)
    scene.settle()
    assert scene.recorded(shadow)[0] == "failure"
    scene.calls()

    result = replay(AFTER)
    assert (result.stderr, result.exit_code) == ("", 1)
    assert result.stdout.splitlines() == [
        "cann/ops#1  success → failure  + CLA cla/unsigned mia",
        f"cann/quiet#1  failure  mode shadow → enforce  + CLA cla/unsigned mia  - DCO dco/missing {shadow.head_sha[:7]}",
        "2 of 3 pull requests would change",
    ]
    [line] = replay(AFTER, "--format", "json", "--repository", "quiet").stdout.splitlines()
    assert [problem["account"]["login"] for problem in json.loads(line)["new"]] == ["mia"]
    assert scene.calls() == []

    # And so it comes when the rulebook is really changed.
    scene.world.write(scene.rules, {".github/countersign.yml": AFTER})
    scene.again(shadow)
    assert scene.recorded(shadow) == ("failure", ["cla/unsigned"])
