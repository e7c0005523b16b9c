"""An owner rehearses: the command and the server as real processes, in a terminal, interrupted, and with what is set up wrong."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from bot.rehearsal import rehearsal_report
from bot.rehearsal.observation import STEPS
from bot.settings import for_child
from tests.bot.demo.github import github_deeds

pytestmark = pytest.mark.slow

TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
"""For a process of its own: runs a command in a terminal and copies what goes in and out."""
WRITES = {"contents": "write", "pull_requests": "write"}


class Owner:
    """Who rehearses: may push to each repository of cann, and has a token for that."""

    def __init__(self, play):
        self.play = play
        self.account = play.person("olga", "olga@example.org").account
        for repo in play.world.repositories_of(play.world.account("cann")):
            repo.collaborators[self.account.id] = "write"
        self.token = github_deeds.fine_grained_token(play.world, self.account, WRITES)

    def start(self, *words, terminal=False, token=True, **settings):
        """The command, started; in a terminal of 100 columns if asked for."""
        stage = self.play.stage
        environment = {**stage.environment, **settings}
        if token:
            environment["COUNTERSIGN_REHEARSAL_TOKEN"] = self.token
        return subprocess.Popen(
            [*([sys.executable, "-c", TERMINAL] if terminal else []), sys.executable, "-m", "bot", "rehearse", *words],
            env={**for_child(environment), "COLUMNS": "100"},
            cwd=stage.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if terminal else subprocess.PIPE,
        )

    def rehearse(self, *words, **settings):
        """The command run to its end: exit code, result, standard error."""
        with self.start(*words, "--yes", **settings) as process:
            out, errors = process.communicate(timeout=120)
        return process.returncode, json.loads(out) if out else None, errors.decode()

    def left(self, name):
        """What is still there of rehearsals: open pull requests and branches."""
        repo = self.play.world.find_repository("cann", name)
        branches = [path.name for path in (repo.git / "refs" / "heads").glob("countersign-rehearsal-*")]
        return [pull.number for pull in repo.pulls.values() if pull.state == "open"], branches


@pytest.fixture(name="owner")
def _owner(play):
    """In the usual community, with the server running."""
    return Owner(play)


def said(process, end, *, stream=None):
    """What a process writes up to that text, in a terminal or on that stream."""
    text = b""
    while not text.endswith(end.encode()):
        letter = (stream or process.stdout).read(1)
        assert letter, text.decode()
        text += letter
    return text.decode().replace("\r\n", "\n")


def answered(process, text):
    """Type that line."""
    process.stdin.write(f"{text}\n".encode())
    process.stdin.flush()


@pytest.mark.nightly
def test_in_a_terminal_every_step_is_seen(owner):
    with owner.start("--repository", "cann/ops-math", terminal=True, token=False) as process:
        assert "Contents and Pull requests: read and write" in said(process, "Token: ")
        answered(process, owner.token)
        asked = said(process, "Go on? [y/N]: ")
        assert "A rehearsal in cann/ops-math as olga, judged by the App countersign" in asked
        assert not owner.play.world.find_repository("cann", "ops-math").pulls
        answered(process, "y")
        rest = process.stdout.read().decode().replace("\r\n", "\n")
    assert process.returncode == 0, rest
    lines = rest.splitlines()
    table = lines[next(place for place, line in enumerate(lines) if line.split()[:2] == ["Step", "Who"]) :]
    assert table[-1] == "All 11 steps of the rehearsal in cann/ops-math were seen."
    assert max(map(len, table)) <= 100
    assert owner.token not in asked + rest
    assert owner.token not in (owner.play.stage.folder / "serve.log").read_text()
    assert owner.left("ops-math") == ([], [])


def test_a_declined_rehearsal_writes_nothing(owner):
    with owner.start("--repository", "cann/docs", terminal=True) as process:
        said(process, "Go on? [y/N]: ")
        answered(process, "n")
        assert "Aborted!" in process.stdout.read().decode()
    assert process.returncode == 1
    assert not owner.play.world.find_repository("cann", "docs").pulls


def test_a_rehearsal_runs_twice_in_a_row_as_json(owner):
    for number in (1, 2):
        code, result, _ = owner.rehearse("--repository", "cann/docs")
        assert (code, result["ok"], result["number"], result["left"]) == (0, True, number, [])
    steps = {step["id"]: step for step in result["steps"]}
    assert steps["label"]["status"] == "not-expected"
    assert {step["status"] for name, step in steps.items() if name != "label"} == {"seen"}
    assert "by App" in steps["check"]["github"]
    assert steps["webhook"]["github"] == "pull_request sent, status 202"
    for name in ("webhook", "check", "answer", "close"):
        assert steps[name]["github_at"]
        assert steps[name]["recorded_at"]
    pull = owner.play.world.find_repository("cann", "docs").pulls[2]
    assert [comment.body for comment in pull.comments if comment.app is None] == ["/cla-check"]


@pytest.mark.nightly
def test_an_interrupted_rehearsal_is_cleaned_up_and_reported(owner):
    play = owner.play
    server = play.stage.process.pid
    os.killpg(server, signal.SIGSTOP)
    try:
        with owner.start("--repository", "cann/docs", "--yes") as process:
            said(process, rehearsal_report.begun(STEPS[3]), stream=process.stderr)
            time.sleep(0.3)  # what was said to begin waits for the server by then
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            out, errors = process.communicate(timeout=60)
    finally:
        os.killpg(server, signal.SIGCONT)
    result = json.loads(out)
    assert process.returncode == 1
    assert "Interrupted. All is cleaned up." in errors.decode()
    assert [step["status"] for step in result["steps"][:4]] == ["seen", "seen", "seen", "missing"]
    assert (result["left"], owner.left("docs")) == ([], ([], []))


@pytest.mark.nightly
def test_a_rehearsal_whose_terminal_goes_away_is_cleaned_up(owner):
    play = owner.play
    server = play.stage.process.pid
    os.killpg(server, signal.SIGSTOP)
    try:
        with owner.start("--repository", "cann/docs", "--yes", terminal=True) as terminal:
            play.until(lambda: owner.left("docs")[0])
            terminal.kill()
            play.until(lambda: owner.left("docs") == ([], []))
    finally:
        os.killpg(server, signal.SIGCONT)


@pytest.mark.nightly
def test_a_server_that_is_down_is_told_at_the_step_of_the_webhook(owner):
    owner.play.stage.stop()
    code, result, _ = owner.rehearse("--repository", "cann/docs")
    webhook = result["steps"][3]
    assert (code, webhook["status"], webhook["github"]) == (1, "missing", "pull_request sent, nobody answered")
    assert webhook["seconds"] < 60
    assert "reachable from GitHub" in webhook["remedy"]
    assert owner.left("docs") == ([], [])


@pytest.mark.nightly
def test_a_wrong_webhook_secret_is_named_by_the_remedy(staged):
    play = staged(settings={"COUNTERSIGN_WEBHOOK_SECRET": "another-secret-than-github-has"})
    play.community(repositories=("docs",))
    play.stage.serve()
    owner = Owner(play)
    code, result, _ = owner.rehearse("--repository", "cann/docs")
    webhook = result["steps"][3]
    assert (code, webhook["github"]) == (1, "pull_request sent, status 401")
    assert "secret" in webhook["remedy"]
    assert owner.left("docs") == ([], [])
