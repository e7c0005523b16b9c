"""Contributors at work."""

import pytest

from bot.demo.github import git
from bot.demo.github.contributor import clone_url


def test_commits_carry_any_identity_and_the_push_the_real_one(place):
    """Git believes what it is told; only the push is proved."""
    fork = place.world.fork(place.runtime, place.mia)
    clone = place.clone(fork, place.mia)
    clone.branch("work")
    sha = clone.commit(
        "As others\n\nLine", author=("Ada", "ada@cann.example"), committer=("X", "x@x.example"), signoff=True
    )
    clone.push()
    one = git.commit(fork.git, sha)
    assert (one.author.email, one.committer.email) == ("ada@cann.example", "x@x.example")
    assert one.message.endswith("Signed-off-by: X <x@x.example>")
    assert git.references(fork.git)["refs/heads/work"] == sha


def test_without_being_told_the_primary_address_is_used(place):
    """The noreply address for those who have none."""
    eve = place.world.user("eve", name="Eve")
    clone = place.clone(place.runtime, eve)
    assert clone.identity == ("Eve", f"{eve.id}+eve@users.noreply.github.com")
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
    with pytest.raises(git.GitFailed):
        clone.git("config", "user.name")
    sha = clone.commit("x")
    assert clone.git("log", "-1", "--format=%an %cn", sha) == "Ada Admin Ada Admin"
