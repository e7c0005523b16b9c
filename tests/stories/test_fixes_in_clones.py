"""The printed commands in clones of every kind: the right remote, the right branch, and later sign-offs where they are allowed."""

import subprocess

import pytest
from click.testing import CliRunner

from bot.cli.verdicts.check import command
from tests.clones import ADA, BO, clone
from tests.stories.test_fixes import blocks, fixed, look, push, run, theirs


@pytest.mark.slow
def test_a_branch_made_from_the_remotes_main_leaves_main_as_it_is(desk):
    """Git may be set to push to the branch that is followed."""
    desk.git("checkout", "--quiet", "-b", "x", "origin/main")
    desk.git("config", "push.default", "upstream")
    for number in range(2):
        desk.commit(f"Number {number}")
    desk.git("push", "--quiet", "origin", "HEAD:refs/heads/x")
    main = desk.git("ls-remote", "origin", "main")
    _, text = look(desk)
    run(desk, blocks(text)[0])
    assert look(desk)[0] == 0
    assert desk.git("ls-remote", "origin", "x").split()[0] == desk.head()
    assert desk.git("ls-remote", "origin", "main") == main


@pytest.mark.parametrize("options", [(), ("--single-branch",), ("--depth", "1")])
def test_a_clone_of_one_branch_gets_commands_that_fetch_the_base(desk, home, options):
    for number in range(2):
        desk.commit(f"Number {number}")
    push(desk)
    fresh = clone(home / "project.git", home / "fresh", ADA, "--branch", "fix", *options)
    code, text = look(fresh)
    for _ in range(2):
        if code == 2:
            run(fresh, CliRunner().invoke(command, [str(fresh.folder)]).stderr.split("`")[1])
            code, text = look(fresh)
    assert code == 1
    run(fresh, blocks(text)[0])
    assert look(fresh)[0] == 0
    assert fresh.git("ls-remote", "origin", "fix").split()[0] == fresh.head()


def forked(home):
    """A fork of the project, with a branch of two commits."""
    subprocess.run(["git", "clone", "--quiet", "--bare", home / "project.git", home / "fork.git"], check=True)
    work = clone(home / "fork.git", home / "work")
    work.git("checkout", "--quiet", "-b", "topic")
    for number in range(2):
        work.commit(f"Number {number}")
    return work


@pytest.mark.slow
def test_a_branch_fetched_as_gh_does_is_pushed_to_its_address(project, home):
    """The program `gh` lets the branch follow an address, which may hold a password, and no remote."""
    push(forked(home))
    url = (home / "fork.git").as_uri()
    work = clone(home / "project.git", home / "gh")
    work.git("fetch", "--quiet", url, "topic")
    work.git("checkout", "--quiet", "-b", "topic", "FETCH_HEAD")
    work.git("config", "branch.topic.remote", url)
    work.git("config", "branch.topic.merge", "refs/heads/topic")
    _, text = look(work)
    assert "git rebase --signoff origin/main\n" in text
    run(work, blocks(text)[0])
    assert look(work)[0] == 0
    assert work.git("ls-remote", url, "topic").split()[0] == work.head()
    work.git("config", "branch.topic.remote", "https://ada:secret@example.org/fork.git")
    work.commit("One more")
    assert "secret" not in look(work)[1]


@pytest.mark.slow
def test_the_project_is_found_by_its_address_under_any_remote(project, home):
    work = forked(home)
    push(work)
    project.signed("Later", by=BO, later="x")
    project.git("push", "--quiet", "origin", "HEAD:main")
    work.git("remote", "add", "theirs", (home / "project.git").as_uri())
    work.git("fetch", "--quiet", "theirs")
    text = fixed(work, "dco/missing", "--repository", "cann/ops-math")
    assert "git rebase --signoff origin/main\n" in text, "no remote is that"
    work.commit("One more")
    work.commit("And more")
    work.git("remote", "set-url", "theirs", "https://github.com/cann/ops-math.git")
    text = look(work, "--repository", "CANN/ops-math")[1]
    assert "git rebase --signoff theirs/main\n" in text


@pytest.mark.slow
@pytest.mark.parametrize("others", [False, True])
def test_a_remediation_commit_is_printed_where_it_is_allowed(project, desk, others):
    project.write(".github/countersign.yml", "version: 1\ndco: {remediation: {individual: true}}\n")
    theirs(project, desk, message="Rules")
    first = desk.commit("Work")
    if others:
        desk.signed("Of Bo", by=BO)
    last = desk.commit("More")
    push(desk)
    before, text = look(desk)
    assert before == 1
    run(desk, blocks(text)[1])
    code, text = look(desk)
    assert code == 0
    assert text.count("dco/remediated") == 2
    assert desk.git("rev-parse", "HEAD^") == last
    assert desk.git("ls-remote", "origin", "fix").split()[0] == desk.head()
    assert first in desk.git("log", "-1", "--format=%B")


def test_a_remediation_for_another_person_names_the_author(project, desk):
    rules = "version: 1\ndco: {remediation: {individual: true, third_party: true}}\n"
    project.write(".github/countersign.yml", rules)
    theirs(project, desk, message="Rules")
    desk.commit("Of Bo", by=BO)
    desk.git("-c", "user.name=Bo", "-c", "user.email=bo@x.org", "commit", "--quiet", "--amend", "--no-edit")
    push(desk)
    _, text = look(desk)
    assert "Ask their authors to sign them off." in text
    run(desk, blocks(text)[-1])
    assert look(desk)[0] == 0
    assert "On behalf of Bo <bo@x.org>, I, Ada <ada@huawei.com>, hereby" in desk.git("log", "-1", "--format=%B")


def test_an_invalid_address_is_rewritten_and_not_remedied(project, desk):
    project.write(".github/countersign.yml", "version: 1\ndco: {remediation: {individual: true}}\n")
    theirs(project, desk, message="Rules")
    desk.commit("Work", by=("Ada", "ada@"))
    push(desk)
    _, text = look(desk)
    assert "hereby" not in text
