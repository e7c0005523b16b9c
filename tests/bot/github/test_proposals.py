"""One pull request at a time with files of ours, against the small GitHub: no other commit is ever lost."""

import base64
import os
import subprocess
from dataclasses import replace

import pytest

from bot.demo.github.git import bare_repository, changed_files
from bot.github.ports import Missing, PullRequestProposal, Refused, RepositoryPlace, Unreachable
from bot.github.proposals import GitHubProposals

MARK = "<!-- countersign:notice -->"
WANTED = PullRequestProposal(branch="countersign/notice", files={"NOTICE": b"Ours\n", "docs/More notes.txt": b"\xff\0\n"},
                  title="Bring NOTICE up to date", body=f"What it is for. {MARK}", marker=MARK,
                  message="Bring NOTICE up to date\n")  # fmt: skip


@pytest.fixture(name="granted")
def _granted(scene):
    """The App may write contents."""
    scene.app.permissions["contents"] = "write"
    return scene


def written(scene, reference):
    """The two files as a commit has them."""
    found = [bare_repository.blob(scene.ops.git, reference, path) for path in WANTED.files]
    return [blob and blob[1] for blob in found]


def test_a_first_proposal_is_one_commit_from_the_default_branch(granted):
    number = granted.hub.propose(granted.place, WANTED)

    [pull] = granted.ops.pulls.values()
    [commit] = bare_repository.between(granted.ops.git, pull.base_sha, pull.head_sha)
    assert (number, pull.title, pull.body, pull.base) == (pull.number, WANTED.title, WANTED.body, "main")
    assert written(granted, pull.head_sha) == list(WANTED.files.values())
    assert [file.path for file in changed_files.between(granted.ops.git, pull.base_sha, pull.head_sha)] == sorted(
        WANTED.files
    )
    assert (pull.opener, commit.author.name) == (granted.app.bot, granted.app.bot.name)
    assert commit.sha in granted.world.verified_commits


def test_the_same_proposal_again_changes_nothing(granted):
    number = granted.hub.propose(granted.place, WANTED)
    head, before = granted.ops.pulls[number].head_sha, len(granted.world.calls)

    assert granted.hub.propose(granted.place, WANTED) == number
    assert granted.ops.pulls[number].head_sha == head
    assert {call.method for call in granted.world.calls[before:]} == {"GET"}


def test_other_bytes_come_as_one_more_commit(granted):
    number = granted.hub.propose(granted.place, WANTED)
    first = granted.ops.pulls[number].head_sha
    tip = granted.world.write(granted.ops, {"NOTICE": "Somebody's\n", "else": "x\n"})
    later = replace(WANTED, files={**WANTED.files, "NOTICE": b"Ours, later\n"}, title="Later", body=f"Later {MARK}")

    assert granted.hub.propose(granted.place, later) == number

    pull = granted.ops.pulls[number]
    commit = bare_repository.commit(granted.ops.git, pull.head_sha)
    assert commit.parents == (first, tip)
    assert written(granted, pull.head_sha) == list(later.files.values())
    assert (pull.title, pull.body) == ("Later", f"Later {MARK}")
    assert bare_repository.blob(granted.ops.git, pull.head_sha, "else")[1] == b"x\n"


def test_a_proposal_catches_up_with_a_default_branch_that_would_conflict(granted):
    number = granted.hub.propose(granted.place, WANTED)
    granted.world.write(granted.ops, {"else": "x\n"})
    head = granted.ops.pulls[number].head_sha
    assert granted.hub.propose(granted.place, WANTED) == number
    assert granted.ops.pulls[number].head_sha == head

    granted.world.write(granted.ops, {"NOTICE": "Somebody's\n"})
    assert granted.hub.propose(granted.place, WANTED) == number
    granted.world.merge_pull(granted.ops.pulls[number], granted.ada)
    assert written(granted, "main") == list(WANTED.files.values())


def test_a_branch_with_commits_of_others_is_left_as_it_is(granted):
    number = granted.hub.propose(granted.place, WANTED)
    head = granted.ops.pulls[number].head_sha
    edited = granted.world.write(granted.ops, {"NOTICE": "By hand\n"}, branch=WANTED.branch)
    granted.world.landed(granted.ops, granted.ada, {f"refs/heads/{WANTED.branch}": (head, edited)})

    assert granted.hub.propose(granted.place, replace(WANTED, files={"NOTICE": b"More\n"})) == number
    assert granted.ops.pulls[number].head_sha == edited


