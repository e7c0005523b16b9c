"""The commands name everything that they need, and leave alone what is not asked for; tests/bot/flows/test_advice.py runs them."""

import re
import shlex

import pytest

from agreements.github_server import github_server
from bot.report.words.git_commands import CommandContext, PullBranch, PushDestination, commands

SHA = "b" * 40
HERE = PullBranch.at("https://github.com", "cann/ops", ("mia/ops", "fix"), SHA)


def lines(text):
    """The command lines of all blocks."""
    return [line for part in text.split("```")[1::2] if part.startswith("\n") for line in part.strip().splitlines()]


def test_a_push_names_both_ends():
    """Over what is there only if it is what is expected; plainly where nothing is rewritten."""
    assert PushDestination().command(force=True) == "git push --force-with-lease"
    assert PushDestination.of("origin", "fix").command(force=True) == "git push --force-with-lease origin fix:fix"
    assert (
        PushDestination.of("URL", "fix", SHA).command(force=True)
        == f"git push --force-with-lease=fix:{SHA} URL fix:fix"
    )
    assert PushDestination.of("URL", "fix", SHA).command(force=False) == "git push URL fix:fix"


def test_no_remote_is_named():
    """What the remotes of a clone are called is not known to GitHub: everything goes by address."""
    assert lines(commands(CommandContext("main", amend=False, pull=HERE), "en")) == [
        "git switch fix",
        "git pull --ff-only --depth=2147483647 https://github.com/mia/ops.git fix",
        "git fetch https://github.com/cann/ops.git main",
        "git rebase --signoff FETCH_HEAD",
        f"git push --force-with-lease=fix:{SHA} https://github.com/mia/ops.git fix:fix",
    ]


def test_no_branch_is_taken_for_an_option():
    """Whoever opens a pull request chooses the branch's name, and whoever copies a command runs what is in it."""
    there = PullBranch.at("https://github.com", "cann/ops", ("eve/ops", "--upload-pack=touch${IFS}here"), SHA)
    text = commands(CommandContext("main", amend=False, pull=there), "en")
    assert lines(text)[:2] == [
        "git switch BRANCH",
        "git pull --ff-only --depth=2147483647 https://github.com/eve/ops.git BRANCH",
    ]
    assert "upload-pack" not in text
    assert "Replace `BRANCH` with the branch" in text


BOTS = github_server("ghe.corp.example").bot_suffixes


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://github.com", "replace `https://github.com/` with `git@github.com:`"),
        ("https://git.huawei.com", "replace `https://git.huawei.com/` with `git@git.huawei.com:`"),
        ("http://127.0.0.1:8080", ""),
        ("https://ghe.example:8443", ""),
    ],
)
def test_who_uses_ssh(url, said):
    """What to write for the addresses, where that is known: not with a port of its own."""
    text = commands(
        CommandContext("main", amend=True, pull=PullBranch.at(url, "cann/ops", ("mia/ops", "fix"), SHA)), "en"
    )
    assert ("SSH" in text) is bool(said)
    assert said in text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("amend", [True, False])
def test_a_fork_that_is_gone(language, amend):
    """Nothing is fetched from it or pushed to it, and that is said; no later commit could be added."""
    gone = PullBranch.at("https://github.com", "cann/ops", (None, "fix"), SHA)
    text = commands(CommandContext("main", amend=amend, pull=gone, individual=(SHA,), web=(SHA,)), language)
    assert "push " not in " ".join(lines(text))
    assert ("no longer exists" if language == "en" else "已不存在") in text
    assert "hereby" not in text


@pytest.mark.parametrize("head", ["a;b&c", "it's", "$(id)"])
def test_a_branch_cannot_run(head):
    """The head's name is quoted for the shell wherever it stands."""
    pull = PullBranch.at("https://github.com", "cann/ops", ("mia/ops", head), SHA)
    for line in lines(commands(CommandContext(head, amend=False, pull=pull, individual=(SHA,)), "en")):
        if not line.startswith("git commit"):
            assert any(head in word for word in shlex.split(line)) or head not in line


def test_a_name_that_cannot_be_shown():
    """It stands for itself as BRANCH and BASE, which is explained."""
    pull = PullBranch.at("https://github.com", "cann/ops", ("mia/ops", "eve@huawei.com"), SHA)
    text = commands(CommandContext("", amend=False, pull=pull), "en")
    assert "huawei" not in text
    assert "git fetch https://github.com/cann/ops.git BASE" in text
    assert "Replace `BRANCH` with" in text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("pull", [None, HERE])
@pytest.mark.parametrize("known", [True, False])
def test_among_other_peoples_commits(language, pull, known):
    """One block that signs one's own. Where it is exact, what would sign all is no block: whoever runs blocks signs nobody else's."""
    text = commands(CommandContext("main", amend=False, others=True, pull=pull, known=known), language)
    rebases = [line for line in lines(text) if line.startswith("git rebase")]
    assert rebases[0].startswith('git rebase --exec \'test "$(git log -1 --format=%ae)" != "$(git config user.email)"')
    assert len(rebases) == (1 if pull or known else 2)
    assert "git rebase --signoff " in text


@pytest.mark.parametrize("others", [True, False])
@pytest.mark.parametrize("amend", [True, False])
def test_a_bots_commits(amend, others):
    """They are signed, too, where one may certify them; a filter by one's own address would leave them as they are."""
    text = commands(CommandContext("main", amend=amend, others=others, bots=True, bot_suffixes=BOTS, pull=HERE), "en")
    assert "certify" in text
    (one,) = (line for line in lines(text) if line.startswith(("git rebase", "git commit")))
    assert all((f'|*"{suffix}"' in one) is (others and not amend) for suffix in BOTS)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("count", [1, 50, 51])
def test_signing_off_later(language, count):
    """Each commit by its whole name; of very many it is said how."""
    shas = tuple(f"{number:040x}" for number in range(count))
    text = commands(CommandContext("main", amend=False, pull=HERE, individual=shas, third_party=shas), language)
    made = [line for line in lines(text) if line.startswith("git commit")]
    if count <= 50:
        own, behalf = made
        assert all(one.count(sha) == 1 for sha in shas for one in made)
        assert '"I, $(git config user.name) <$(git config user.email)>, hereby add' in own
        assert '"On behalf of %an <%ae>, I, $(git config user.name) <' in behalf
        assert lines(text)[-1] == "git push https://github.com/mia/ops.git fix:fix"
    else:
        assert made == []
        assert "`I, NAME <EMAIL>, hereby add my Signed-off-by to this commit: SHA`" in text
    assert "<a…" not in text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("allowed", [(), (SHA,)])
def test_made_on_the_website(language, allowed):
    """Where it is allowed, the text to type there; else how to get a clone; and always the setting."""
    text = commands(CommandContext("main", amend=True, pull=HERE, web=(SHA,), individual=allowed), language)
    assert "Require contributors to sign off on web-based commits" in text
    typed = re.findall(r"```text\n(.*?)\n```", text, re.DOTALL)
    line = f"I, NAME <EMAIL>, hereby add my Signed-off-by to this commit: {SHA}"
    assert typed == ([f"{line}\n\nSigned-off-by: NAME <EMAIL>"] if allowed else [])
    assert ("`git clone --branch fix https://github.com/mia/ops.git`" in text) is not allowed
