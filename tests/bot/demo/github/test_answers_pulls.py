"""Bodies about pull requests and commits."""

from dataclasses import replace

from bot.demo.github import answers_pulls, git


def test_a_pull_request_lists_as_it_reads(place):
    """The short form is part of the whole."""
    pull, _ = place.pull()
    whole, short = answers_pulls.pull(place.world, pull), answers_pulls.pull_simple(place.world, pull)
    assert {key: whole[key] for key in short} == short
    assert whole["head"]["label"] == "mia:work"


def test_a_commit_that_github_signed_is_verified(place):
    """Others are unsigned."""
    sha = place.world.write(place.runtime, {"x": "x"})
    signed = answers_pulls.commit(place.world, place.runtime, git.commit(place.runtime.git, sha))
    assert signed["commit"]["verification"]["verified"] is True
    pull, _ = place.pull()
    unsigned = answers_pulls.commit(place.world, place.runtime, git.commit(place.runtime.git, pull.head_sha))
    assert unsigned["commit"]["verification"]["reason"] == "unsigned"
    assert unsigned["parents"][0]["sha"] == sha


def test_files_with_their_counts(place):
    """Additions and deletions add up."""
    pull, _ = place.pull()
    files = git.files(place.runtime.git, pull.base_sha, pull.head_sha)
    body = answers_pulls.file(place.world, pull.repository, pull.head_sha, files[0])
    assert (body["filename"], body["status"], body["changes"]) == ("work0.txt", "added", 1)
    assert "previous_filename" not in body
    moved = replace(files[0], status="renamed", previous="old.txt")
    assert answers_pulls.file(place.world, pull.repository, pull.head_sha, moved)["previous_filename"] == "old.txt"
