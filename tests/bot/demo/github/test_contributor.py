"""A contributor at work: any identity in the commits, the person's own in the push."""

import pytest

from bot.demo.github.contributor import Contributor, clone_url
from bot.demo.github.git import bare_repository


def test_commits_carry_any_identity_and_the_push_the_real_one(place):
    """Git believes what it is told; only the push is proved."""
    fork = place.world.fork(place.runtime, place.mia)
    clone = place.clone(fork, place.mia)
    clone.branch("work")
    sha = clone.commit(
        "As others\n\nLine", author=("Ada", "ada@cann.example"), committer=("X", "x@x.example"), sign_off=True
    )
    clone.push()
    one = bare_repository.commit(fork.git, sha)
    assert (one.author.email, one.committer.email) == ("ada@cann.example", "x@x.example")
    assert one.message.endswith("Signed-off-by: X <x@x.example>")
    assert bare_repository.references(fork.git)["refs/heads/work"] == sha


def test_without_being_told_the_primary_address_is_used(place):
    """The noreply address for those who have none."""
    eve = place.world.user("eve", name="Eve")
    clone = place.clone(place.runtime, eve)
    assert clone.identity == ("Eve", f"{eve.id}+eve@users.noreply.127.0.0.1")
    assert place.clone(place.runtime, place.mia).identity == ("Mia Chen", "mia@home.example")


def test_the_token_is_in_the_address_for_git_alone(place):
    """The one for people has none."""
    assert place.mia.token in clone_url(place.world, place.runtime, place.mia)
    assert clone_url(place.world, place.runtime) == f"{place.server.url}/cann/runtime.git"


def test_nothing_of_this_machines_git_gets_in(place, tmp_path, monkeypatch):
    """Neither settings nor identity."""
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


def test_an_author_in_words_is_the_author_alone(place, mia):
    """As `git commit --author` has it: the person at the desk commits and signs off."""
    who, fork = mia
    desk = who.branch(fork, "fix")
    sha = desk.commit("Fix it", {"deep/down.txt": "x"}, author="Ada Wu <ada@cann.example>", sign_off=True)
    desk.push()

    one = bare_repository.commit(fork.git, sha)
    assert (one.author.name, one.author.email, one.committer.email) == (
        "Ada Wu",
        "ada@cann.example",
        "mia@home.example",
    )
    assert one.message == "Fix it\n\nSigned-off-by: Mia Chen <mia@home.example>"
    assert desk.git("show", "--name-only", "--format=").split() == ["deep/down.txt"]


def test_a_fork_s_branch_grows_from_the_original(place, mia):
    """What came into the original after the fork is under the branch; pushing goes to the fork alone."""
    who, fork = mia
    newest = place.world.write(place.runtime, {"new.txt": "x"})
    desk = who.branch(fork, "fix", of=place.runtime)
    sha = desk.commit("Fix it")
    desk.push()

    assert desk.git("rev-parse", "HEAD^") == newest
    assert bare_repository.references(fork.git)["refs/heads/fix"] == sha
    assert bare_repository.resolve(place.runtime.git, "refs/heads/fix") is None


def test_history_can_be_rewritten(mia):
    """Amended and pushed by force; without force git refuses with its own words."""
    who, fork = mia
    desk = who.branch(fork, "fix")
    first = desk.commit("Fix it")
    desk.push()
    second = desk.commit("Fix it better", amend=True)
    with pytest.raises(bare_repository.GitFailed, match="rejected"):
        desk.push()
    desk.push(force=True)

    assert first != second == bare_repository.resolve(fork.git, "refs/heads/fix")


def test_nobody_pushes_to_what_is_not_theirs(place, mia):
    """Mia may read runtime and commit what she likes; the push is refused."""
    desk = mia[0].branch(place.runtime, "fix")
    desk.commit("Fix it")
    with pytest.raises(bare_repository.GitFailed, match="403"):
        desk.push()


def test_a_branch_begins_anew(mia):
    """The same name again is a fresh clone."""
    who, fork = mia
    who.branch(fork, "fix").commit("Lost")
    desk = who.branch(fork, "fix")

    assert "Lost" not in desk.git("log", "--format=%s")
