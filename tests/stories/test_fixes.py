"""The printed commands do as promised: run as they stand, the next look is fine, and no other person is signed for."""

import subprocess

import pytest

from bot.cli.verdicts.check import command
from tests.clones import ADA, BO, clone
from tests.terminal import TerminalRunner

EVE = ("Eve", "eve@z.org")
OF_ADA = "Signed-off-by: Ada <ada@huawei.com>"


def look(desk, *options):
    """Exit code and text of `countersign check` in the clone."""
    result = TerminalRunner().invoke(command, [str(desk.folder), *options], catch_exceptions=False)
    return result.exit_code, result.stdout


def blocks(text):
    """The command blocks as they are printed, each once."""
    parts = text.split("      ```\n")[1::2]
    return list(
        dict.fromkeys("".join(line.removeprefix("      ") for line in part.splitlines(keepends=True)) for part in parts)
    )


def run(desk, block):
    """Paste the block into a shell."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block], cwd=desk.folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def push(desk):
    """The branch as the pull request's author has pushed it."""
    desk.git("push", "--quiet", "--set-upstream", "origin", "HEAD")


def messages(desk, since="origin/main"):
    """Author and message of each commit of the branch but merges."""
    out = desk.git("log", "--no-merges", "--reverse", "--format=%an%n%B%x00", f"{since}..HEAD")
    return [tuple(part.strip().split("\n", 1)) for part in out.split("\0") if part.strip()]


def fixed(desk, code, *options, number=1):
    """It fails with this code, the printed commands are run, it passes; gives what was printed."""
    before, text = look(desk, *options)
    assert before == 1
    assert code in text
    found = blocks(text)
    assert len(found) >= number
    for block in found[:number]:
        run(desk, block)
    after, again = look(desk, *options)
    assert after == 0, again
    assert desk.git("status", "--porcelain") == ""
    assert desk.git("rev-parse", "@{upstream}") == desk.head(), "it is pushed"
    return text


def theirs(project, desk, *, message="Theirs", by=BO):
    """Work of others that reached main meanwhile, merged into the branch as the button `Update branch` does."""
    project.signed(message, by=by, theirs=message)
    project.git("push", "--quiet", "origin", "HEAD:main")
    desk.git("fetch", "--quiet", "origin")
    desk.git("merge", "--quiet", "--no-edit", "--no-ff", "origin/main")


def test_a_missing_sign_off_on_the_last_commit_is_amended(desk):
    first = desk.signed("First")
    desk.commit("Last")
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "git rebase" not in text
    assert desk.git("rev-parse", "HEAD~1") == first


def test_missing_sign_offs_on_several_commits_are_rebased(desk):
    for number in range(3):
        desk.commit(f"Number {number}")
    desk.git("branch", "--delete", "--force", "main")
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "git rebase --signoff origin/main\n" in text
    assert all(body.endswith(OF_ADA) for _, body in messages(desk))


@pytest.mark.slow
def test_a_merged_base_in_the_middle_stays_as_it_is(project, desk):
    desk.commit("First")
    theirs(project, desk)
    desk.signed("Last")
    project.signed("Later", by=BO, later="x")
    project.git("push", "--quiet", "origin", "main")
    desk.git("fetch", "--quiet", "origin")
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "dco/merge" in text
    assert [author for author, _ in messages(desk)] == ["Ada", "Ada"]
    assert OF_ADA not in desk.git("log", "--format=%B", "origin/main")


def test_a_merged_side_branch_of_ones_own_is_signed_without_its_merge(desk):
    desk.commit("First")
    desk.git("checkout", "--quiet", "-b", "side")
    desk.commit("Side", side="x")
    desk.git("checkout", "--quiet", "fix")
    desk.signed("Second")
    desk.git("merge", "--quiet", "--no-edit", "--no-ff", "side")
    push(desk)
    fixed(desk, "dco/missing")
    assert sorted(body.split("\n")[0] for _, body in messages(desk)) == ["First", "Second", "Side"]