def test_without_a_difference_no_pull_request_stays_open(granted):
    number = granted.hub.propose(granted.place, WANTED)
    head = granted.ops.pulls[number].head_sha
    tip = bare_repository.resolve(granted.ops.git, "main")
    subprocess.run(["git", "update-ref", "refs/heads/main", head], cwd=granted.ops.git, check=True)

    assert granted.hub.propose(granted.place, WANTED) is None
    assert granted.ops.pulls[number].state == "closed"
    subprocess.run(["git", "update-ref", "refs/heads/main", tip], cwd=granted.ops.git, check=True)
    assert granted.hub.propose(granted.place, WANTED) == number + 1


def test_a_declined_proposal_is_not_made_again_until_its_bytes_change(granted):
    number = granted.hub.propose(granted.place, WANTED)
    granted.world.close_pull(granted.ops.pulls[number], granted.ada)

    assert granted.hub.propose(granted.place, WANTED) is None
    later = replace(WANTED, files={"NOTICE": b"Ours, later\n"})
    assert granted.hub.propose(granted.place, later) == number + 1
    assert [pull.state for pull in granted.ops.pulls.values()] == ["closed", "open"]


@pytest.mark.slow
def test_after_a_merge_another_pull_request_is_opened(granted):
    for turn, deleted in enumerate((False, True), 1):
        number = granted.hub.propose(granted.place, replace(WANTED, files={"NOTICE": b"%d\n" % turn}))
        assert number == turn
        granted.world.merge_pull(granted.ops.pulls[number], granted.ada)
        if deleted:
            reference = f"refs/heads/{WANTED.branch}"
            subprocess.run(["git", "update-ref", "-d", reference], cwd=granted.ops.git, check=True)
    assert granted.hub.propose(granted.place, WANTED) == 3


def test_a_foreign_branch_under_our_name_is_refused(granted):
    theirs = granted.world.write(granted.ops, {"x": "y"}, branch=WANTED.branch)
    with pytest.raises(Refused, match="commits by others"):
        granted.hub.propose(granted.place, WANTED)
    granted.world.open_pull(granted.ops, granted.ada, WANTED.branch, body=f"Look: {MARK}")
    with pytest.raises(Refused):
        granted.hub.propose(granted.place, WANTED)
    assert bare_repository.resolve(granted.ops.git, f"refs/heads/{WANTED.branch}") == theirs


def test_a_proposal_without_the_permission_is_refused(scene):
    with pytest.raises(Refused):
        scene.hub.propose(scene.place, WANTED)
    assert scene.ops.pulls == {}


def test_a_link_is_never_replaced_by_a_file(granted, tmp_path):
    kept = {"PATH": os.defpath, "GIT_INDEX_FILE": str(tmp_path / "index"), "GIT_DIR": str(granted.ops.git)}
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]

    def run(*words, **more):
        done = subprocess.run(["git", *who, *words], env=kept, check=True, capture_output=True, text=True, **more)
        return done.stdout.strip()

    run("read-tree", "main")
    link = run("hash-object", "-w", "--stdin", input="README.md")
    run("update-index", "--add", "--cacheinfo", f"120000,{link},NOTICE")
    run("update-ref", "refs/heads/main", run("commit-tree", "-p", "main", "-m", "Link", run("write-tree")))

    with pytest.raises(Refused, match="NOTICE is a symbolic link"):
        granted.hub.propose(granted.place, WANTED)
    assert not granted.ops.pulls


def test_a_renamed_repository_gets_the_proposal_under_its_new_name(granted):
    old = granted.place
    granted.world.rename(granted.ops, "kernels", granted.ada)
    assert granted.hub.propose(old, WANTED) == 1
    granted.ops.default_branch = "gone"
    with pytest.raises(Missing):
        granted.hub.propose(granted.place, WANTED)
    bare = granted.world.repository(granted.cann, "bare", files={})
    with pytest.raises(Missing):
        granted.hub.propose(RepositoryPlace(old.installation, "cann", "bare", bare.id), WANTED)
    granted.world.delete(granted.ops)
    with pytest.raises(Missing):
        granted.hub.propose(old, WANTED)


