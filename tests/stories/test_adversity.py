"""Accidents on the way: killed processes, a GitHub that is away, rulebooks that are broken or cannot be read."""

import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import pytest

from bot.settings import for_child

pytestmark = pytest.mark.slow


def test_a_kill_between_acknowledgement_and_verdict_loses_nothing(staged):
    play = staged(latency=0.4)
    play.community()
    play.stage.serve()
    ada = play.person("ada", "ada@example.org")
    _, pull = play.opens(ada)
    play.until(
        lambda: any(delivery.action == "opened" and delivery.statuses == [202] for delivery in play.world.hooks.log)
    )
    play.stage.kill()
    assert "failure" != play.verdict(pull), "too late: the verdict was there before the kill"
    assert [("received",)] == play.rows("SELECT state FROM delivery WHERE event = 'pull_request'")

    play.world.latency = 0.0
    play.stage.serve()
    play.judged(pull, "failure")

    assert (1, 1, 1) == (len(play.runs(pull)), len(play.labels(pull)), len(play.comments(pull)))


@pytest.mark.parametrize(
    "calls", [5, *(pytest.param(calls, marks=pytest.mark.nightly) for calls in (2, 3, 4, 6, 7, 8))]
)
def test_a_kill_after_any_call_doubles_nothing(staged, calls):
    play = staged(latency=0.1)
    play.community()
    play.stage.serve()
    ada = play.person("ada", "ada@example.org")
    play.calm()
    before = len(play.world.calls)
    _, pull = play.opens(ada)
    play.until(lambda: len(play.world.calls) >= before + calls or play.comments(pull))
    play.stage.kill()

    play.world.latency = 0.0
    play.stage.serve()
    play.judged(pull, "failure")

    assert (1, 1, 1) == (len(play.runs(pull)), len(play.labels(pull)), len(play.comments(pull)))


def test_an_outage_of_github_is_waited_for(play):
    ada = play.person("ada", "ada@example.org")
    play.outage.lasts = True
    _, pull = play.opens(ada)
    play.world.hooks.drain()
    play.until(lambda: any(error for _, _, error in play.deliveries("received")))
    assert play.verdict(pull) is None

    play.outage.lasts = False
    play.judged(pull, "failure", within=40)
    assert [] == [row for row in play.deliveries() if row[1] != "done"]


def test_a_broken_rulebook_never_passes_and_says_where(play):
    home = play.world.find_repository("cann", ".github")
    bo = play.person("bo", "bo@example.org")
    play.world.write(home, {".github/countersign.yml": "version: 1\npeople:\n  exmpt: []\n"})
    _, pull = play.opens(bo, "docs", sign_off=True)
    play.judged(pull, "action_required")
    [run] = play.runs(pull)
    assert "line 3" in run.output["summary"]
    assert "exempt" in run.output["summary"]
    assert [] == play.comments(pull), "the author has nothing to do"

    desk = play.person("mender", "m@example.org")
    home.collaborators[desk.account.id] = "write"
    bench = desk.branch(home, "mend")
    bench.commit(
        "Mend the rulebook",
        {".github/countersign.yml": "version: 1\nrepositories:\n  - {match: ['*'], require: dco}\n"},
    )
    bench.git("push", "--quiet", "origin", "HEAD:main")
    play.judged(pull, "success")


def test_a_rulebook_that_cannot_be_read_never_passes(staged):
    play = staged()
    boss = play.person("boss", "boss@example.org").account
    made = play.world.organization("cann", admins=[boss])
    ops = play.world.repository(made, "ops-math")
    play.world.write(
        ops,
        {"README.md": "x", ".github/countersign.yml": "version: 1\nrepositories:\n  - {match: ['*'], require: none}\n"},
    )
    play.world.install(play.stage.app, made, boss, repositories=[ops])
    play.stage.serve()
    ada = play.person("ada", "ada@example.org")
    _, pull = play.opens(ada)

    play.judged(pull, "action_required")
    assert ".github" in play.runs(pull)[0].output["summary"]


def test_an_organisation_that_we_do_not_serve_is_left_alone(play):
    boss = play.world.account("boss")
    other = play.world.organization("elsewhere", admins=[boss])
    home = play.world.repository(other, ".github")
    play.world.write(home, {".github/countersign.yml": "version: 1\n"})
    repository = play.world.repository(other, "thing")
    play.world.write(repository, {"README.md": "x"})
    play.world.install(play.stage.app, other, boss)
    ada = play.person("ada", "ada@example.org")
    fork = play.world.fork(repository, ada.account)
    desk = ada.branch(fork, "fix", of=repository)
    desk.commit("Fix")
    desk.push()
    before = len(play.writes())
    pull = play.world.open_pull(repository, ada.account, "fix", source=fork)
    play.quiet()

    assert before == len(play.writes())
    assert play.verdict(pull) is None