def test_a_merged_side_branch_of_another_person_is_not_signed(desk):
    desk.commit("First")
    desk.git("checkout", "--quiet", "-b", "side", "main")
    desk.signed("Side", by=BO, side="x")
    desk.git("checkout", "--quiet", "fix")
    desk.git("merge", "--quiet", "--no-edit", "--no-ff", "side")
    desk.commit("Last")
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "Careful: some of these commits are by other people." in text
    assert {author: OF_ADA in body for author, body in messages(desk)} == {"Ada": True, "Bo": False}


def test_other_peoples_signed_commits_in_between_stay_as_they_are(desk):
    desk.commit("First")
    desk.signed("Of Bo", by=BO)
    desk.git("commit", "--quiet", "--allow-empty", "--message=Run the tests again")
    desk.commit("Last")
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "Careful: some of these commits are by other people." in text
    assert [(author, OF_ADA in body) for author, body in messages(desk)] == [("Ada", True), ("Bo", False), ("Ada", True), ("Ada", True)]  # fmt: skip


def test_other_peoples_unsigned_commits_stay_unsigned(desk):
    desk.commit("Of Bo", by=BO)
    desk.commit("Mine")
    push(desk)
    _, text = look(desk)
    run(desk, blocks(text)[0])
    after, again = look(desk)
    assert after == 1
    assert again.count("dco/missing") == 1
    assert [(author, OF_ADA in body) for author, body in messages(desk)] == [("Bo", False), ("Ada", True)]


@pytest.mark.parametrize("own_last", [False, True])
def test_other_peoples_commits_alone_get_no_command(project, desk, own_last):
    project.commit("Of Bo", by=BO)
    project.commit("Of Bo, too", by=BO)
    project.git("push", "--quiet", "origin", "HEAD:fix")
    desk.git("pull", "--quiet", "origin", "fix")
    if own_last:
        desk.commit("Mine")
        push(desk)
        _, text = look(desk)
        run(desk, blocks(text)[0])
    _, text = look(desk)
    assert "Ask their authors to sign them off." in text
    assert blocks(text) == []


@pytest.mark.parametrize("several", [False, True])
def test_a_commit_passed_on_for_another_person_is_signed(desk, several):
    """The DCO allows that by clause c."""
    for number in range(1 + several):
        desk.commit(f"Of Bo {number}", by=BO)
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "Ask their authors to sign them off." in text
    assert "If you can certify" in text
    assert all(author == "Bo" and OF_ADA in body for author, body in messages(desk))


@pytest.mark.parametrize(("number", "others"), [(1, False), (2, False), (2, True)])
def test_commits_without_a_message_are_signed(desk, number, others):
    """Git takes a sign-off alone for no message."""
    if others:
        desk.signed("Of Bo", by=BO)
    for index in range(number):
        desk.write(f"empty{index}", "x")
        desk.git("add", "--all")
        desk.git("commit", "--quiet", "--allow-empty-message", "--message=")
    push(desk)
    fixed(desk, "dco/missing")
    assert desk.git("rev-list", "--count", "origin/main..HEAD") == str(number + others)


@pytest.mark.parametrize("several", [False, True])
def test_a_branch_that_was_never_pushed_gets_no_push_command(desk, several):
    for number in range(1 + several):
        desk.commit(f"Number {number}")
    _, text = look(desk)
    assert "git push" not in text
    run(desk, blocks(text)[0])
    assert look(desk)[0] == 0


def test_a_branch_without_an_upstream_is_pushed_by_the_command(desk):
    desk.commit()
    desk.git("push", "--quiet", "origin", "HEAD")
    _, text = look(desk)
    assert "git push --force-with-lease origin fix:fix\n" in text
    run(desk, blocks(text)[0])
    assert desk.git("ls-remote", "origin", "fix").split()[0] == desk.head()


