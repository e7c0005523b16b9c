"""The commands that the check prints are run in fresh clones; then it passes, and no other person has signed off."""

import re
import subprocess

import pytest

from tests.bot.flows.recipes import prove
from tests.clones import Desk

DCO = 'version: 1\nrepositories: [{match: ["*"], require: dco}]\n'
LATER = DCO + "dco: {remediation: {individual: true}}\n"
FOR_OTHERS = DCO + "dco: {remediation: {individual: true, third_party: true}}\n"
MIA = "Signed-off-by: Mia <mia@home.example>"
BO = "Signed-off-by: Bo <bo@x.example>"
BOT = {
    "author": ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.127.0.0.1"),
    "committer": ("Mia", "mia@home.example"),
}


@pytest.fixture(name="stage")
def _stage(staged, home):
    """A scene where a sign-off is asked for, and Mia's machine: git knows her name, and GitHub her token."""
    return lambda rulebook=DCO: Stage(staged(rulebook=rulebook), home)


class Stage:
    """A pull request of Mia's, and her machine."""

    def __init__(self, scene, home):
        self.scene = scene
        self.home = home
        self.at_home(scene.mia)

    def at_home(self, who):
        """Who sits at the machine: an identity, and a token for GitHub."""
        helper = f"!f() {{ echo username={who.login}; echo password={who.token}; }}; f"
        for key, value in (
            ("user.name", who.name),
            ("user.email", who.emails[0].address),
            ("credential.helper", helper),
        ):
            subprocess.run(["git", "config", "--global", key, value], check=True)

    def open(self, *messages, branch="topic", **commits):
        """The pull request, judged."""
        self.pull, self.clone = self.scene.pull(*messages, branch=branch, **commits)
        self.scene.settle()
        return self.pull

    def more(self, message, **how):
        """One more commit, pushed and judged."""
        self.clone.commit(message, files={f"more{message[:9]}.txt": message}, **how)
        self.clone.push()
        self.scene.settle()

    def base_goes_on(self):
        """Another person's work reaches the base meanwhile."""
        self.scene.world.write(self.pull.repository, {"theirs.txt": "theirs"}, message="Theirs, unsigned")

    def desk(self, kind):
        """A clone of this kind with the branch checked out."""
        return KINDS[kind](self)

    @property
    def fork(self):
        """The address of the repository that the commits came from."""
        return f"{self.scene.server.url}/{self.pull.head_repository.full_name}.git"

    @property
    def base(self):
        """The address of the repository that they go into."""
        return f"{self.scene.server.url}/{self.pull.repository.full_name}.git"

    def cloned(self, *options, url=""):
        """A fresh clone."""
        folder = self.home / "fresh"
        subprocess.run(["git", "clone", "--quiet", *options, url or self.fork, folder], check=True)
        return Desk(folder, None)

    @property
    def summary(self):
        """What the check run says."""
        (run,) = [run for run in self.scene.world.check_runs.values() if run.head_sha == self.pull.head_sha]
        return run.output["summary"]

    @property
    def blocks(self):
        """The command blocks of the check run, the same as those of the comment."""
        (comment,) = self.scene.comments(self.pull)
        assert blocks(comment.body) == blocks(self.summary)
        return blocks(self.summary)

    def follow(self, desk, number=0):
        """Paste one block into a shell; what it pushed is judged."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.blocks[number]],
            cwd=desk.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, self.blocks[number] + done.stderr
        self.scene.settle()

    def passes(self):
        """Whether all is good now, and the pull request still holds its commits and no other."""
        return self.scene.conclusion(self.pull) == "success"

    def messages(self, desk):
        """Author and message of each commit of the pull request but merges, from the oldest."""
        desk.git("fetch", "--quiet", self.base, "main")
        out = desk.git("log", "--no-merges", "--reverse", "--format=%an%n%B%x00", f"FETCH_HEAD..{self.pull.head_sha}")
        return [tuple(part.strip().split("\n", 1)) for part in out.split("\0") if part.strip()]


def blocks(text):
    """The blocks of commands, without the blocks of text."""
    return [part.removeprefix("\n") for part in text.split("```")[1::2] if part.startswith("\n")]


def plain(stage):
    """`git clone` of the fork, and the branch checked out."""
    desk = stage.cloned()
    desk.git("checkout", "--quiet", stage.pull.head)
    return desk


def grown_from_main(stage):
    """The branch was made by `git checkout -b topic origin/main`, and follows that; pushes go to what is followed."""
    desk = stage.cloned()
    desk.git("checkout", "--quiet", "-b", stage.pull.head, "origin/main")
    desk.git("pull", "--quiet", "--ff-only", "origin", stage.pull.head)
    desk.git("config", "push.default", "upstream")
    return desk


def with_upstream(stage):
    """`origin` is the fork, `upstream` the project."""
    desk = plain(stage)
    desk.git("remote", "add", "upstream", stage.base)
    return desk


def of_the_project(stage):
    """`origin` is the project; the branch follows the fork's address, as `gh pr checkout` sets it up."""
    desk = stage.cloned(url=stage.base)
    desk.git("fetch", "--quiet", stage.fork, stage.pull.head)
    desk.git("checkout", "--quiet", "-b", stage.pull.head, "FETCH_HEAD")
    desk.git("config", f"branch.{stage.pull.head}.remote", stage.fork)
    desk.git("config", f"branch.{stage.pull.head}.merge", f"refs/heads/{stage.pull.head}")
    return desk


