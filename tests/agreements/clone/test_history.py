"""A clone gives exactly the commits that a range holds, or says in one line why it can't."""

import shutil
import subprocess
import time

import pytest

from agreements.clone.history import Clone, HistoryUnreadable, NoText
from agreements.facts import Identity
from tests.clones import ADA, BO, Desk, clone


def shas(folder, wanted=None):
    found = Clone(str(folder))
    return [commit.sha for commit in found.commits(found.range(wanted))]


def refusal(folder, wanted=None):
    with pytest.raises(HistoryUnreadable) as caught:
        shas(folder, wanted)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_commits_have_names_parents_messages_and_coauthors_but_no_accounts(desk):
    before = desk.head()
    sha = desk.signed("Add\n\nCo-authored-by: Eve <eve@x.org>", by=BO)
    found = Clone(str(desk.folder))
    (commit,) = found.commits(found.range("main..HEAD"))
    assert (commit.sha, commit.parents) == (sha, (before,))
    assert (commit.author, commit.committer) == (Identity(*BO), Identity(*ADA))
    assert commit.message.startswith("Add\n\n")
    assert [coauthor.name for coauthor in commit.coauthors] == ["Eve"]
    assert (commit.verified, commit.author_account) == (None, None)


def test_parents_come_before_their_children(desk):
    made = [desk.commit(str(number)) for number in range(4)]
    assert shas(desk.folder, "main..HEAD") == made


@pytest.mark.parametrize("wanted", ["main..fix", "main...fix", "main..", "main..HEAD", "origin/main..fix"])
def test_the_range_holds_what_the_head_adds_to_a_base_that_went_on(desk, wanted):
    mine = desk.commit("Mine")
    desk.git("checkout", "--quiet", "main")
    desk.commit("Theirs")
    desk.git("checkout", "--quiet", "fix")
    assert shas(desk.folder, wanted) == [mine]


def test_commits_that_a_merge_of_the_base_brought_are_left_out(desk):
    first = desk.commit("First")
    desk.git("checkout", "--quiet", "main")
    desk.commit("Theirs")
    desk.git("checkout", "--quiet", "fix")
    desk.git("merge", "--quiet", "--no-edit", "main")
    merge, last = desk.head(), desk.commit("Last")
    assert shas(desk.folder, "main..fix") == [first, merge, last]


def test_the_default_range_begins_at_the_upstream_branch(desk):
    desk.git("branch", "--set-upstream-to=main")
    sha = desk.commit()
    assert shas(desk.folder) == [sha]


def test_a_branch_s_own_pushed_copy_is_not_its_base(desk):
    """After `git push -u` a branch's upstream is its own copy, while the pull request begins at the default branch."""
    made = [desk.commit("One")]
    desk.git("push", "--quiet", "--set-upstream", "origin", "fix")
    made.append(desk.commit("Two"))
    assert shas(desk.folder) == made
    assert Clone(str(desk.folder)).range(None).base_name == "origin/main"


def test_the_default_branch_itself_is_compared_with_its_upstream(project):
    sha = project.commit()
    assert shas(project.folder) == [sha]


def test_the_range_begins_at_the_remote_s_default_branch_if_there_is_no_upstream(desk):
    sha = desk.commit()
    assert shas(desk.folder) == [sha]
    desk.git("checkout", "--quiet", "--detach")
    assert shas(desk.folder) == [sha]
    assert Clone(str(desk.folder)).range(None).head_name == ""


def test_a_remote_named_upstream_is_the_project_in_a_fork(desk):
    desk.git("remote", "rename", "origin", "upstream")
    bare = desk.folder.parent / "fork.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", desk.folder, bare], check=True)
    desk.git("remote", "add", "origin", str(bare))
    desk.git("fetch", "--quiet", "origin")
    assert Clone(str(desk.folder)).range(None).base_name == "upstream/main"
    desk.git("remote", "set-head", "upstream", "--delete")
    desk.git("remote", "set-head", "origin", "main")
    assert Clone(str(desk.folder)).range(None).base_name == "upstream/main"


def joined(home):
    """The project, not cloned but joined: `git init`, a remote, a fetch; nothing tells the default branch."""
    subprocess.run(["git", "init", "--quiet", home / "joined"], check=True)
    desk = Desk(home / "joined")
    desk.git("remote", "add", "origin", (home / "project.git").as_uri())
    desk.git("fetch", "--quiet", "origin")
    desk.git("checkout", "--quiet", "--no-track", "-b", "fix", "origin/main")
    return desk


