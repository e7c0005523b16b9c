"""The annotations of `check`: no text of commits becomes a command of the runner."""

import pytest
from click.testing import CliRunner

from bot.cli.verdicts.check import command
from tests.clones import BO

HOSTILE = [
    "::set-output name=x::y",
    "::add-mask::secret",
    "%0A::error::forged",
    "##[set-env name=PATH]/tmp",
    "\r::stop-commands::x",
    "::endgroup::",
    "title=x,file=y::z",
]


def printed(desk, *options):
    result = CliRunner().invoke(command, [str(desk.folder), "--format", "github", *options], catch_exceptions=False)
    return result.stdout.splitlines()


def test_each_problem_is_one_annotation_with_its_commands(desk):
    sha = desk.commit()
    first, last = printed(desk)
    assert first.startswith(
        f"::error title=DCO dco/missing in {sha[:12]}::Commit {sha[:7]} has no sign-off. Expected: "
    )
    assert "%0A```%0Agit commit --amend --signoff --no-edit%0A" in first
    assert last == "countersign: failure: DCO failure"


def test_shared_commands_stand_in_the_first_annotation_alone(desk):
    """GitHub shows ten annotations for each step of a run."""
    for _ in range(3):
        desk.commit()
    first, second, third, _ = printed(desk)
    assert "git rebase --signoff" in first
    assert "```" not in second + third
    assert "has no sign-off. Expected: " in third
    assert third.endswith(">.")


def test_the_advice_of_a_second_code_is_a_sentence_without_commands(desk):
    desk.commit()
    desk.commit("Add\n\nSigned-off-by: Eve <ada@huawei.com>\n")
    first, second, _ = printed(desk)
    assert "Add the missing sign-off:%0A```" in first
    assert second.endswith("%0ACheck `git config user.name`, then sign off again.")


def test_a_passing_commit_has_no_annotation_unless_it_is_worth_a_look(desk):
    desk.signed()
    assert printed(desk) == ["countersign: success: DCO success"]
    desk.commit("Add\n\nSigned-off-by: ADA <ada@huawei.com>\n")
    first, _ = printed(desk)
    assert first.startswith("::notice title=DCO dco/equivalent in ")


def test_a_problem_that_changes_no_exit_code_is_a_warning(project, desk, home):
    (home / "org.yml").write_text("version: 1\nrepositories: [{match: ['*'], require: cla}]\n")
    desk.commit()
    first, last = printed(desk, "--rulebook", str(home / "org.yml"))
    assert first.startswith("::warning title=CLA facts/incomplete::A local clone does not know GitHub accounts")
    assert last == "countersign: action_required: CLA action_required"


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_commits_never_becomes_a_command_of_the_runner(desk, text):
    plain = text.replace("\r", "")
    desk.commit(f"{text}\n\n{text}\nSigned-off-by: {text} <{plain}@x.org>\n")
    desk.commit(f"Add\n\nSigned-off-by:{text} <a@x.org>\n", by=(plain, "eve@x.org"))
    desk.commit("Add\n", by=("Eve", f"{plain}@x.org"))
    for line in printed(desk):
        assert line.startswith(("::error title=DCO dco/", "countersign: failure: DCO failure"))
        body = line.partition("::error title=")[2]
        title, _, data = body.partition("::")
        assert ":" not in title
        assert "," not in title
        assert "\r" not in data
        assert "%0A::" not in data
        if line.startswith("countersign"):
            assert "##[" not in line


def test_a_percent_sign_is_escaped(desk):
    desk.commit("Add\n\nSigned-off-by: 100%0A <x@x.org>\n", by=BO)
    first, _ = printed(desk)
    assert "100%250A <x…@x.org>" in first