def test_an_account_that_github_does_not_know_holds_up_no_other(staged):
    no_teams = {"COUNTERSIGN_ADMIN_TEAM": "", "COUNTERSIGN_AUDITOR_TEAM": ""}
    play = staged(settings={"COUNTERSIGN_ACCOUNTS": "Nobody-Here, CANN", **no_teams})
    play.community()
    known = play.world.organization("somebody-here", admins=[play.world.account("boss")])
    play.world.repository(known, ".github", files={".github/countersign.yml": "version: 1\n"})
    thing = play.world.repository(known, "thing")
    play.world.install(play.stage.app, known, play.world.account("boss"))
    play.stage.serve()
    ada = play.person("ada", "ada@example.org")
    _, pull = play.opens(ada)
    fork = play.world.fork(thing, ada.account)
    desk = ada.branch(fork, "fix", of=thing)
    desk.commit("Fix")
    desk.push()
    other = play.world.open_pull(thing, ada.account, "fix", source=fork)
    play.judged(pull, "failure")
    assert play.runs(other) == []

    wrong = (
        "COUNTERSIGN_ACCOUNTS: GitHub knows no account 'Nobody-Here': "
        "correct COUNTERSIGN_ACCOUNTS, or use the account's numeric id"
    )
    with urllib.request.urlopen(f"{play.stage.url}/readyz", timeout=60) as answer:
        assert json.load(answer) == {"status": "ready", "warnings": [wrong]}
    [told] = [entry for entry in play.log() if entry["event"] == "accounts.unknown"]
    assert (told["setting"], told["login"], told["why"]) == ("COUNTERSIGN_ACCOUNTS", "Nobody-Here", wrong)

    play.stage.stop()
    play.stage._extra = {"COUNTERSIGN_ACCOUNTS": "Somebody-Here, CANN"}
    play.stage.serve()
    play.judged(other, "failure")


def test_a_server_without_a_known_account_is_not_ready_and_says_why(staged):
    play = staged(settings={"COUNTERSIGN_ACCOUNTS": "nobody-here"})
    play.community()
    ended = threading.Event()
    ended.set()
    play.stage.serve(until=ended)

    def answer():
        try:
            with urllib.request.urlopen(f"{play.stage.url}/readyz", timeout=60) as found:
                return found.status, json.load(found)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)
        except OSError:
            return None, {}

    play.until(lambda: answer()[0] == 503)
    assert answer()[1]["why"] == "GitHub knows none of the accounts in COUNTERSIGN_ACCOUNTS, so nothing is served"


def test_a_renamed_repository_is_followed(play):
    ada = play.person("ada", "ada@example.org")
    desk, pull = play.opens(ada, "docs")
    play.judged(pull, "failure")
    play.world.rename(pull.repository, "tools-docs", play.world.account("boss"))
    play.quiet()
    first = pull.head_sha

    desk.commit("Fix it", amend=True, sign_off=True)
    desk.push(force=True)
    play.until(lambda: pull.head_sha != first)
    play.judged(pull, "success")
    assert [("tools-docs",)] == play.rows("SELECT DISTINCT name FROM pull")


def test_no_personal_data_is_in_the_server_log(play):
    ada = play.person("ada", "canary-ada@example.org", name="Canary Ada")
    _, pull = play.opens(ada, author="Canary Eve <canary-eve@example.org>")
    play.judged(pull, "failure")

    shown = (play.stage.folder / "serve.log").read_text()
    assert play.log(), "nothing was logged"
    assert "canary" not in shown.lower()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"COUNTERSIGN_DATABASE_URL": "postgresql://127.0.0.1:9/none"}, "the database cannot be used"),
        ({"COUNTERSIGN_KEYS_FILE": "", "COUNTERSIGN_KEYS": "k1:short"}, "COUNTERSIGN_KEYS"),
        pytest.param(
            {"COUNTERSIGN_RULEBOOK": "/nowhere/rules.yml"}, "cannot read /nowhere/rules.yml", marks=pytest.mark.nightly
        ),
        (
            {"COUNTERSIGN_PRIVATE_KEY": "-----BEGIN RSA PRIVATE KEY-----\nxx\n-----END RSA PRIVATE KEY-----"},
            "PRIVATE_KEY",
        ),
        ({"COUNTERSIGN_CLIENT_ID": "", "COUNTERSIGN_URL": ""}, "COUNTERSIGN_CLIENT_ID"),
    ],
    ids=["database", "keys", "rulebook", "key", "missing"],
)
def test_a_reason_not_to_serve_is_one_line_and_exit_code_2(staged, change, words):
    play = staged()
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "serve", "--port", str(play.stage.port)],
        env=for_child({**play.stage.environment, **change}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert 2 == ran.returncode, ran.stderr
    assert words in ran.stderr
    assert "Traceback" not in ran.stderr