def test_an_untold_default_branch_is_main_or_master_unless_both_exist(project, home):
    desk = joined(home)
    sha = desk.commit()
    assert shas(desk.folder) == [sha]
    assert Clone(str(desk.folder)).range(None).base_name == "origin/main"
    project.git("push", "--quiet", "origin", "main:master")
    desk.git("fetch", "--quiet", "origin")
    obeyed(desk, refusal(desk.folder))
    assert shas(desk.folder) == [sha]


def test_a_remote_with_an_unknown_default_branch_gets_a_line_that_says_how_to_ask(project, home):
    project.git("push", "--quiet", "origin", "main:develop")
    project.git("-C", str(home / "project.git"), "symbolic-ref", "HEAD", "refs/heads/develop")
    project.git("push", "--quiet", "origin", "--delete", "main")
    project.git("checkout", "--quiet", "develop")
    desk = clone(home / "project.git", home / "other", ADA, "--origin=far")
    desk.git("remote", "set-head", "far", "--delete")
    desk.git("checkout", "--quiet", "--no-track", "-b", "fix")
    sha = desk.commit()
    said = refusal(desk.folder)
    assert "looked for far/HEAD, far/main, far/master" in said
    obeyed(desk, said)
    assert shas(desk.folder) == [sha]
    assert Clone(str(desk.folder)).range(None).base_name == "far/develop"


def obeyed(desk, said):
    """Run the commands that the line prints."""
    subprocess.run(["bash", "-euc", said.split("`")[1]], cwd=desk.folder, capture_output=True, check=True)


@pytest.mark.parametrize("options", [("--depth=1",), ("--single-branch",)])
def test_a_clone_of_one_branch_is_told_the_commands_that_fetch_a_base(desk, home, options):
    made = [desk.commit("One"), desk.commit("Two")]
    desk.git("push", "--quiet", "origin", "fix")
    alone = clone(home / "project.git", home / "alone", ADA, *options, "--branch=fix")
    obeyed(alone, refusal(alone.folder))
    assert shas(alone.folder) == made
    assert Clone(str(alone.folder)).range(None).base_name == "origin/main"


def test_another_branch_than_the_current_one_begins_at_its_own_upstream(desk, project):
    project.git("push", "--quiet", "origin", "main:release")
    desk.git("fetch", "--quiet", "origin")
    desk.git("branch", "later", "--track", "origin/release")
    assert Clone(str(desk.folder)).range("..later").base_name == "origin/release"
    assert Clone(str(desk.folder)).range(None).base_name == "origin/main"


def test_a_range_without_any_upstream_must_be_named(home):
    subprocess.run(["git", "init", "--quiet", home / "alone"], check=True)
    desk = Desk(home / "alone")
    desk.commit()
    said = refusal(desk.folder)
    assert said == "there is no remote to compare with: name the commits, such as --range HEAD~3..HEAD"


def test_a_deleted_upstream_counts_as_none(desk):
    desk.git("config", "branch.fix.remote", "origin")
    desk.git("config", "branch.fix.merge", "refs/heads/gone")
    assert Clone(str(desk.folder)).range(None).base_name == "origin/main"


def test_an_empty_repository_says_that_it_has_no_commit(home):
    subprocess.run(["git", "init", "--quiet", home / "new"], check=True)
    assert refusal(home / "new") == "there are no commits here yet"


@pytest.mark.parametrize("wanted", ["nope..HEAD", "main..nope", "0" * 40 + "..HEAD", "HEAD:file0..HEAD", "-x..HEAD", "--all..HEAD", "main..-x", "^main..HEAD", "main..^HEAD", "a b..HEAD", "\0..HEAD"])  # fmt: skip
def test_a_revision_that_names_no_commit_is_refused_by_name(desk, wanted):
    assert "is not a commit here" in refusal(desk.folder, wanted)


def test_one_revision_alone_is_refused_as_a_range(desk):
    assert refusal(desk.folder, "main") == "'main' is not a range; write BASE..HEAD"


def test_a_folder_without_a_repository_is_refused_in_one_line(home):
    (home / "empty").mkdir()
    (home / "file").write_text("")
    assert refusal(home / "empty") == "this is not a git repository: go to your clone, or give its path"
    assert "cannot change to" in refusal(home / "nothing")
    assert "cannot change to" in refusal(home / "file")