def behind(stage):
    """An old clone, which has not all of the branch."""
    desk = plain(stage)
    desk.git("reset", "--quiet", "--hard", "HEAD^")
    return desk


def on_another_branch(stage):
    """A clone where something else is checked out."""
    return stage.cloned()


KINDS = {
    "plain": plain,
    "of the branch": lambda stage: stage.cloned("--branch", stage.pull.head),
    "grown from main": grown_from_main,
    "with upstream": with_upstream,
    "of the project": of_the_project,
    "single branch": lambda stage: stage.cloned("--branch", stage.pull.head, "--single-branch"),
    "shallow": lambda stage: stage.cloned("--branch", stage.pull.head, "--depth", "1"),
    "behind": behind,
    "on another branch": on_another_branch,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_signing_off_several_commits_leaves_those_of_the_base_alone(stage, kind):
    stage = stage()
    stage.open("One", "Two", "Three")
    stage.base_goes_on()
    desk = stage.desk(kind)
    assert "git rebase --signoff FETCH_HEAD\n" in stage.blocks[0]
    stage.follow(desk)
    assert stage.passes()
    assert stage.messages(desk) == [("Mia", f"{subject}\n\n{MIA}") for subject in ("One", "Two", "Three")]
    assert MIA not in desk.git("log", "--format=%B", "FETCH_HEAD")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["of the branch", "grown from main", "shallow", "behind"])
def test_signing_off_the_last_commit_leaves_earlier_ones_unchanged(stage, kind):
    stage = stage()
    stage.open(f"One\n\n{MIA}", f"Two\n\n{MIA}")
    first = stage.pull.head_sha
    stage.more("Three")
    desk = stage.desk(kind)
    assert "git rebase" not in stage.summary
    known, anywhere = stage.blocks
    assert known == "git commit --amend --signoff --no-edit\ngit push --force-with-lease\n"
    assert stage.summary.index("<details>") < stage.summary.index(anywhere)
    stage.follow(desk, kind != "of the branch")
    assert stage.passes()
    assert desk.git("rev-parse", f"{stage.pull.head_sha}^") == first


def test_the_short_commands_in_a_clone_that_is_behind_push_nothing(stage):
    stage = stage()
    stage.open(f"One\n\n{MIA}")
    desk, head = stage.desk("of the branch"), stage.pull.head_sha
    stage.more("Two")
    subprocess.run(["bash", "-c", stage.blocks[0]], cwd=desk.folder, capture_output=True, check=False)
    assert desk.git("ls-remote", "origin", stage.pull.head).split()[0] == stage.pull.head_sha != head


def test_an_edit_on_the_website_is_first_told_what_to_do_there(stage):
    stage = stage()
    stage.open(f"One\n\n{MIA}")
    on_the_web(stage)
    web = stage.summary.index("This commit was made on GitHub's website.")
    assert web < stage.summary.index("<details>") < stage.summary.index("git commit --amend")
    ways = re.findall(r"^- (\w+ [\w ]+):", stage.summary[web:], re.MULTILINE)
    assert ways[:2] == ["Without a clone", "With Git"]
    assert "Add the missing sign-off:\n\nThis commit" in stage.summary


@pytest.mark.slow
def test_forty_commits_with_different_faults_get_one_block_of_commands(stage):
    stage = stage()
    lines = [
        "",
        "Signed-off-by:Mia <mia@home.example>",
        f"{MIA}.",
        "Signed-off-by: Mia M <mia@home.example>",
        "Signed-off-by: Mia <mia@old.example>",
        "Signed-off-by: Someone <some@one.example>",
        "Signed-off-by: M\u200bia <mia@home.example>",
        " Signed-off-by: Mia <mia@home.example>",
    ]
    stage.open(*(f"Change {number}\n\n{lines[number % len(lines)]}\n" for number in range(40)))
    assert len(stage.blocks) == 1
    causes = [line for line in stage.summary.splitlines() if line.startswith("- 5 commits: ")]
    assert len(causes) == len(lines)
    stage.follow(stage.desk("of the branch"))
    assert stage.passes()


