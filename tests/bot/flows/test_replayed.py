"""The story of a changed rulebook: pull requests are judged, then `countersign replay` as a process says who would change."""

import json
import subprocess
import sys

import pytest

from bot.settings import for_child
from tests.bot.flows.scene import CLA

pytestmark = pytest.mark.story

BEFORE = 'version: 1\nrepositories: [{match: ["quiet"], require: dco, mode: shadow}, {match: ["*"], require: dco}]\n'
AFTER = CLA + "people: {override: admins}\n"


@pytest.fixture(name="replay")
def _replay(scene, tmp_path):
    """The command as a process of its own, on the scene's database, with that text as the changed rulebook."""

    def replay(text, *arguments):
        file = tmp_path / "changed.yml"
        file.write_text(text)
        values = {
            "COUNTERSIGN_DATABASE_URL": scene.settings.database_url,
            "COUNTERSIGN_KEYS": scene.settings.keys.reveal(),
        }
        return subprocess.run(
            [sys.executable, "-m", "bot", "replay", "--rulebook", file, *arguments],
            env=for_child(values), capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    return replay


@pytest.fixture(name="scene")
def _scene(staged):
    """Everybody needs a sign-off; the repository `quiet` is in the shadow."""
    return staged(rulebook=BEFORE)


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
def test_who_would_change(scene, replay):
    """Mia has not signed and Ada has; bare commits fail before and after, by other reasons; nothing is written anywhere."""
    quiet = scene.world.repository(scene.cann, "quiet")
    scene.sign(scene.ada)
    off = "Fix\n\nSigned-off-by: {} <{}>"
    mia, ada = off.format("Mia", "mia@home.example"), off.format("Ada", "ada@cann.example")
    scene.pull(mia, branch="one")
    scene.pull(ada, who=scene.ada, branch="two")
    bare, _ = scene.pull("Fix", branch="three")
    closed, _ = scene.pull(mia, branch="four")
    shadow, _ = scene.pull(mia, to=quiet)
    scene.settle()
    scene.world.close_pull(closed, scene.mia)
    scene.settle()
    assert scene.recorded(shadow)[0] == "success"
    scene.calls()

    result = replay(AFTER)
    assert (result.stderr, result.returncode) == ("", 1)
    assert result.stdout.splitlines() == [
        "cann/ops#1  success → failure  + CLA cla/unsigned mia",
        f"cann/ops#3  failure  + CLA cla/unsigned mia  - DCO dco/missing {bare.head_sha[:7]}",
        "cann/quiet#1  success → failure  + CLA cla/unsigned mia",
        "3 of 4 pull requests would change",
    ]
    lines = [
        json.loads(line) for line in replay(AFTER, "--format", "json", "--repository", "quiet").stdout.splitlines()
    ]
    assert [(one["pull_request"], one["new"][0]["account"]["login"]) for one in lines] == [("cann/quiet#1", "mia")]
    same = replay(BEFORE)
    assert (same.stdout, same.returncode) == ("0 of 4 pull requests would change\n", 0)
    assert scene.calls() == []

    # And so it comes when the rulebook is really changed.
    scene.world.write(scene.rules, {".github/countersign.yml": AFTER})
    for pull in (bare, shadow):
        scene.again(pull)
        assert scene.recorded(pull) == ("failure", ["cla/unsigned"])