def test_another_user_s_repository_gives_git_s_advice_in_one_line(desk, monkeypatch):
    """Git refuses a repository that another user owns."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    said = refusal(desk.folder)
    assert "dubious ownership" in said
    assert "safe.directory" in said


def test_a_missing_git_is_told_without_a_traceback(desk, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert refusal(desk.folder) == "git is not installed here, or not on the PATH"


def test_subfolders_bare_repositories_and_linked_work_trees_give_the_same_history(desk):
    sha = desk.commit()
    (desk.folder / "deep" / "er").mkdir(parents=True)
    desk.git("worktree", "add", "--quiet", "--detach", "../tree", "fix")
    desk.git("clone", "--quiet", "--bare", ".", "../bare.git")
    for place in (desk.folder / "deep" / "er", desk.folder.parent / "tree"):
        assert shas(place) == [sha]
    assert shas(desk.folder.parent / "bare.git", "main..fix") == [sha]


def test_a_shallow_clone_that_cuts_the_range_is_refused(desk, project):
    for number in range(3):
        desk.commit(str(number))
    desk.git("push", "--quiet", "origin", "fix")
    shallow = clone(desk.folder.parent / "project.git", desk.folder.parent / "one", ADA, "--depth=1", "--no-single-branch", "--branch=fix")  # fmt: skip
    for wanted in (None, "origin/main..HEAD"):
        said = refusal(shallow.folder, wanted)
        assert "git fetch --unshallow" in said
        assert "fetch-depth: 0" in said
    assert "shallow" in refusal(shallow.folder, "nope..HEAD")
    shallow.git("fetch", "--quiet", "--unshallow")
    assert len(shas(shallow.folder)) == 3


def test_a_shallow_clone_that_holds_the_whole_range_is_read(desk, project):
    for message in "abcde":
        project.signed(message, by=BO)
    project.git("push", "--quiet", "origin", "main")
    desk.git("pull", "--quiet", "origin", "main")
    made = [desk.commit(str(number)) for number in range(3)]
    desk.git("push", "--quiet", "origin", "fix")
    options = ("--no-single-branch", "--branch=fix")
    deep = clone(desk.folder.parent / "project.git", desk.folder.parent / "deep", ADA, "--depth=4", *options)
    assert shas(deep.folder, "origin/main..HEAD") == made
    assert (deep.folder / ".git" / "shallow").exists()
    near = clone(desk.folder.parent / "project.git", desk.folder.parent / "near", ADA, "--depth=2", *options)
    assert "--unshallow" in refusal(near.folder, "origin/main..HEAD")


def test_replaced_and_grafted_objects_are_not_believed(desk):
    """refs/replace and grafts could hide commits from the judge."""
    made = [desk.commit("Bad"), desk.commit("Good")]
    desk.git("replace", "--graft", made[1], "main")
    assert shas(desk.folder, "main..fix") == made
    (desk.folder / ".git" / "info").mkdir(exist_ok=True)
    (desk.folder / ".git" / "info" / "grafts").write_text(f"{made[1]} {desk.git('rev-parse', 'main')}\n")
    assert refusal(desk.folder, "main..fix").endswith("remove the old file `info/grafts` of git, which says so")


def test_a_repository_with_a_missing_object_is_refused_in_one_line(desk):
    sha = desk.commit()
    desk.commit()
    (desk.folder / ".git" / "objects" / sha[:2] / sha[2:]).unlink()
    assert sha in refusal(desk.folder, "main..fix")


def test_sha256_repositories_are_read(home):
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256", home / "long"], check=True)
    desk = Desk(home / "long")
    desk.commit()
    desk.git("branch", "base")
    sha = desk.commit()
    assert len(sha) == 64
    assert shas(desk.folder, "base..HEAD") == [sha]


def test_all_commits_of_a_head_without_a_common_past_are_in_the_range(desk):
    desk.git("checkout", "--quiet", "--orphan", "other")
    made = [desk.commit(), desk.commit()]
    assert shas(desk.folder, "main..other") == made
    assert Clone(str(desk.folder)).files(Clone(str(desk.folder)).range("main..other"))


def test_commits_that_git_would_not_write_are_read(desk):
    tree, base = desk.git("rev-parse", "HEAD^{tree}"), desk.head()
    head = f"tree {tree}\nparent {base}\n".encode()
    made = desk.raw(head + b"\nNobody\n")
    made = desk.raw(head.replace(base.encode(), made.encode()) + b"author \xff <\xfe> 1 +0\ncommitter C\n\nA\0B\xff\n")
    made = desk.raw(head.replace(base.encode(), made.encode()) + b"author A <a@x.org> 1 +0000\n\n" + b"x" * 1_000_000)
    desk.raw(
        head.replace(base.encode(), made.encode()) + f"parent {made}\nauthor A <a@x.org> 1 +0000\n\nTwice\n".encode()
    )
    found = Clone(str(desk.folder))
    first, second, third, fourth = found.commits(found.range("main..fix"))
    assert (first.author, first.message) == (None, "Nobody\n")
    assert (second.author, second.message) == (Identity("\udcff", "\udcfe"), "A")
    assert len(third.message) == 1_000_000
    assert len(fourth.parents) == 2


def test_no_hook_filter_pager_or_monitor_of_the_clone_runs(desk):
    trap = desk.folder.parent / "trapped"
    for key in ("core.fsmonitor", "core.pager", "diff.external", "filter.x.smudge", "diff.x.textconv", "core.editor", "gpg.program"):  # fmt: skip
        desk.git("config", key, f"touch {trap}")
    desk.write(".gitattributes", "* filter=x diff=x\n")
    desk.commit()
    trap.unlink(missing_ok=True)
    found = Clone(str(desk.folder))
    span = found.range("main..fix")
    assert list(found.commits(span))
    assert found.files(span)
    assert found.file(span.head, ".gitattributes")
    assert not trap.exists()


def test_a_partial_clone_fetches_nothing(desk, project, home):
    """The clone's own settings name the program that would fetch."""
    project.commit("Map", **{".mailmap": "Ada <ada@huawei.com>\n"})
    project.git("config", "uploadpack.allowFilter", "true")
    near = clone(project.folder, home / "partial", ADA, "--filter=blob:none", "--no-checkout")
    trap = home / "trapped"
    near.git("config", "remote.origin.uploadpack", f"touch {trap}; git-upload-pack")
    near.git("config", "protocol.file.allow", "always")
    found = Clone(str(near.folder))
    with pytest.raises(HistoryUnreadable, match="git fetch --refetch --no-filter"):
        found.file(near.head(), ".mailmap")
    assert not trap.exists()
    for setting in ("remote.origin.uploadpack", "protocol.file.allow"):
        near.git("config", "--unset", setting)
    near.git("fetch", "--quiet", "--refetch", "--no-filter")
    assert found.file(near.head(), ".mailmap")


