"""Bodies about pull requests and commits."""

from dataclasses import replace

from bot.demo.github.answers import pull_answers
from bot.demo.github.git import bare_repository


def test_a_pull_request_lists_as_it_reads(place):
    """The short form is part of the whole."""
    pull, _ = place.pull()
    whole, short = pull_answers.pull(place.world, pull), pull_answers.pull_simple(place.world, pull)
    assert {key: whole[key] for key in short} == short
    assert whole["head"]["label"] == "mia:work"


def test_a_commit_that_github_signed_is_verified(place):
    """Others are unsigned."""
    sha = place.world.write(place.runtime, {"x": "x"})
    signed = pull_answers.commit(place.world, place.runtime, bare_repository.commit(place.runtime.git, sha))
    assert signed["commit"]["verification"]["verified"] is True
    pull, _ = place.pull()
    unsigned = pull_answers.commit(place.world, place.runtime, bare_repository.commit(place.runtime.git, pull.head_sha))
    assert unsigned["commit"]["verification"]["reason"] == "unsigned"
    assert unsigned["parents"][0]["sha"] == sha


def test_files_with_their_counts(place):
    """Additions and deletions add up."""
    pull, _ = place.pull()
    files = bare_repository.files(place.runtime.git, pull.base_sha, pull.head_sha)
    body = pull_answers.file(place.world, pull.repository, pull.head_sha, files[0])
    assert (body["filename"], body["status"], body["changes"]) == ("work0.txt", "added", 1)
    assert "previous_filename" not in body
    moved = replace(files[0], status="renamed", previous="old.txt")
    assert pull_answers.file(place.world, pull.repository, pull.head_sha, moved)["previous_filename"] == "old.txt"
