"""Somebody at their desk commits under any name and pushes as themselves."""

import pytest

from bot.demo.contributor import Contributor, GitRefused
from bot.demo.github import git
from bot.demo.github.server import Server
from bot.demo.github.state import Email
from bot.demo.github.world import World


@pytest.fixture(name="world")
def _world(tmp_path):
    """A small GitHub with mia/ops."""
    (tmp_path / "git").mkdir()
    world = World(tmp_path / "git")
    with Server(world):
        world.mia = world.user("mia", name="Mia Chen", emails=[Email("mia@home.example", primary=True)])
        world.ops = world.repository(world.mia, "ops")
        yield world


@pytest.fixture(name="mia")
def _mia(world, tmp_path):
    """Mia and her folder."""
    (tmp_path / "desk").mkdir()
    return Contributor(world.mia, tmp_path / "desk", world.url)


def test_a_branch_of_one_s_own(world, mia):
    """Cloned, committed under the person's name, pushed; the server has just that commit."""
    desk = mia.branch(world.ops, "fix")
    sha = desk.commit("Fix it", sign_off=True)
    desk.push()

    assert git.resolve(world.ops.git, "refs/heads/fix") == sha
    commit = git.commit(world.ops.git, sha)
    assert (commit.author.name, commit.author.email) == ("Mia Chen", "mia@home.example")
    assert commit.message == "Fix it\n\nSigned-off-by: Mia Chen <mia@home.example>"


def test_any_author_and_any_files(world, mia):
    """Git believes everything: the author is a claim, the pusher is not."""
    desk = mia.branch(world.ops, "fix")
    sha = desk.commit("Fix it", {"deep/down.txt": "x"}, author="Ada <ada@cann.example>")
    desk.push()

    commit = git.commit(world.ops.git, sha)
    assert (commit.author.email, commit.committer.email) == ("ada@cann.example", "mia@home.example")
    assert desk.git("show", "--name-only", "--format=").split() == ["deep/down.txt"]


def test_a_fork_s_branch_grows_from_the_original(world, mia):
    """What came into the original after the fork is under the branch; pushing goes to the fork."""
    bo = world.user("bo", emails=["bo@home.example"])
    fork = world.fork(world.ops, bo)
    world.write(world.ops, {"new.txt": "x"})
    desk = Contributor(bo, mia.folder, world.url).branch(fork, "fix", of=world.ops)
    sha = desk.commit("Fix it")
    desk.push()

    assert (desk.clone / "new.txt").exists()
    assert git.resolve(fork.git, "refs/heads/fix") == sha
    assert git.resolve(world.ops.git, "refs/heads/fix") is None


def test_history_can_be_rewritten(world, mia):
    """Amended and pushed by force; without force git refuses with its own words."""
    desk = mia.branch(world.ops, "fix")
    first = desk.commit("Fix it")
    desk.push()
    second = desk.commit("Fix it better", amend=True)
    with pytest.raises(GitRefused, match="rejected"):
        desk.push()
    desk.push(force=True)

    assert first != second == git.resolve(world.ops.git, "refs/heads/fix")


def test_nobody_pushes_to_what_is_not_theirs(world, mia):
    """Mia's folder, bo's credentials: refused."""
    bo = world.user("bo", emails=[])
    stranger = Contributor(bo, mia.folder, world.url)
    desk = stranger.branch(world.ops, "fix")
    desk.commit("Fix it")

    assert stranger.email == bo.noreply
    with pytest.raises(GitRefused):
        desk.push()


def test_a_branch_begins_anew(world, mia):
    """The same name again is a fresh clone."""
    mia.branch(world.ops, "fix").commit("Lost")
    desk = mia.branch(world.ops, "fix")

    assert "Lost" not in desk.git("log", "--format=%s")