def test_a_merge_with_a_solved_conflict_is_told_with_the_way_back(project, desk):
    """The command cannot keep such a merge."""
    desk.commit("Mine", same="mine")
    project.signed("Theirs", by=BO, same="theirs")
    project.git("push", "--quiet", "origin", "HEAD:main")
    desk.git("fetch", "--quiet", "origin")
    desk.git(
        "-c", "merge.conflictStyle=merge", "merge", "--quiet", "--strategy-option=ours", "--no-edit", "origin/main"
    )
    desk.commit("Last")
    push(desk)
    before, (_, text) = desk.head(), look(desk)
    assert (
        "you may have to resolve its conflicts again. To cancel a rebase that has stopped, run `git rebase --abort`"
        in text
    )
    done = subprocess.run(["bash", "-euc", blocks(text)[0]], cwd=desk.folder, capture_output=True, check=False)
    assert done.returncode != 0
    desk.git("rebase", "--abort")
    assert desk.head() == before


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("dco/malformed", "Signed-off-by:Ada <ada@huawei.com>"),
        ("dco/malformed", "Signed-off-by: Ada <ada@huawei.com>."),
        ("dco/malformed", "Signed-off-by: Ada ada@huawei.com"),
        ("dco/malformed", " Signed-off-by: Ada <ada@huawei.com>"),
        ("dco/name-differs", "Signed-off-by: Ada L <ada@huawei.com>"),
        ("dco/email-differs", "Signed-off-by: Ada <ada@home.org>"),
        ("dco/mismatch", "Signed-off-by: Someone <some@one.org>"),
        ("dco/invisible", "Signed-off-by: A\u200bda <ada@huawei.com>"),
        ("dco/invisible", "Signed-off-by: Ada <ada@hua\u200bwei.com>"),
    ],
)
def test_a_wrong_sign_off_is_written_anew_by_signing_again(desk, code, line, several):
    for number in range(1 + several):
        desk.commit(f"Number {number}\n\n{line}\n")
    push(desk)
    fixed(desk, code)


@pytest.mark.parametrize(
    ("name", "email"), [("A\u200bda", "ada@huawei.com"), ("Ada L", "ada@huawei.com"), ("Ada", "ada@home.org")]
)
def test_commits_under_another_name_are_mended_after_the_configuration(desk, name, email):
    desk.identify(name, email)
    for number in range(2):
        desk.commit(f"Number {number}\n\n{OF_ADA}\n")
    push(desk)
    before, text = look(desk)
    assert before == 1
    assert "`git config user." in text
    desk.identify(*ADA)
    run(desk, blocks(text)[0])
    assert look(desk)[0] == 0


@pytest.mark.parametrize("several", [False, True])
def test_an_invalid_author_address_is_written_anew_with_the_sign_off(desk, several):
    desk.identify("Ada", "ada@")
    for number in range(1 + several):
        desk.git("commit", "--quiet", "--allow-empty", "--signoff", f"--message=Number {number}")
    push(desk)
    before, text = look(desk)
    assert before == 1
    assert "dco/invalid-email" in text
    desk.identify(*ADA)
    run(desk, blocks(text)[0])
    assert look(desk)[0] == 0
    assert "ada@\n" not in desk.git("log", "--format=%ae%n", "origin/main..HEAD")


def test_an_invalid_author_among_others_leaves_the_others_authors(desk):
    desk.identify("Ada", "ada@")
    desk.commit("First", by=("Ada", "ada@"))
    desk.signed("Of Bo", by=BO)
    desk.commit("Last")
    push(desk)
    _, text = look(desk)
    desk.identify(*ADA)
    for block in blocks(text)[:1]:
        run(desk, block)
    assert look(desk)[0] == 0
    assert [(author, OF_ADA in body) for author, body in messages(desk)] == [
        ("Ada", True),
        ("Bo", False),
        ("Ada", True),
    ]


def test_an_invalid_committer_address_is_written_anew_by_signing_off(desk):
    desk.identify("Ada", "ada@")
    desk.signed("Work")
    push(desk)
    _, text = look(desk)
    assert "dco/invalid-email" in text
    desk.identify(*ADA)
    run(desk, blocks(text)[0])
    assert look(desk)[0] == 0


