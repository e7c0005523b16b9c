"""The pre-push hook holds back what a pull request would be told to change, and nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clones import BO, Desk, clone
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


@pytest.mark.slow
def test_the_printed_command_lets_the_push_through(hooked):
    hooked.commit()
    code, shown = push(hooked, "--set-upstream", "origin", "fix")
    assert code != 0
    assert "dco/missing" in shown
    subprocess.run(["bash", "-c", blocks(shown)[0].splitlines()[0]], cwd=hooked.folder, capture_output=True, check=True)
    assert push(hooked, "--set-upstream", "origin", "fix")[0] == 0


@pytest.mark.slow
def test_only_new_commits_of_an_existing_branch_are_judged(hooked):
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


@pytest.mark.slow
def test_one_bad_branch_holds_all_pushed_branches_back(hooked):
    hooked.git("branch", "copy", "main")
    hooked.git("tag", "v1")
    assert push(hooked, "origin", "copy", "v1")[0] == 0
    assert push(hooked, "origin", "--delete", "copy")[0] == 0
    hooked.signed()
    hooked.git("checkout", "--quiet", "-b", "bad")
    hooked.commit()
    assert push(hooked, "origin", "fix", "bad")[0] != 0
    assert push(hooked, "origin", "fix")[0] == 0


@pytest.mark.slow
def test_the_pushed_branch_is_judged_and_not_the_one_checked_out(hooked):
    hooked.commit()
    hooked.git("checkout", "--quiet", "-b", "other", "main")
    code, shown = push(hooked, "origin", "fix")
    assert code != 0
    assert "Not checked out here: fix. Check it out before you run a command on it." in shown


def unsigned_on_main(project, home):
    """Somebody else's unsigned commit reaches the project's main branch."""
    project.commit("Of Bo", by=BO, theirs="x")
    project.git("push", "--quiet", (home / "project.git").as_uri(), "HEAD:main")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["merge", "rebase"])
def test_commits_that_main_has_already_are_not_judged(project, hooked, home, way):
    hooked.signed()
    assert push(hooked, "origin", "fix")[0] == 0
    unsigned_on_main(project, home)
    hooked.git("fetch", "--quiet", "origin")
    hooked.git(way, "--quiet", "origin/main")
    assert push(hooked, "--force-with-lease", "origin", "fix")[0] == 0
    bad = hooked.commit("Mine")
    code, shown = push(hooked, "origin", "fix")
    assert code != 0
    assert bad[:12] in shown
    assert shown.count("dco/missing") == 1


@pytest.fixture(name="fork")
def _fork(hooked, home):
    """Ada's clone of her fork, with the project as `upstream`."""
    subprocess.run(["git", "clone", "--quiet", "--bare", home / "project.git", home / "fork.git"], check=True)
    desk = clone(home / "fork.git", home / "work")
    shutil.copy(HOOK, desk.folder / ".git" / "hooks" / "pre-push")
    desk.git("remote", "add", "upstream", (home / "project.git").as_uri())
    return desk


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--ff-only",), ("--no-rebase", "--no-ff", "--no-edit", "--signoff")])
def test_a_fork_is_brought_up_to_date(project, fork, home, options):
    unsigned_on_main(project, home)
    fork.git("pull", "--quiet", *options, "upstream", "main")
    assert push(fork, "origin", "main")[0] == 0


def test_an_empty_fork_is_filled(fork, home):
    subprocess.run(["git", "init", "--quiet", "--bare", home / "empty.git"], check=True)
    fork.git("fetch", "--quiet", "upstream")
    fork.git("remote", "set-url", "origin", (home / "empty.git").as_uri())
    fork.git("fetch", "--quiet", "--prune", "origin")
    assert push(fork, "origin", "main")[0] == 0


@pytest.mark.slow
def test_the_unsigned_past_of_a_release_branch_is_not_judged(project, hooked, home):
    project.git("checkout", "--quiet", "-b", "release")
    past = project.commit("Old", by=BO)
    project.git("push", "--quiet", "origin", "release")
    hooked.git("fetch", "--quiet", "origin")
    hooked.git("checkout", "--quiet", "release")
    hooked.signed()
    assert push(hooked, "origin", "release")[0] == 0
    hooked.commit("One")
    hooked.commit("Two")
    code, shown = push(hooked, "origin", "release")
    assert code != 0
    assert past[:12] not in shown
    subprocess.run(["bash", "-c", blocks(shown)[0].splitlines()[0]], cwd=hooked.folder, capture_output=True, check=True)
    assert push(hooked, "origin", "release")[0] == 0
    assert past in hooked.git("rev-list", "release")


@pytest.mark.slow
def test_new_commits_are_known_in_a_repository_that_was_not_cloned(project, hooked, home):
    subprocess.run(["git", "init", "--quiet", home / "joined"], check=True)
    desk = Desk(home / "joined")
    desk.git("remote", "add", "origin", (home / "project.git").as_uri())
    desk.git("fetch", "--quiet", "origin")
    desk.git("checkout", "--quiet", "--no-track", "-b", "topic", "origin/main")
    shutil.copy(HOOK, desk.folder / ".git" / "hooks" / "pre-push")
    desk.signed()
    assert push(desk, "origin", "topic")[0] == 0
    desk.commit()
    code, shown = push(desk, "origin", "topic")
    assert code != 0
    assert "dco/missing" in shown


@pytest.mark.slow
def test_a_missing_command_is_told_with_the_way_around(hooked, monkeypatch):
    monkeypatch.setenv("PATH", os.defpath)
    hooked.signed()
    code, shown = push(hooked, "origin", "fix")
    assert code != 0
    assert "no countersign on the PATH" in shown
    assert "git push --no-verify" in shown
    hook = hooked.folder / ".git" / "hooks" / "pre-push"
    place = Path(sys.executable).parent / "countersign"
    hook.write_text(hook.read_text().replace("countersign=countersign", f"countersign={place}"))
    assert push(hooked, "origin", "fix")[0] == 0
