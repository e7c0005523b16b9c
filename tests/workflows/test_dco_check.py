"""The workflow to copy is what it says: it reads, runs nothing of the pull request's, and its script does the job."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from bot import __version__
from tests.clones import BO, Desk

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "workflows" / "dco-check.yml").read_text()
WORKFLOW = yaml.safe_load(TEXT)
STEPS = {step["name"]: step for step in WORKFLOW["jobs"]["dco"]["steps"]}
BOT = ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com")


def test_the_workflow_may_only_read():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in WORKFLOW["jobs"]["dco"]
    assert list(WORKFLOW[True]) == ["pull_request"]  # YAML 1.1 reads `on` as true
    assert "secrets." not in TEXT
    assert STEPS["Fetch"]["with"]["persist-credentials"] is False
    assert STEPS["Fetch"]["with"]["fetch-depth"] == 0


def test_another_base_is_judged_anew():
    """The other base has its own rules and history."""
    assert {"opened", "reopened", "synchronize", "edited"} == set(WORKFLOW[True]["pull_request"]["types"])


def test_the_action_the_package_and_its_lock_are_pinned():
    assert re.fullmatch(r"actions/checkout@[0-9a-f]{40}", STEPS["Fetch"]["uses"])
    assert WORKFLOW["env"]["RELEASE"].endswith(f"/v{__version__}")
    assert WORKFLOW["env"]["WHEEL"] == f"countersign_app-{__version__}-py3-none-any.whl"


def test_no_value_of_the_event_is_part_of_a_script():
    """A branch or a login could be written to run."""
    assert all("${{" not in step.get("run", "") for step in STEPS.values())


def run(desk, *, opener="11:ada:User", sender="11:ada:User", action="synchronize", base="main"):
    """The script of the step `Check`, run as a runner does, where the pull request was fetched as the action does."""
    workspace = desk.folder.parent / "workspace"
    there = workspace / "pull-request"
    subprocess.run(["git", "init", "--quiet", there], check=True)
    fetched = Desk(there, None)
    fetched.git("remote", "add", "origin", (desk.folder.parent / "project.git").as_uri())
    fetched.git("fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
    fetched.git("fetch", "--quiet", desk.folder.as_uri(), desk.head())
    fetched.git("checkout", "--quiet", "--detach", desk.head())
    number, login, kind = opener.split(":", 2)
    values = {
        "action": action,
        "pull_request.base.ref": base,
        "pull_request.head.sha": desk.head(),
        "pull_request.user.id": number,
        "pull_request.user.login": login,
        "pull_request.user.type": kind,
    }
    values |= dict(zip(("sender.id", "sender.login", "sender.type"), sender.split(":", 2), strict=True))
    environment = {name: _evaluated(value, values) for name, value in STEPS["Check"]["env"].items()}
    environment |= {"GITHUB_REPOSITORY": "cann/ops-math", "PATH": f"{Path(sys.executable).parent}:{os.defpath}"}
    environment |= {"HOME": str(desk.folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["bash", "-e", "-c", STEPS["Check"]["run"]],
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def _evaluated(text, values):
    """What a runner makes of the expressions that this workflow uses."""
    pushed = re.fullmatch(r"\$\{\{ github\.event\.action != 'edited' && format\('(.*)', (.*)\) \|\| '' \}\}", text)
    if pushed:
        names = [part.removeprefix("github.event.") for part in pushed[2].split(", ")]
        return pushed[1].format(*(values[name] for name in names)) if values["action"] != "edited" else ""
    return re.sub(r"\$\{\{ github\.event\.(\S+) \}\}", lambda found: values[found[1]], text)


@pytest.mark.slow
def test_a_signed_pull_request_is_green(desk):
    desk.signed()
    done = run(desk)
    assert (done.returncode, done.stdout) == (0, "countersign: success: DCO success\n"), done.stderr


@pytest.mark.slow
def test_an_unsigned_pull_request_is_red_with_its_command(project, desk):
    desk.commit("Bad")
    project.signed("Later", by=BO, later="x")
    project.git("push", "--quiet", "origin", "main")
    desk.git("pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
    desk.signed("Good")
    done = run(desk)
    assert done.returncode == 1
    assert done.stdout.count("::error title=DCO dco/missing in ") == 1
    assert "git rebase --signoff origin/main" in done.stdout


@pytest.mark.slow
def test_a_tag_named_like_the_base_is_not_the_base(desk):
    """A person who may push a tag could hide commits behind it."""
    desk.commit("Bad")
    desk.git("push", "--quiet", "origin", "HEAD:refs/tags/origin/main")
    desk.signed("Good")
    assert run(desk).returncode == 1


def test_a_bots_commits_pass_only_where_the_bot_opened(desk):
    desk.commit("Bump", by=BOT)
    assert run(desk, opener=f"{BOT[1].partition('@')[0].replace('+', ':')}:Bot").returncode == 0


@pytest.mark.parametrize(("sender", "action", "code"), [
    ("198982749:Copilot:Bot", "opened", 1), ("11:ada:User", "synchronize", 0), ("11:ada:User", "reopened", 0), ("11:ada:User", "edited", 1),
])  # fmt: skip
def test_an_agents_pull_request_needs_a_person_who_pushed_or_reopened_it(desk, sender, action, code):
    desk.signed()
    assert run(desk, opener="198982749:Copilot:Bot", sender=sender, action=action).returncode == code


@pytest.mark.slow
def test_a_bots_name_in_another_persons_pull_request_proves_nothing(desk):
    desk.commit("Bump", by=BOT)
    assert run(desk, opener="11:ada:User").returncode == 1


@pytest.mark.parametrize(
    "opener", ["11:$(touch ../trap):User", "11:`touch ../trap`:User", '11:"; touch ../trap; ":User']
)
def test_hostile_values_of_the_event_do_not_run(desk, opener):
    desk.signed()
    assert run(desk, opener=opener, sender=opener).returncode == 0
    assert not (desk.folder.parent / "trap").exists()
