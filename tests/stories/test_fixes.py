"""The commands that are printed do what they promise: run as they stand, the next look is fine, and nobody else is signed for."""

import subprocess

import pytest
from click.testing import CliRunner

from bot.cli.verdicts.check import command
from tests.clones import ADA, BO, clone

EVE = ("Eve", "eve@z.org")
OF_ADA = "Signed-off-by: Ada <ada@huawei.com>"


def look(desk, *options):
    """Exit code and text of `countersign check` in the clone."""
    result = CliRunner().invoke(command, [str(desk.folder), *options], catch_exceptions=False)
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
    return [tuple(one.strip().split("\n", 1)) for one in out.split("\0") if one.strip()]


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


def test_missing_on_the_last_commit(desk):
    """Amend it; what was there before keeps its name."""
    first = desk.signed("First")
    desk.commit("Last")
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "git rebase" not in text
    assert desk.git("rev-parse", "HEAD~1") == first


def test_missing_on_several(desk):
    """Rebase onto the base branch, which needs to exist nowhere but at the remote."""
    for number in range(3):
        desk.commit(f"Number {number}")
    desk.git("branch", "--delete", "--force", "main")
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "git rebase --signoff origin/main\n" in text
    assert all(body.endswith(OF_ADA) for _, body in messages(desk))


def test_missing_in_the_middle(project, desk):
    """The base was merged in between, and went on: the work of others stays as it is, and unsigned by us."""
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


def test_a_merged_side_branch_of_ones_own(desk):
    """Its commits are signed like the others; the merge needs no sign-off and none is made up for it."""
    desk.commit("First")
    desk.git("checkout", "--quiet", "-b", "side")
    desk.commit("Side", side="x")
    desk.git("checkout", "--quiet", "fix")
    desk.signed("Second")
    desk.git("merge", "--quiet", "--no-edit", "--no-ff", "side")
    push(desk)
    fixed(desk, "dco/missing")
    assert sorted(body.split("\n")[0] for _, body in messages(desk)) == ["First", "Second", "Side"]


def test_a_merged_side_branch_of_somebody_else(desk):
    """Their signed commits stay theirs alone: the warning is printed, and the command signs one's own."""
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


def test_other_peoples_signed_commits_in_between(desk):
    """One's own on both sides of somebody else's; even an empty one of one's own."""
    desk.commit("First")
    desk.signed("Of Bo", by=BO)
    desk.git("commit", "--quiet", "--allow-empty", "--message=Run the tests again")
    desk.commit("Last")
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "Careful: some of these commits are by other people." in text
    assert [(author, OF_ADA in body) for author, body in messages(desk)] == [("Ada", True), ("Bo", False), ("Ada", True), ("Ada", True)]  # fmt: skip


def test_other_peoples_unsigned_commits_stay_so(desk):
    """Nobody can sign for them: their commit still fails, and is told apart."""
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
def test_other_peoples_commits_alone(project, desk, own_last):
    """Only theirs fail: their authors are asked, and no command is printed, however often one looks."""
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
def test_passed_on_for_somebody_else(desk, several):
    """Who committed somebody else's work may certify that (DCO, clause c): said as a question, and the command does it."""
    for number in range(1 + several):
        desk.commit(f"Of Bo {number}", by=BO)
    push(desk)
    text = fixed(desk, "dco/missing")
    assert "Ask their authors to sign them off." in text
    assert "If you can certify" in text
    assert all(author == "Bo" and OF_ADA in body for author, body in messages(desk))


@pytest.mark.parametrize(("number", "others"), [(1, False), (2, False), (2, True)])
def test_commits_without_a_message(desk, number, others):
    """Git takes a sign-off alone for no message, and must be told that it will do."""
    if others:
        desk.signed("Of Bo", by=BO)
    for one in range(number):
        desk.write(f"empty{one}", "x")
        desk.git("add", "--all")
        desk.git("commit", "--quiet", "--allow-empty-message", "--message=")
    push(desk)
    fixed(desk, "dco/missing")
    assert desk.git("rev-list", "--count", "origin/main..HEAD") == str(number + others)


@pytest.mark.parametrize("several", [False, True])
def test_a_branch_that_was_never_pushed(desk, several):
    """Nothing is there to be replaced: no push is printed."""
    for number in range(1 + several):
        desk.commit(f"Number {number}")
    _, text = look(desk)
    assert "git push" not in text
    run(desk, blocks(text)[0])
    assert look(desk)[0] == 0