@pytest.mark.parametrize(("status", "failure"), [(500, Unreachable), (403, Refused), (404, Missing)])
def test_failures_of_github_reach_the_caller(github, hub, status, failure):
    github.on("GET", "/repos/cann/ops", {"message": "no"}, status=status)

    with pytest.raises(failure):
        hub.propose(RepositoryPlace(77, "cann", "ops", 900), WANTED)


ISSUE_MARK = "<!-- countersign:licenses -->"


def keep(scene, body, *, wanted=True, title="Licences"):
    """The issue as it should be."""
    return scene.hub.issue(scene.place, marker=ISSUE_MARK, title=title, body=f"{body} {ISSUE_MARK}", wanted=wanted)


def test_an_issue_is_opened_once_then_edited_closed_and_opened_again(scene):
    assert keep(scene, "Two", wanted=False) is None
    number = keep(scene, "Two")
    before = len(scene.world.calls)
    assert keep(scene, "Two") == number
    assert {call.method for call in scene.world.calls[before:]} == {"GET"}

    assert keep(scene, "Three", title="Licences, again") == number
    [issue] = scene.ops.issues.values()
    assert (issue.title, issue.body, issue.closed_at) == ("Licences, again", f"Three {ISSUE_MARK}", None)
    assert keep(scene, "None", wanted=False) == number
    assert issue.closed_at is not None
    assert keep(scene, "One") == number
    assert issue.closed_at is None


def test_a_quote_of_the_marker_is_not_ours(scene):
    scene.world.open_issue(scene.ops, scene.mia, "Look", f"they say {ISSUE_MARK}")
    scene.world.open_issue(scene.ops, scene.app.bot, "Other", "<!-- countersign:other -->", app=scene.app)
    scene.world.write(scene.ops, {"x": "y"}, branch="ours")
    scene.world.open_pull(scene.ops, scene.app.bot, "ours", body=ISSUE_MARK)

    assert keep(scene, "Two") == 4


def test_switched_off_issues_and_a_withheld_permission_are_told(scene):
    old = scene.place
    scene.world.rename(scene.ops, "kernels", scene.ada)
    assert scene.hub.issue(old, marker=ISSUE_MARK, title="T", body=ISSUE_MARK, wanted=True) == 1
    scene.ops.issues.clear()
    scene.ops.has_issues = False
    with pytest.raises(Missing):
        keep(scene, "Two")
    scene.world.tokens.clear()
    scene.app.permissions["issues"] = "read"
    with pytest.raises(Refused):
        keep(scene, "Two")


COMMUNITY = RepositoryPlace(5, "cann", "community", 9)
HELLO = "ce013625030ba8dba906f756967f9e9ca394464a"
"""What git calls a file that holds `hello` and a line end."""


class OneLine:
    """A line that knows one file by its hash, and is the switchboard, too."""

    def __init__(self, sha):
        self.sha, self.written = sha, []

    def installation(self, number):
        """Itself."""
        assert number == 5
        return self

    def read(self, path, parameters=None):
        """The file without its content, as GitHub answers for a large one."""
        assert path == "/repos/cann/community/contents/docs/list"
        if self.sha is None:
            raise Missing("no such file")
        return {"sha": self.sha, "encoding": "none", "content": ""}

    def write(self, verb, path, body):
        """Noted."""
        self.written.append((verb, path, body))


@pytest.mark.parametrize("held", [None, "f" * 40])
def test_new_and_differing_files_are_written(held):
    line = OneLine(held)

    assert GitHubProposals(line).put_file(COMMUNITY, "docs/list", b"hello\n", "Update list")
    [(verb, path, body)] = line.written
    assert (verb, path) == ("PUT", "/repos/cann/community/contents/docs/list")
    assert base64.b64decode(body.pop("content")) == b"hello\n"
    assert body == ({"message": "Update list", "sha": held} if held else {"message": "Update list"})


def test_equal_files_are_left_alone():
    line = OneLine(HELLO)

    assert not GitHubProposals(line).put_file(COMMUNITY, "docs/list", b"hello\n", "Update list")
    assert line.written == []
