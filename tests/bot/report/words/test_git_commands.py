"""The commands name everything that they need, and leave alone what is not asked for; tests/bot/flows/test_advice.py runs them."""

import re
import shlex

import pytest

from bot.report.words.git_commands import CommandContext, PullBranch, PushDestination, commands

SHA = "b" * 40
HERE = PullBranch.at("https://github.com", "cann/ops", ("mia/ops", "fix"), SHA)


def lines(text):
    """The command lines of all blocks."""
    return [line for part in text.split("```")[1::2] if part.startswith("\n") for line in part.strip().splitlines()]


def test_a_push_names_both_ends_and_its_lease():
    assert PushDestination().command(force=True) == "git push --force-with-lease"
    assert PushDestination.of("origin", "fix").command(force=True) == "git push --force-with-lease origin fix:fix"
    assert (
        PushDestination.of("URL", "fix", SHA).command(force=True)
        == f"git push --force-with-lease=fix:{SHA} URL fix:fix"
    )
    assert PushDestination.of("URL", "fix", SHA).command(force=False) == "git push URL fix:fix"


def test_commands_go_by_address_and_name_no_remote():
    """GitHub doesn't know how the remotes of a clone are called."""
    assert lines(commands(CommandContext("main", amend=False, pull=HERE), "en")) == [
        "git switch fix",
        "git pull --ff-only --depth=2147483647 https://github.com/mia/ops.git fix",
        "git fetch https://github.com/cann/ops.git main",
        "git rebase --signoff FETCH_HEAD",
        f"git push --force-with-lease=fix:{SHA} https://github.com/mia/ops.git fix:fix",
    ]


def test_no_branch_is_taken_for_an_option():
    """The opener of a pull request chooses the branch's name, and other people copy the commands."""
    there = PullBranch.at("https://github.com", "cann/ops", ("eve/ops", "--upload-pack=touch${IFS}here"), SHA)
    text = commands(CommandContext("main", amend=False, pull=there), "en")
    assert lines(text)[:2] == [
        "git switch BRANCH",
        "git pull --ff-only --depth=2147483647 https://github.com/eve/ops.git BRANCH",
    ]
    assert "upload-pack" not in text
    assert "Replace `BRANCH` with the branch" in text


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://github.com", "replace `https://github.com/` with `git@github.com:`"),
        ("https://git.huawei.com", "replace `https://git.huawei.com/` with `git@git.huawei.com:`"),
        ("http://127.0.0.1:8080", ""),
        ("https://ghe.example:8443", ""),
    ],
)
def test_the_form_for_ssh_is_told_where_it_is_known(url, said):
    text = commands(
        CommandContext("main", amend=True, pull=PullBranch.at(url, "cann/ops", ("mia/ops", "fix"), SHA)), "en"
    )
    assert ("SSH" in text) is bool(said)
    assert said in text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("amend", [True, False])
def test_a_deleted_fork_gets_no_fetch_and_no_push(language, amend):
    gone = PullBranch.at("https://github.com", "cann/ops", (None, "fix"), SHA)
    text = commands(CommandContext("main", amend=amend, pull=gone, individual=(SHA,), web=(SHA,)), language)
    assert "push " not in " ".join(lines(text))
    assert ("no longer exists" if language == "en" else "已不存在") in text
    assert "hereby" not in text


@pytest.mark.parametrize("head", ["a;b&c", "it's", "$(id)"])
def test_a_head_branchs_name_is_quoted_for_the_shell(head):
    pull = PullBranch.at("https://github.com", "cann/ops", ("mia/ops", head), SHA)
    for line in lines(commands(CommandContext(head, amend=False, pull=pull, individual=(SHA,)), "en")):
        if not line.startswith("git commit"):
            assert any(head in word for word in shlex.split(line)) or head not in line


def test_a_branch_that_cannot_be_shown_is_a_placeholder():
    pull = PullBranch.at("https://github.com", "cann/ops", ("mia/ops", "eve@huawei.com"), SHA)
    text = commands(CommandContext("", amend=False, pull=pull), "en")
    assert "huawei" not in text
    assert "git fetch https://github.com/cann/ops.git BASE" in text
    assert "Replace `BRANCH` with" in text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("pull", [None, HERE])
@pytest.mark.parametrize("known", [True, False])
def test_among_other_peoples_commits_the_only_block_signs_ones_own(language, pull, known):
    text = commands(CommandContext("main", amend=False, others=True, pull=pull, known=known), language)
    rebases = [line for line in lines(text) if line.startswith("git rebase")]
    assert rebases[0].startswith('git rebase --exec \'test "$(git log -1 --format=%ae)" != "$(git config user.email)"')
    assert len(rebases) == (1 if pull or known else 2)
    assert "git rebase --signoff " in text


@pytest.mark.parametrize("others", [True, False])
@pytest.mark.parametrize("amend", [True, False])
def test_a_machines_commits_are_not_left_out_by_the_filter_of_addresses(amend, others):
    shas = ("a" * 40, "b" * 40, "';x")
    text = commands(CommandContext("main", amend=amend, others=others, bots=True, machines=shas, pull=HERE), "en")
    assert "certify" in text
    (command,) = {line for line in lines(text) if line.startswith(("git rebase", "git commit"))}
    assert all((f'|"$(git log -1 --format=%ae {sha})"' in command) is (others and not amend) for sha in shas[:2])
    assert shas[2] not in command


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("count", [1, 50, 51])
def test_later_sign_offs_name_each_commit_in_full_up_to_fifty(language, count):
    shas = tuple(f"{number:040x}" for number in range(count))
    text = commands(CommandContext("main", amend=False, pull=HERE, individual=shas, third_party=shas), language)
    made = [line for line in lines(text) if line.startswith("git commit")]
    if count <= 50:
        own, behalf = made
        assert all(line.count(sha) == 1 for sha in shas for line in made)
        assert '"I, $(git config user.name) <$(git config user.email)>, hereby add' in own
        assert '"On behalf of %an <%ae>, I, $(git config user.name) <' in behalf
        assert lines(text)[-1] == "git push https://github.com/mia/ops.git fix:fix"
    else:
        assert made == []
        assert "`I, NAME <EMAIL>, hereby add my Signed-off-by to this commit: SHA`" in text
    assert "<a…" not in text


@pytest.mark.parametrize("pull", [None, HERE])
def test_a_flag_of_the_amending_command_comes_with_its_reason_where_it_is_needed(pull):
    plain, blank = (
        commands(CommandContext("main", amend=True, pull=pull, blank=blank), "en") for blank in (False, True)
    )
    assert "--allow-empty-message" not in plain
    assert "--no-edit --allow-empty-message\n" in blank
    assert "- `--allow-empty-message` is needed because the commit has no message." in blank
    assert ("<details>" in plain) is (pull is not None)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("allowed", [(), (SHA,)])
def test_commits_of_the_website_get_a_text_to_type_or_a_clone_to_make(language, allowed):
    text = commands(CommandContext("main", amend=True, pull=HERE, web=(SHA,), individual=allowed), language)
    assert "Require contributors to sign off on web-based commits" in text
    typed = re.findall(r"```text\n(.*?)\n```", text, re.DOTALL)
    line = f"I, NAME <EMAIL>, hereby add my Signed-off-by to this commit: {SHA}"
    assert typed == ([f"{line}\n\nSigned-off-by: NAME <EMAIL>"] if allowed else [])
    assert ("`git clone --branch fix https://github.com/mia/ops.git`" in text) is not allowed