def test_a_branch_that_was_pushed_without_an_upstream(desk):
    """`git push` alone would ask where to; the command that is printed says it."""
    desk.commit()
    desk.git("push", "--quiet", "origin", "HEAD")
    _, text = look(desk)
    assert "git push --force-with-lease origin fix:fix\n" in text
    run(desk, blocks(text)[0])
    assert desk.git("ls-remote", "origin", "fix").split()[0] == desk.head()


def test_a_merge_with_a_conflict_that_was_solved(project, desk):
    """The command can't keep the merge: it is said before, with the way back, and the way back leads back."""
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
def test_a_sign_off_that_does_not_count(desk, code, line, several):
    """With name and address right in the configuration, signing off again is enough: git writes the line anew."""
    for number in range(1 + several):
        desk.commit(f"Number {number}\n\n{line}\n")
    push(desk)
    fixed(desk, code)


@pytest.mark.parametrize(
    ("name", "email"), [("A\u200bda", "ada@huawei.com"), ("Ada L", "ada@huawei.com"), ("Ada", "ada@home.org")]
)
def test_committed_under_another_name(desk, name, email):
    """The configuration was wrong when the commits were made: put right, as the fix says, the commands do the rest."""
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
def test_an_authors_address_that_is_none(desk, several):
    """The address put right, the author is written anew with the sign-off."""
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


def test_an_authors_address_that_is_none_among_others(desk):
    """Somebody else's author stays who it was."""
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


def test_a_committers_address_that_is_none(desk):
    """The address put right, signing off writes the committer anew."""
    desk.identify("Ada", "ada@")
    desk.signed("Work")
    push(desk)
    _, text = look(desk)
    assert "dco/invalid-email" in text
    desk.identify(*ADA)
    run(desk, blocks(text)[0])
    assert look(desk)[0] == 0


@pytest.mark.parametrize("several", [False, True])
def test_an_agents_sign_off(project, desk, several):
    """A person signs off beside the agent, also where the agent is the author."""
    rules = "version: 1\npeople: {agents: {emails: [agent@ai.org]}}\n"
    project.write(".github/countersign.yml", rules)
    theirs(project, desk, message="Rules")
    desk.commit("One\n\nSigned-off-by: Agent <agent@ai.org>\n")
    if several:
        desk.commit("Two\n\nSigned-off-by: Agent <agent@ai.org>\n")
    push(desk)
    fixed(desk, "dco/agent-signoff")


def test_a_commit_of_an_agent(project, desk):
    """Where the agent is the author, the person who commits it signs off."""
    project.write(".github/countersign.yml", "version: 1\npeople: {agents: {emails: [agent@ai.org]}}\n")
    theirs(project, desk, message="Rules")
    desk.signed("One", by=("Agent", "agent@ai.org"))
    push(desk)
    fixed(desk, "dco/agent-signoff")


@pytest.mark.parametrize("several", [False, True])
def test_a_bots_commit_that_a_person_takes_over(desk, several):
    """A person signs the bot's commit off."""
    for number in range(1 + several):
        desk.commit(f"Bump {number}", by=("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"))
    push(desk)
    _, text = look(desk)
    assert "dco/bot-unproven" in text
    run(desk, blocks(text)[-1] if several else blocks(text)[0])
    desk.git("push", "--quiet", "--force-with-lease")
    assert look(desk)[0] == 0


@pytest.mark.parametrize("several", [False, True])
def test_two_problems_of_one_commit(desk, several):
    """An address that is none and no sign-off: one command cures both, so that no order matters."""
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


def test_in_a_fork(desk, home):
    """The project is `upstream`, the pushes go to `origin`: the commands name the project's branch."""
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


def test_counting_back_is_never_printed(desk):
    """Whoever names the base by counting gets the commit itself: a merge in between can't make it another."""
    desk.commit("One")
    desk.commit("Two")
    push(desk)
    text = fixed(desk, "dco/missing", "--range", f"{desk.git('rev-parse', 'HEAD~2')}..HEAD")
    assert "HEAD~" not in text
    desk.commit("Three")
    desk.commit("Four")
    assert "HEAD~" not in look(desk, "--range", "HEAD~2..HEAD")[1]
