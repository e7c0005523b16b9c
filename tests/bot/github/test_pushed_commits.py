"""Pushes are compared page by page, and a commit is tied to the repository's own pull requests alone."""

import pytest

from bot.demo.github.git import bare_repository
from bot.github import pushed_commits
from bot.github.ports import Missing, Unreachable
from bot.github.pushed_commits import BringingPull
from bot.github.reading import Garbled
from tests.bot.github.conftest import HERE

BRANCH = "/repos/cann/ops/branches/main"
PULLS = f"/repos/cann/ops/commits/{'a' * 40}/pulls"


def test_a_branch_has_a_newest_commit_unless_it_is_gone(scene):
    newest = bare_repository.resolve(scene.ops.git, "refs/heads/main")
    assert scene.hub.branch_head(scene.place, "main") == newest
    assert scene.hub.branch_head(scene.place, "no/such") is None


def test_all_pages_of_a_push_are_read_and_its_end_is_known(scene, monkeypatch):
    _, clone = scene.pull(*(f"Commit {number}" for number in range(5)))
    base = scene.hub.branch_head(scene.place, "main")
    monkeypatch.setattr(pushed_commits, "PAGE_SIZE", 2)
    monkeypatch.setattr(pushed_commits, "MAX_COMMITS", 6)
    found = scene.hub.pushed_commits(scene.place, base, clone.head)
    assert [commit.message.strip() for commit in found.commits] == [f"Commit {number}" for number in range(5)]
    monkeypatch.setattr(pushed_commits, "MAX_COMMITS", 4)
    found = scene.hub.pushed_commits(scene.place, base, clone.head)
    assert (len(found.commits), found.total) == (4, 5)


def test_a_head_is_so_many_commits_ahead_or_has_no_common_past(scene):
    _, clone = scene.pull("One", "Two")
    base = scene.hub.branch_head(scene.place, "main")
    assert [scene.hub.ahead(scene.place, *ends) for ends in [(base, clone.head), (clone.head, base)]] == [2, 0]
    assert scene.hub.ahead(scene.place, "f" * 40, base) is None


def test_a_push_from_a_commit_that_is_gone_cannot_be_compared(scene):
    head = bare_repository.resolve(scene.ops.git, "refs/heads/main")
    with pytest.raises(Missing):
        scene.hub.pushed_commits(scene.place, "f" * 40, head)


def test_merged_and_open_pull_requests_are_tied_to_their_commits(scene):
    pull, clone = scene.pull("One", "Two")
    assert scene.hub.bringing_pulls(scene.place, clone.head) == (
        BringingPull(number=pull.number, base="main", head_sha=clone.head, merged=False),
    )
    assert [commit.message.strip() for commit in scene.hub.pull_commits(scene.place, pull.number)] == ["One", "Two"]
    scene.world.merge_pull(pull, scene.ada, method="squash", message="Both")
    merged = BringingPull(number=pull.number, base="main", head_sha=clone.head, merged=True)
    assert scene.hub.bringing_pulls(scene.place, pull.merge_sha) == (merged,)
    assert scene.hub.bringing_pulls(scene.place, pull.base_sha) == ()


def listed(repository, **changes):
    """A pull request as REST lists it, on the repository with that id."""
    side = {"sha": "b" * 40}
    fields = {
        "number": 7,
        "merged_at": None,
        "head": side,
        "base": {**side, "ref": "main", "repo": {"id": repository}},
    }
    return {**fields, **changes}


def test_a_pull_request_to_another_repository_brings_nothing_here(hub, github):
    github.on("GET", PULLS, [listed(HERE.repository_id + 1), listed(HERE.repository_id, number=8)])
    assert [pull.number for pull in hub.bringing_pulls(HERE, "a" * 40)] == [8]


def test_answers_that_cannot_be_understood_are_errors_and_no_answer(hub, github):
    github.on("GET", PULLS, [{"number": 7}])
    github.on("GET", BRANCH, {"name": "main"})
    with pytest.raises(Garbled):
        hub.bringing_pulls(HERE, "a" * 40)
    with pytest.raises(Garbled):
        hub.branch_head(HERE, "main")
    github.on("GET", BRANCH, {"message": "bad"}, status=502)
    with pytest.raises(Unreachable):
        hub.branch_head(HERE, "main")