def test_commits_of_submodules_are_not_judged(desk, project):
    desk.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(project.folder), "part")
    sha = desk.commit()
    found = Clone(str(desk.folder))
    span = found.range("main..fix")
    assert [commit.sha for commit in found.commits(span)] == [sha]
    assert "part" in found.files(span)
    with pytest.raises(NoText):
        found.file(sha, "part")


def test_files_are_text_as_their_commit_has_them_or_absent(desk):
    desk.write("folder/rules.yml", "version: 1\n")
    for name, data in {"nul": b"a\0b", "latin": b"\xe9", "large": b"x" * 1_000_001}.items():
        (desk.folder / name).write_bytes(data)
    sha = desk.commit("Add", rules="old\n")
    desk.commit("Change", rules="new\n")
    found = Clone(str(desk.folder / "folder"))
    assert found.file(sha, "rules") == "old\n"
    assert found.file(sha, "folder/rules.yml") == "version: 1\n"
    assert found.file(sha, "rules.yml") is None
    for path in ("folder", "nul", "latin", "large"):
        with pytest.raises(NoText):
            found.file(sha, path)


def test_only_files_that_the_range_adds_changes_or_renames_are_listed(desk):
    desk.commit("Base", stays="a\n" * 9, goes="b\n" * 9, moves="c\n" * 9, mode="d\n", alters="e\n")
    desk.git("branch", "base")
    desk.git("rm", "--quiet", "goes")
    desk.git("mv", "moves", "moved")
    (desk.folder / "mode").chmod(0o755)
    desk.commit("Work", alters="f\n", **{"ein é": "x"})
    desk.git("checkout", "--quiet", "base")
    desk.commit("Theirs", theirs="x")
    found = Clone(str(desk.folder))
    assert sorted(found.files(found.range("base..fix"))) == ["alters", "ein é", "moved"]


def test_changes_have_their_lines_and_only_plain_files_are_text(desk):
    desk.commit("Base", stays="a\n" * 9, goes="b\n" * 9, moves="c\n" * 9, mode="d\n")
    desk.git("branch", "base")
    desk.git("rm", "--quiet", "goes")
    desk.git("mv", "moves", "moved")
    (desk.folder / "mode").chmod(0o755)
    (desk.folder / "link").symlink_to("stays")
    (desk.folder / "binary").write_bytes(b"a\0b")
    desk.commit("Work", stays="a\n" * 8 + "é\n", moved="c\n" * 10, **{"ein é": "x"})
    found = Clone(str(desk.folder))
    lines = {change.path: change for change in found.changes(found.range("base..fix"))}
    assert {path: diff.text for path, diff in lines.items()} == {
        "stays": True, "goes": True, "moved": True, "ein é": True, "mode": False, "link": False, "binary": False,
    }  # fmt: skip
    assert [(lines[path].additions, lines[path].deletions) for path in ("stays", "goes", "moved")] == [
        (1, 1),
        (0, 9),
        (1, 0),
    ]
    assert (lines["moved"].previous_path, lines["stays"].previous_path) == ("moves", "")