@pytest.mark.parametrize("several", [False, True])
def test_a_person_signs_off_beside_an_agent(project, desk, several):
    rules = "version: 1\npeople: {agents: {emails: [agent@ai.org]}}\n"
    project.write(".github/countersign.yml", rules)
    theirs(project, desk, message="Rules")
    desk.commit("One\n\nSigned-off-by: Agent <agent@ai.org>\n")
    if several:
        desk.commit("Two\n\nSigned-off-by: Agent <agent@ai.org>\n")
    push(desk)
    fixed(desk, "dco/agent-signoff")


def test_an_agents_commit_is_signed_by_its_committer(project, desk):
    project.write(".github/countersign.yml", "version: 1\npeople: {agents: {emails: [agent@ai.org]}}\n")
    theirs(project, desk, message="Rules")
    desk.signed("One", by=("Agent", "agent@ai.org"))
    push(desk)
    fixed(desk, "dco/agent-signoff")


def test_an_agents_commits_among_other_peoples_are_signed_too(project, desk):
    project.write(".github/countersign.yml", "version: 1\npeople: {agents: {emails: [agent@ai.org]}}\n")
    theirs(project, desk, message="Rules")
    for number in range(2):
        desk.commit(f"Of the agent {number}", by=("Agent", "agent@ai.org"))
    desk.commit("Of another agent", by=("Claude", "noreply@anthropic.com"))
    desk.signed("Of Bo", by=BO)
    desk.commit("Mine")
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "Careful: some of these commits are by other people." in text
    assert "noreply@anthropic.com" not in text
    assert {author: OF_ADA in body for author, body in messages(desk)} == {"Agent": True, "Claude": True, "Bo": False, "Ada": True}  # fmt: skip


@pytest.mark.parametrize("several", [False, True])
def test_a_bots_commit_is_signed_by_the_person_who_takes_it_over(desk, several):
    for number in range(1 + several):
        desk.commit(f"Bump {number}", by=("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"))
    push(desk)
    _, text = look(desk)
    assert "dco/bot-unproven" in text
    run(desk, blocks(text)[-1] if several else blocks(text)[0])
    desk.git("push", "--quiet", "--force-with-lease")
    assert look(desk)[0] == 0


@pytest.mark.parametrize("several", [False, True])
def test_an_invalid_address_and_a_missing_sign_off_need_one_command(desk, several):
    desk.identify("Ada", "ada@")
    for number in range(1 + several):
        desk.commit(f"Work {number}")
    push(desk)
    desk.identify(*ADA)
    _, text = look(desk)
    assert "dco/invalid-email" in text
    assert "dco/missing" in text
    assert len(blocks(text)) == 1
    run(desk, blocks(text)[0])
    assert look(desk)[0] == 0


def test_in_a_fork_the_commands_name_the_projects_branch(desk, home):
    subprocess.run(["git", "clone", "--quiet", "--bare", home / "project.git", home / "fork.git"], check=True)
    work = clone(home / "fork.git", home / "work")
    work.git("remote", "add", "upstream", (home / "project.git").as_uri())
    work.git("fetch", "--quiet", "upstream")
    work.git("checkout", "--quiet", "-b", "topic")
    work.commit("One")
    work.commit("Two")
    push(work)
    text = fixed(work, "dco/missing")
    assert "git rebase --signoff upstream/main\n" in text


def test_no_command_counts_back_even_when_the_range_does(desk):
    desk.commit("One")
    desk.commit("Two")
    push(desk)
    text = fixed(desk, "dco/missing", "--range", f"{desk.git('rev-parse', 'HEAD~2')}..HEAD")
    assert "HEAD~" not in text
    desk.commit("Three")
    desk.commit("Four")
    assert "HEAD~" not in look(desk, "--range", "HEAD~2..HEAD")[1]
