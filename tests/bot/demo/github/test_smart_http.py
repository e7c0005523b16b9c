"""Git over HTTP."""

import gzip

import pytest
import requests

from bot.demo.github import smart_http
from bot.demo.github.contributor import clone_url
from bot.demo.github.git import bare_repository


def test_public_repositories_are_cloned_by_all_and_private_ones_by_their_people(place, tmp_path):
    bare_repository.run("clone", "--quiet", clone_url(place.world, place.runtime), str(tmp_path / "open"))
    assert (tmp_path / "open" / "README.md").read_text() == "# runtime\n"
    secret = place.world.repository(place.cann, "secret", private=True)
    with pytest.raises(bare_repository.GitFailed):
        bare_repository.run("clone", "--quiet", clone_url(place.world, secret), str(tmp_path / "closed"))
    with pytest.raises(bare_repository.GitFailed, match="not found"):
        bare_repository.run("clone", "--quiet", clone_url(place.world, secret, place.mia), str(tmp_path / "closed"))
    bare_repository.run("clone", "--quiet", clone_url(place.world, secret, place.ada), str(tmp_path / "owned"))


def test_only_people_with_write_push(place):
    clone = place.clone(place.runtime, place.mia)
    clone.commit("No")
    with pytest.raises(bare_repository.GitFailed, match="403"):
        clone.push("main")
    place.runtime.collaborators[place.mia.id] = "write"
    clone.push("main")
    assert bare_repository.references(place.runtime.git)["refs/heads/main"] == clone.head


def test_a_wrong_or_foreign_token_is_401(place):
    url = f"{place.server.url}/cann/runtime.git/info/refs?service=git-receive-pack"
    for login, token in (("mia", "wrong"), ("ada", place.mia.token), ("", "")):
        answer = requests.get(url, auth=(login, token), timeout=60)
        assert answer.status_code == 401
        assert "Basic" in answer.headers["WWW-Authenticate"]


def test_a_push_is_told_to_the_app_with_its_commits(place):
    clone = place.clone(place.runtime, place.ada)
    before = clone.head
    after = clone.commit("One", files={"a.txt": "1"})
    clone.push("main")
    place.pull()
    sent = place.events("push")
    assert [(push["before"], push["after"], push["pusher"]["name"], push["repository"]["name"]) for push in sent] == [
        (before, after, "ada", "runtime")
    ]
    assert [(commit["message"], commit["added"], commit["author"]["username"]) for commit in sent[0]["commits"]] == [
        ("One", ["a.txt"], "ada")
    ]


@pytest.mark.slow
def test_a_forced_push_and_a_deleted_branch_are_told(place):
    pull, clone = place.pull()
    clone.git("reset", "--quiet", "--hard", "origin/main")
    clone.commit("Another")
    with pytest.raises(bare_repository.GitFailed):
        clone.push("work")
    clone.push("work", force=True)
    assert pull.head_sha == clone.head
    clone.git("push", "--quiet", "origin", ":refs/heads/work")
    assert pull.state == "closed"
    owner = place.clone(place.runtime, place.ada)
    owner.branch("side")
    owner.commit("x")
    owner.push()
    owner.git("reset", "--quiet", "--hard", "origin/main")
    owner.commit("y")
    owner.push(force=True)
    owner.git("push", "--quiet", "origin", ":refs/heads/side")
    sent = [(event["created"], event["forced"], event["deleted"]) for event in place.events("push")]
    assert sent == [(True, False, False), (False, True, False), (False, False, True)]


@pytest.mark.slow
def test_large_pushes_come_in_chunks(place):
    """Above git's buffer of 1 MB the body has no length."""
    clone = place.clone(place.runtime, place.ada)
    noise = "".join(f"{number * 2654435761 % 2**32:08x}" for number in range(400_000))
    clone.commit("Big", files={"big.txt": noise})
    clone.git("config", "http.postBuffer", "65536")
    clone.push("main")
    found = bare_repository.blob(place.runtime.git, "refs/heads/main", "big.txt")
    assert found is not None
    assert len(found[1]) == len(noise)


def test_compressed_requests_are_understood(place):
    """Git compresses its request when many branches are known."""
    head = bare_repository.resolve(place.runtime.git, "main")
    want = f"0032want {head}\n00000009done\n".encode()
    answer = requests.post(
        f"{place.server.url}/cann/runtime.git/git-upload-pack", data=gzip.compress(want),
        headers={"Content-Encoding": "gzip", "Content-Type": "application/x-git-upload-pack-request"}, timeout=5,
    )  # fmt: skip
    assert b"PACK" in answer.content


def test_a_push_to_the_old_name_of_a_repository_works(place):
    clone = place.clone(place.runtime, place.ada)
    place.world.rename(place.runtime, "engine", place.ada)
    clone.commit("After")
    clone.push("main")
    assert bare_repository.resolve(place.runtime.git, "main") == clone.head


def test_heads_of_pull_requests_are_fetched_and_never_pushed(place):
    pull, _ = place.pull()
    owner = place.clone(place.runtime, place.ada)
    owner.git("fetch", "--quiet", "origin", "refs/pull/1/head")
    assert owner.git("rev-parse", "FETCH_HEAD") == pull.head_sha
    owner.commit("Mine")
    with pytest.raises(bare_repository.GitFailed, match="hidden ref"):
        owner.git("push", "origin", "HEAD:refs/pull/1/head")
    assert bare_repository.references(place.runtime.git)["refs/pull/1/head"] == pull.head_sha


@pytest.mark.parametrize(("sent", "status"), [("INT", 200), ("KILL", 500)])
def test_an_interrupted_git_program_runs_again_and_a_killed_one_is_500(place, tmp_path, monkeypatch, sent, status):
    """Ctrl-C in the terminal reaches git's program by accident."""
    killed = tmp_path / "killed"
    program = tmp_path / "backend"
    program.write_text(
        f"#!/bin/sh\n[ -e {killed} ] || {{ : > {killed}; kill -{sent} $$; }}\nexec {smart_http._program()}\n"
    )
    program.chmod(0o700)
    monkeypatch.setattr(smart_http, "_program", lambda: str(program))
    answer = requests.get(f"{clone_url(place.world, place.runtime)}/info/refs?service=git-upload-pack", timeout=60)
    assert (answer.status_code, b"refs/heads/main" in answer.content) == (status, status == 200)
    assert killed.exists()