def test_the_checked_out_commit_is_marked_if_tracked_files_were_changed(desk):
    sha = desk.commit(a="one")
    clone = Clone(str(desk.folder))
    desk.write("other", "untracked")
    assert clone.head() == sha
    desk.write("a", "two")
    assert clone.head() == f"{sha}-dirty"
    desk.git("add", "a")
    assert clone.head() == f"{sha}-dirty"
    desk.git("reset", "--quiet", "--hard")
    (desk.folder / "a").touch()
    assert clone.head() == sha


@pytest.mark.parametrize("driver", ["x", "x.y", "a=b"])
def test_looking_for_changes_runs_no_filter_hook_or_monitor_of_the_clone(desk, driver):
    sha = desk.commit(a="one", **{".gitattributes": f"a filter={driver}\n"})
    ran = desk.folder / "ran"
    program = f"touch {ran}; cat"
    desk.git("config", f"filter.{driver}.clean", program)
    desk.git("config", f"filter.{driver}.process", program)
    desk.git("config", f"filter.{driver}.required", "true")
    desk.git("config", "core.fsmonitor", program)
    hook = desk.folder / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    (desk.folder / "a").touch()
    head = Clone(str(desk.folder)).head()

    assert not ran.exists()
    assert head == (f"{sha}-dirty" if "=" in driver else sha)


def test_a_clone_with_nothing_checked_out_names_no_commit(home):
    subprocess.run(["git", "init", "-q", home / "empty"], check=True)
    with pytest.raises(HistoryUnreadable):
        Clone(str(home / "empty")).head()


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/cann/ops-math.git", "cann/ops-math"),
        ("https://token@github.com/cann/ops-math", "cann/ops-math"),
        ("ssh://git@host:2222/cann/ops-math.git", "cann/ops-math"),
        ("git@github.com:cann/ops-math.git", "cann/ops-math"),
        ("https://host/group/sub/ops-math/", "sub/ops-math"),
        ("/srv/git/ops-math.git", "ops-math"),
        ("file:///srv/git/ops-math.git", "ops-math"),
        ("../ops-math", "ops-math"),
    ],
)
def test_the_repository_s_name_comes_from_its_remote_without_secrets(desk, url, name):
    desk.git("remote", "set-url", "origin", url)
    assert Clone(str(desk.folder)).name() == name


def test_the_repository_s_name_is_its_folder_s_without_a_remote(desk):
    desk.git("remote", "remove", "origin")
    desk.commit()
    (desk.folder / "inside").mkdir()
    desk.git("worktree", "add", "--quiet", "--detach", "../tree", "fix")
    assert Clone(str(desk.folder / "inside")).name() == "ada"
    assert Clone(str(desk.folder.parent / "tree")).name() == "ada"
    bare = desk.folder.parent / "copy.git"
    shutil.copytree(desk.folder / ".git", bare)
    subprocess.run(["git", "-C", bare, "config", "core.bare", "true"], check=True)
    assert Clone(str(bare)).name() == "copy"


def test_the_identity_is_the_one_that_git_would_commit_under(desk, home):
    assert Clone(str(desk.folder)).identity() == ADA
    subprocess.run(["git", "init", "--quiet", home / "bare"], check=True)
    assert Clone(str(home / "bare")).identity() == ("", "")


@pytest.mark.slow
def test_a_long_history_streams_in_order_within_seconds(home):
    subprocess.run(["git", "init", "--quiet", home / "long"], check=True)
    desk = Desk(home / "long")
    template = "commit refs/heads/main\ncommitter A <a@x.org> {0} +0000\ndata 3\nxyz\n\n"
    desk.git("fast-import", "--quiet", feed="".join(template.format(number) for number in range(1, 5001)))
    desk.git("branch", "base", desk.git("rev-list", "--max-parents=0", "main"))
    start = time.perf_counter()
    found = Clone(str(desk.folder))
    times = [commit.authored_at.timestamp() for commit in found.commits(found.range("base..main"))]
    assert times == list(range(2, 5001))
    assert time.perf_counter() - start < 30