def mixed(stage, *, own=("One", "Two")):
    """A pull request to which Bo contributed, too: his commit is signed off."""
    stage.open(own[0])
    stage.more(f"Of Bo\n\n{BO}", author="Bo <bo@x.example>")
    stage.more(own[1])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "shallow", "of the project"])
def test_only_ones_own_commits_among_others_are_signed_off(stage, kind):
    stage = stage()
    mixed(stage)
    desk = stage.desk(kind)
    assert "some of these commits are by other people" in stage.summary
    assert len(stage.blocks) == 1
    stage.follow(desk)
    assert stage.passes()
    assert [(author, MIA in body) for author, body in stage.messages(desk)] == [
        ("Mia", True),
        ("Bo", False),
        ("Mia", True),
    ]


@pytest.mark.slow
def test_a_commit_of_another_person_behind_the_first_hundred_is_noticed(stage):
    stage = stage()
    stage.open(*(f"Change {number}" for number in range(101)))
    stage.more(f"Of Bo\n\n{BO}", author="Bo <bo@x.example>")
    assert "some of these commits are by other people" in stage.summary
    desk = stage.desk("plain")
    stage.follow(desk)
    assert stage.passes()
    assert MIA not in stage.messages(desk)[-1][1]


@pytest.mark.slow
def test_commits_that_a_merge_of_the_base_brought_stay_unsigned(stage):
    stage = stage()
    stage.open("One")
    stage.base_goes_on()
    me = ("-c", "user.name=Mia", "-c", "user.email=mia@home.example")
    stage.clone.git(*me, "pull", "--quiet", "--no-rebase", "--no-edit", "--no-ff", stage.base, "main")
    stage.more("Two")
    desk = stage.desk("of the branch")
    assert "There is a merge commit among these" in stage.summary
    stage.follow(desk)
    assert stage.passes()
    assert stage.messages(desk) == [("Mia", f"{subject}\n\n{MIA}") for subject in ("One", "Two")]


@pytest.mark.slow
def test_a_conflict_during_the_rebase_pushes_nothing(stage):
    """Pasted as a whole, the block goes on after the rebase stopped."""
    stage = stage()
    stage.open("One", "Two", files={"same.txt": "mine"})
    stage.scene.world.write(stage.pull.repository, {"same.txt": "theirs"}, message="Theirs")
    before, desk = stage.pull.head_sha, stage.desk("plain")
    subprocess.run(["bash", "-c", stage.blocks[0]], cwd=desk.folder, capture_output=True, check=False)
    stage.scene.settle()
    assert stage.pull.head_sha == before


@pytest.mark.slow
def test_the_commands_refuse_to_overwrite_commits_pushed_since_the_verdict(stage):
    stage = stage()
    stage.open("One", "Two")
    block, desk = stage.blocks[0], stage.desk("plain")
    stage.more("Three")
    newest = stage.pull.head_sha
    done = subprocess.run(["bash", "-c", block], cwd=desk.folder, capture_output=True, text=True, check=False)
    assert "stale info" in done.stderr
    assert stage.pull.head_sha == newest


@pytest.mark.slow
@pytest.mark.parametrize("branch", ["fix/$(id>x)", "it's", "a;b&c", "docs"])
def test_branch_names_with_special_characters_are_quoted_for_the_shell(stage, branch):
    stage = stage()
    stage.open("One", "Two", branch=branch, files={"docs/page.txt": "x"})
    desk = stage.desk("plain")
    stage.follow(desk)
    assert stage.passes()
    assert not (desk.folder / "x").exists()


def test_a_branch_name_that_looks_like_an_address_is_replaced_by_a_placeholder(stage):
    stage = stage()
    stage.open("One", branch="eve@huawei.com")
    assert "git switch BRANCH\n" in stage.blocks[1]
    assert "Replace `BRANCH` with the branch of this pull request" in stage.summary
    assert "huawei" not in stage.summary


def test_without_the_fork_no_command_pushes(stage):
    stage = stage()
    stage.open("One", "Two")
    desk = stage.desk("plain")
    stage.scene.world.delete(stage.pull.head_repository)
    stage.scene.again(stage.pull)
    assert "The repository that these commits came from no longer exists" in stage.summary
    assert "git push" not in stage.summary
    stage.follow(desk)
    assert desk.git("log", "--format=%B", "FETCH_HEAD..HEAD").count(MIA) == 2


