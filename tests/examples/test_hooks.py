"""The pre-push hook holds back what a pull request would be told to change, and nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stories.test_fixes import blocks

HOOK = Path(__file__).parents[2] / "examples" / "hooks" / "pre-push"


@pytest.fixture(name="hooked")
def _hooked(desk, monkeypatch):
    """Ada's clone with the hook, and our command on the path."""
    shutil.copy(HOOK, desk.folder / ".git" / "hooks" / "pre-push")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.defpath}")
    return desk


def push(desk, *arguments):
    """Exit code and all that is shown."""
    done = subprocess.run(["git", "push", *arguments], cwd=desk.folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_printed_command_lets_the_push_through(hooked):
    """Refused with the reason; after the command that was printed it goes through."""
    hooked.commit()
    code, shown = push(hooked, "--set-upstream", "origin", "fix")
    assert code != 0
    assert "dco/missing" in shown
    subprocess.run(["bash", "-c", blocks(shown)[0].splitlines()[0]], cwd=hooked.folder, capture_output=True, check=True)
    assert push(hooked, "--set-upstream", "origin", "fix")[0] == 0


def test_a_branch_that_is_there_already(hooked):
    """Only what is new is looked at: also after it was rewritten, or when nothing is new."""
    hooked.signed()
    assert push(hooked, "origin", "fix")[0] == 0
    bad = hooked.commit()
    code, shown = push(hooked, "origin", "fix")
    assert code != 0
    assert bad[:12] in shown
    assert push(hooked, "--no-verify", "origin", "fix")[0] == 0
    hooked.git("commit", "--quiet", "--amend", "--signoff", "--no-edit")
    assert push(hooked, "--force-with-lease", "origin", "fix")[0] == 0
    assert push(hooked, "--force", "origin", "HEAD~1:fix")[0] == 0


def test_several_at_once(hooked):
    """One bad branch holds all back; deleted branches, tags and copies of what is there do not."""
    hooked.git("branch", "copy", "main")
    hooked.git("tag", "v1")
    assert push(hooked, "origin", "copy", "v1")[0] == 0
    assert push(hooked, "origin", "--delete", "copy")[0] == 0
    hooked.signed()
    hooked.git("checkout", "--quiet", "-b", "bad")
    hooked.commit()
    assert push(hooked, "origin", "fix", "bad")[0] != 0
    assert push(hooked, "origin", "fix")[0] == 0


def test_another_branch_than_the_one_checked_out(hooked):
    """What is pushed is judged, not what is checked out."""
    hooked.commit()
    hooked.git("checkout", "--quiet", "-b", "other", "main")
    code, shown = push(hooked, "origin", "fix")
    assert code != 0
    assert "Not checked out here" in shown
