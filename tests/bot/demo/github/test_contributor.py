"""A contributor at work: any identity in the commits, the person's own in the push."""

import pytest

from bot.demo.github.contributor import Contributor, clone_url
from bot.demo.github.git import bare_repository


def test_commits_carry_any_identity_and_the_push_the_real_one(place):
    fork = place.world.fork(place.runtime, place.mia)
    clone = place.clone(fork, place.mia)
    clone.branch("work")
    sha = clone.commit(
        "As others\n\nLine", author=("Ada", "ada@cann.example"), committer=("X", "x@x.example"), sign_off=True
    )
    clone.push()
    commit = bare_repository.commit(fork.git, sha)
    assert (commit.author.email, commit.committer.email) == ("ada@cann.example", "x@x.example")
    assert commit.message.endswith("Signed-off-by: X <x@x.example>")
    assert bare_repository.references(fork.git)["refs/heads/work"] == sha


def test_commits_use_the_primary_or_the_noreply_address_by_default(place):
    eve = place.world.user("eve", name="Eve")
    clone = place.clone(place.runtime, eve)
    assert clone.identity == ("Eve", f"{eve.id}+eve@users.noreply.127.0.0.1")
    assert place.clone(place.runtime, place.mia).identity == ("Mia Chen", "mia@home.example")


def test_only_the_address_for_git_holds_the_token(place):
    assert place.mia.token in clone_url(place.world, place.runtime, place.mia)
    assert clone_url(place.world, place.runtime) == f"{place.server.url}/cann/runtime.git"


def test_settings_of_this_machines_git_do_not_count(place, tmp_path, monkeypatch):
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Machine\n\temail = m@m.example\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Machine")
    clone = place.clone(place.runtime, place.ada)
    with pytest.raises(bare_repository.GitFailed):
        clone.git("config", "user.name")
    sha = clone.commit("x")
    assert clone.git("log", "-1", "--format=%an %cn", sha) == "Ada Admin Ada Admin"


@pytest.fixture(name="mia")
def _mia(place):
    """Mia at her desk, and her fork of runtime."""
    (place.folder / "desk").mkdir()
    mia = Contributor(place.world, place.mia, place.folder / "desk")
    return mia, place.world.fork(place.runtime, place.mia)


def test_a_given_author_is_the_author_alone(place, mia):
    """`git commit --author` does the same: the committer and the sign-off stay."""
    who, fork = mia
    desk = who.branch(fork, "fix")
    sha = desk.commit("Fix it", {"deep/down.txt": "x"}, author="Ada Wu <ada@cann.example>", sign_off=True)
    desk.push()

    commit = bare_repository.commit(fork.git, sha)
    assert (commit.author.name, commit.author.email, commit.committer.email) == (
        "Ada Wu",
        "ada@cann.example",
        "mia@home.example",
    )
    assert commit.message == "Fix it\n\nSigned-off-by: Mia Chen <mia@home.example>"
    assert desk.git("show", "--name-only", "--format=").split() == ["deep/down.txt"]


def test_a_forks_branch_grows_from_the_original_and_is_pushed_to_the_fork(place, mia):
    who, fork = mia
    newest = place.world.write(place.runtime, {"new.txt": "x"})
    desk = who.branch(fork, "fix", of=place.runtime)
    sha = desk.commit("Fix it")
    desk.push()

    assert desk.git("rev-parse", "HEAD^") == newest
    assert bare_repository.references(fork.git)["refs/heads/fix"] == sha
    assert bare_repository.resolve(place.runtime.git, "refs/heads/fix") is None


def test_rewritten_history_is_pushed_only_by_force(mia):
    who, fork = mia
    desk = who.branch(fork, "fix")
    first = desk.commit("Fix it")
    desk.push()
    second = desk.commit("Fix it better", amend=True)
    with pytest.raises(bare_repository.GitFailed, match="rejected"):
        desk.push()
    desk.push(force=True)

    assert first != second == bare_repository.resolve(fork.git, "refs/heads/fix")


def test_a_push_without_the_right_is_refused(place, mia):
    desk = mia[0].branch(place.runtime, "fix")
    desk.commit("Fix it")
    with pytest.raises(bare_repository.GitFailed, match="403"):
        desk.push()


def test_the_same_branch_again_is_a_fresh_clone(mia):
    who, fork = mia
    who.branch(fork, "fix").commit("Lost")
    desk = who.branch(fork, "fix")

    assert "Lost" not in desk.git("log", "--format=%s")