@pytest.mark.slow
def test_the_commands_work_for_a_branch_of_the_repository_itself(stage):
    stage = stage()
    stage.at_home(stage.scene.ada)
    stage.open("One", "Two", who=stage.scene.ada)
    stage.follow(stage.desk("of the branch"))
    assert stage.passes()


@pytest.mark.slow
@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("others", [False, True])
def test_a_person_who_may_certify_a_bots_commits_signs_off_those_alone(stage, several, others):
    stage = stage()
    stage.open(f"Mine\n\n{MIA}")
    if others:
        stage.more(f"Of Bo\n\n{BO}", author="Bo <bo@x.example>")
    for number in range(1 + several):
        stage.more(f"{number} bumped", **BOT)
    desk = stage.desk("plain")
    assert "certify" in stage.summary
    assert len(stage.blocks) == (1 if several else 2)
    stage.follow(desk, number=-1)
    assert stage.passes()
    assert [MIA in body for author, body in stage.messages(desk) if author == "Bo"] == [False] * others


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "grown from main", "shallow", "behind"])
def test_a_later_sign_off_adds_a_commit_without_rewriting(stage, kind):
    stage = stage(LATER)
    stage.open("One", "Two")
    desk, before = stage.desk(kind), stage.pull.head_sha
    assert len(stage.blocks) == 2
    stage.follow(desk, 1)
    assert stage.passes()
    assert desk.git("rev-parse", f"{stage.pull.head_sha}^") == before


@pytest.mark.slow
def test_a_later_sign_off_names_ones_own_commits_alone(stage):
    stage = stage(LATER)
    stage.open("One")
    stage.more("Of Bo", author="Bo <bo@x.example>")
    desk, his = stage.desk("plain"), stage.pull.head_sha
    stage.follow(desk, 1)
    assert not stage.passes()
    assert his not in stage.messages(desk)[-1][1]
    assert stage.scene.recorded(stage.pull)[1].count("dco/missing") == 1


@pytest.mark.slow
def test_a_third_party_signs_off_the_commits_of_others_and_bots(stage):
    stage = stage(FOR_OTHERS)
    stage.open("One")
    stage.more("bumped", **BOT)
    stage.at_home(stage.scene.ada)
    stage.pull.head_repository.collaborators[stage.scene.ada.id] = "write"
    stage.follow(stage.desk("plain"), 2)
    assert stage.passes()


def on_the_web(stage, message="Edit on the web"):
    """Mia edits a file in GitHub's web editor."""
    stage.clone.commit(
        message, files={"web.txt": message}, author=("Mia", stage.scene.mia.noreply), committer=("GitHub", "noreply@127.0.0.1")
    )  # fmt: skip
    stage.clone.push()
    stage.scene.settle()


@pytest.mark.slow
def test_commits_made_on_the_website_are_signed_off_in_a_clone(stage):
    stage = stage()
    stage.open(f"One\n\n{MIA}")
    desk = stage.desk("plain")
    on_the_web(stage)
    on_the_web(stage, "And again")
    assert f"`git clone --branch topic {stage.fork}`" in stage.summary
    assert "Require contributors to sign off on web-based commits" in stage.summary
    assert "other people" not in stage.summary, "her noreply address is herself"
    stage.follow(desk)
    assert stage.passes()


def test_commits_made_on_the_website_are_signed_off_by_the_printed_text(stage):
    stage = stage(LATER)
    stage.open(f"One\n\n{MIA}")
    on_the_web(stage)
    text = stage.summary.partition("```text\n")[2].partition("\n```")[0]
    assert stage.pull.head_sha in text
    text = text.replace("NAME", "Mia").replace("EMAIL", stage.scene.mia.noreply)
    on_the_web(stage, f"Sign off\n\n{text}")
    assert stage.passes()


def test_a_sign_off_with_another_address_of_the_author_passes_once_that_is_verified(stage):
    there = stage()
    pull = there.open("Fix it\n\nSigned-off-by: Mia <mia@work.example>")
    assert there.scene.recorded(pull) == ("failure", ["dco/email-differs"])
    assert "If the address in the sign-off is yours, [verify it](https://cla.example.org/me/emails)" in there.summary

    prove(there.scene, there.scene.mia, "mia@work.example")
    there.scene.settle()

    assert there.scene.recorded(pull)[0] == "success"
