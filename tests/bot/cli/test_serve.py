"""`serve` refuses wrong settings in one line each, waits for its database, and ends when told to."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import timedelta

import pytest
from click.testing import CliRunner
from sqlalchemy import make_url, text

from bot import clock, db
from bot.cli.backup import command as backup
from bot.cli.migrate import command as migrate
from bot.cli.restore import command as restore
from bot.cli.serve import command
from bot.demo.github.webhooks import signature
from bot.demo.servers import DemoServers
from bot.settings import NAMES, for_child
from bot.store.executors import alive as alive_executors
from tests.bot.relay import Relay
from tests.conftest import free_port

NOTHING = dict.fromkeys(name + ending for name in NAMES for ending in ("", "_FILE"))


@pytest.fixture(name="stage")
def _stage(tmp_path):
    """A small GitHub that knows our App, and settings that fit it."""
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port()) as stage:
        stage.world.organization("cann", admins=[stage.world.user("boss")])
        yield stage


def refused(*arguments, **environ):
    """The lines of a start that was refused, exit code 2, without a traceback."""
    result = CliRunner(env={**NOTHING, **environ}).invoke(command, arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    return result.stderr.splitlines()


def test_without_settings_everything_missing_is_named_at_once():
    lines = refused()

    assert len(lines) == 8
    assert all(line.startswith("countersign: COUNTERSIGN_") and " is not set: " in line for line in lines)


def test_the_help_names_every_setting():
    output = CliRunner().invoke(command, ["--help"]).output

    assert all(name in output for name in NAMES)


def test_a_wrong_port_role_ring_or_database_is_one_line(stage):
    given = stage.environment
    assert "--port" in refused("--port", "0", **given)[-1]
    assert "--role" in refused("--role", "king", **given)[-1]
    assert "--role worker needs PostgreSQL" in refused("--role", "worker", **given)[-1]
    (stage.folder / "keys").write_text("x", encoding="utf-8")
    assert "COUNTERSIGN_KEYS" in refused(**given)[-1]


def test_all_mistakes_that_need_no_network_are_refused_together(stage):
    rules = stage.folder / "rules.yml"
    rules.write_text("version: 1\npeeple: {}\n", encoding="utf-8")
    (stage.folder / "keys").write_text("x", encoding="utf-8")
    lines = refused(**stage.environment | {"COUNTERSIGN_ACCOUNTS": " , ", "COUNTERSIGN_RULEBOOK": str(rules)})

    assert [line.split(":")[1].split()[0] for line in lines] == [
        "COUNTERSIGN_ACCOUNTS",
        "COUNTERSIGN_KEYS",
        "COUNTERSIGN_RULEBOOK",
    ]
    assert not (stage.folder / "countersign.db").exists()


@pytest.mark.slow
def test_while_github_is_away_the_server_starts_with_a_warning(stage):
    away = f"http://127.0.0.1:{free_port()}/api/v3"
    process = started(stage, "all", COUNTERSIGN_GITHUB_API_URL=away, COUNTERSIGN_ERASURE_KEY_FILE="/none")
    try:
        until(stage, "all", process, lambda log: answers(stage) and "app.unchecked" in log)
        (line,) = logged(stage, "all", "app.unchecked")
        assert line["why"] == "GitHub did not answer; the App's key is not checked yet"
        said = "COUNTERSIGN_ERASURE_KEY_FILE is not a setting; did you mean COUNTERSIGN_ERASURE_KEYS_FILE?"
        assert [line["why"] for line in logged(stage, "all", "startup.warning")].count(said) == 1
        assert answers(stage)
    finally:
        end(process)


@pytest.mark.nightly
def test_a_github_that_hangs_does_not_delay_the_start(stage):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = started(stage, "all", COUNTERSIGN_GITHUB_API_URL=f"http://127.0.0.1:{silent.getsockname()[1]}/api/v3")
        try:
            until(stage, "all", process, lambda _: answers(stage))
            assert logged(stage, "all", "app.unchecked") == []
            assert delivered(stage) == 202
            process.terminate()
            assert process.wait(timeout=60) == 0
        finally:
            end(process)


@pytest.mark.slow
def test_a_wrong_app_account_or_team_is_reported_while_serving(stage):
    environ = {
        "COUNTERSIGN_APP_ID": str(stage.app.id + 1),
        "COUNTERSIGN_ACCOUNTS": "cann,Nobody-Here",
        "COUNTERSIGN_ADMIN_TEAM": "cann/no-team",
    }
    process = started(stage, "all", **environ)
    try:
        until(stage, "all", process, lambda log: "app.refused" in log)
        (line,) = logged(stage, "all", "app.refused")
        assert line["why"].startswith("COUNTERSIGN_APP_ID, COUNTERSIGN_PRIVATE_KEY: ")
        assert str(stage.app.id + 1) in line["why"]
        with pytest.raises(urllib.error.HTTPError, match="503") as refused_now:
            urllib.request.urlopen(f"{stage.url}/readyz", timeout=5)
        assert json.load(refused_now.value) == {"status": "not ready", "why": line["why"]}
        assert delivered(stage) == 202, "what comes is kept for when the key is right"
    finally:
        end(process)

    process = started(stage, "all", **environ | {"COUNTERSIGN_APP_ID": str(stage.app.id)})
    try:

        def refused():
            return [line for line in logged(stage, "all", "teams.refused") if line["team"] == "cann/no-team"]

        until(stage, "all", process, lambda log: "accounts.unknown" in log and refused())
        # Asked again from time to time: on a busy machine that may be before the team is looked for.
        assert {line["login"] for line in logged(stage, "all", "accounts.unknown")} == {"Nobody-Here"}
        (line,) = refused()
        assert line["why"].startswith(
            "COUNTERSIGN_ADMIN_TEAM: nobody has this role: GitHub shows the App no team cann/no-team"
        )
        assert answers(stage)
    finally:
        end(process)


def logged(stage, role, event):
    """The log's lines of that event."""
    lines = (stage.folder / f"{role}.log").read_text(encoding="utf-8").splitlines()
    return [found for line in lines if line.startswith("{") and (found := json.loads(line))["event"] == event]


def delivered(stage):
    """The status of the answer to a delivery that is to be stored."""
    account = {"id": stage.world.account("cann").id, "login": "cann", "type": "Organization"}
    body = json.dumps({"action": "created", "installation": {"id": 1, "account": account}}).encode()
    headers = {
        "Content-Type": "application/json", "X-GitHub-Event": "installation", "X-GitHub-Delivery": "one",
        "X-Hub-Signature-256": signature(stage.app.webhook_secret, body),
    }  # fmt: skip
    with urllib.request.urlopen(urllib.request.Request(f"{stage.url}/webhook", body, headers), timeout=10) as answer:
        assert json.load(answer) == {"message": "accepted"}
        return answer.status


def test_a_port_in_use_and_an_unknown_host_are_one_line(stage):
    given, port = {**stage.environment, "COUNTERSIGN_ADMIN_TEAM": "", "COUNTERSIGN_AUDITOR_TEAM": ""}, str(stage.port)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", stage.port))
        taken.listen()
        told = f"countersign: port {port} is in use: choose another with --port"
        assert refused("--port", port, **given) == [told]
    told = "countersign: host nowhere.invalid is not known: choose another with --host"
    assert refused("--port", port, "--host", "nowhere.invalid", **given) == [told]


def started(stage, role, *, name="", **environ):
    """The command as a process, its log in a file, named after its role or as given."""
    with (stage.folder / f"{name or role}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", "serve", "--role", role, "--port", str(stage.port)],
            env=for_child({**stage.environment, **environ}), stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip


def until(stage, role, process, ready):
    """Wait until it is ready; its log is shown when it ends before that."""
    for _ in range(1200):
        text = (stage.folder / f"{role}.log").read_text(encoding="utf-8", errors="replace")
        assert process.poll() is None, text
        if ready(text):
            return
        time.sleep(0.1)
    raise AssertionError(text)


def answers(stage, page="readyz"):
    """True once that page answers."""
    try:
        with urllib.request.urlopen(f"{stage.url}/{page}", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_with_exit_code_0_and_signs_its_jobs_off(stage, number):
    process = started(stage, "all")
    try:
        until(stage, "all", process, lambda _: answers(stage))
        assert len(executors(stage)) == 1
        process.send_signal(number)
        assert process.wait(timeout=60) == 0
        assert not answers(stage)
        assert executors(stage) == []
    finally:
        end(process)


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.6, *(pytest.param(wait, marks=pytest.mark.nightly) for wait in (0.2, 1.2))])
def test_a_signal_during_the_start_ends_the_server_with_exit_code_0(stage, wait):
    process = started(stage, "all")
    try:
        until(stage, "all", process, lambda log: "Countersign listens" in log)
        time.sleep(wait)
        process.terminate()
        assert process.wait(timeout=60) == 0
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
    finally:
        end(process)


@pytest.mark.slow
def test_a_second_process_for_an_sqlite_file_is_refused(stage):
    file, environ = stage.settings.database_file, stage.environment
    process = started(stage, "all")
    try:
        until(stage, "all", process, lambda _: answers(stage))
        told = [line for line in refused("--port", str(free_port()), **environ) if "another process" in line]
        assert told == [
            f"countersign: another process of Countersign uses {file}: stop it first; to run several processes, use PostgreSQL"
        ]
        kept = str(stage.folder / "backup")
        assert CliRunner(env=environ).invoke(backup, [kept]).exit_code == 0
        file.rename(stage.folder / "moved.db")
        again = CliRunner(env=environ).invoke(restore, [kept])
        assert (again.exit_code, str(file) in again.stderr, again.stderr.count("\n")) == (2, True, 1)
        assert not file.exists()
        (stage.folder / "moved.db").rename(file)
        end(process)
        process = started(stage, "all")
        until(stage, "all", process, lambda _: answers(stage))
    finally:
        end(process)


def test_an_sqlite_address_that_names_no_file_is_refused(stage):
    """Such an address cannot be locked for one process."""
    (line,) = refused(
        **stage.environment | {"COUNTERSIGN_DATABASE_URL": f"sqlite:///file:{stage.folder}/x.db?uri=true"}
    )
    assert "must name the SQLite file by its path" in line


def executors(stage, url=None):
    """Processes that say that they take jobs."""
    engine = db.open_engine(url or stage.settings.database_url)
    with db.sessions(engine)() as session:
        found = alive_executors(session, since=clock.now() - timedelta(hours=1))
    engine.dispose()
    return list(found)


def end(process):
    """Leave nothing of it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.from_nothing
def test_a_worker_needs_a_migrated_database_and_ends_with_exit_code_0(stage, postgres_url):
    environ = {"COUNTERSIGN_DATABASE_URL": postgres_url}
    assert "run countersign migrate" in refused("--role", "worker", **stage.environment | environ)[-1]
    assert CliRunner(env={**stage.environment, **environ}).invoke(migrate, []).exit_code == 0
    process = started(stage, "worker", **environ)
    try:
        until(stage, "worker", process, lambda log: "worker takes jobs" in log)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    finally:
        end(process)


@pytest.mark.slow
def test_a_worker_answers_probes_and_metrics_on_its_port(stage, postgres_url):
    process = started(stage, "worker", COUNTERSIGN_DATABASE_URL=postgres_url)
    try:
        until(stage, "worker", process, lambda _: answers(stage))
        with urllib.request.urlopen(f"{stage.url}/metrics", timeout=5) as answer:
            assert b'role="worker"' in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{stage.url}/", timeout=5)
        second = started(stage, "worker", name="second", COUNTERSIGN_DATABASE_URL=postgres_url)
        until(stage, "second", second, lambda log: "worker takes jobs" in log)
        (line,) = logged(stage, "second", "worker.no-probes")
        assert line["why"].startswith(f"port {stage.port} is in use")
        for worker in (process, second):
            worker.terminate()
            assert worker.wait(timeout=60) == 0
    finally:
        end(process)
        end(second)


def test_every_log_line_from_start_to_end_is_json(stage):
    process = started(stage, "all")
    until(stage, "all", process, lambda _: answers(stage))
    end(process)
    process = started(stage, "all")
    try:
        until(stage, "all", process, lambda _: answers(stage))
        process.terminate()
        assert process.wait(timeout=60) == 0
    finally:
        end(process)
    lines = [json.loads(line) for line in (stage.folder / "all.log").read_text(encoding="utf-8").splitlines()]
    events = [line["event"] for line in lines]
    assert events[:2] == ["process.starting", "process.started"]
    assert "engine.process-gone" in events
    assert events[-1] == "process.ended"
    assert {line["pid"] for line in lines if line["event"].startswith("process.")} == {process.pid}


def swept(url):
    """Whether a sweep was asked for, with its job."""
    engine = db.open_engine(url)
    try:
        with engine.connect() as connection:
            turns = connection.execute(text("SELECT count(began_at) FROM sweep")).scalar_one()
            jobs = connection.execute(text("SELECT inputs FROM dbos.workflow_input")).scalars()
            return turns == 1 and any('"sweep"' in job for job in jobs)
    finally:
        engine.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("role", ["web", "worker"])
def test_a_replica_waits_for_its_database_and_then_goes_on(stage, postgres_url, role):
    assert (
        CliRunner(env={**stage.environment, "COUNTERSIGN_DATABASE_URL": postgres_url}).invoke(migrate, []).exit_code
        == 0
    )
    url, port = make_url(postgres_url), free_port()
    away = url.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
    process = started(stage, role, COUNTERSIGN_DATABASE_URL=away)
    relay = None
    try:
        until(stage, role, process, lambda log: "; waiting for it" in log)
        if role == "web":
            until(stage, role, process, lambda _: answers(stage, "livez"))
            assert not answers(stage)
        time.sleep(2.5)
        relay = Relay(url.port, port=port)
        until(stage, role, process, lambda log: ("Countersign" in log) and (role == "worker" or answers(stage)))
        # A worker's start, and a web server's, look for what was missed.
        until(stage, role, process, lambda _: swept(postgres_url))
        assert (stage.folder / f"{role}.log").read_text(encoding="utf-8").count("waiting for it") == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    finally:
        end(process)
        if relay:
            relay.close()


@pytest.mark.nightly
def test_a_worker_waits_for_a_database_that_goes_away_during_its_start(stage, postgres_url):
    assert (
        CliRunner(env={**stage.environment, "COUNTERSIGN_DATABASE_URL": postgres_url}).invoke(migrate, []).exit_code
        == 0
    )
    url, log = make_url(postgres_url), stage.folder / "worker.log"
    relay = Relay(url.port, opens=lambda: b"worker takes jobs" not in log.read_bytes())
    away = url.set(host="127.0.0.1", port=relay.port).render_as_string(hide_password=False)
    process = started(stage, "worker", COUNTERSIGN_DATABASE_URL=away)
    try:
        until(stage, "worker", process, lambda log: "waiting for it" in log)
        relay.close()
        assert executors(stage, postgres_url) == []
        relay = Relay(url.port, port=relay.port)
        until(stage, "worker", process, lambda _: executors(stage, postgres_url))
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    finally:
        end(process)
        relay.close()


@pytest.mark.parametrize("role", ["web", "worker"])
def test_a_waiting_replica_ends_with_exit_code_0_when_told_to(stage, role):
    process = started(stage, role, COUNTERSIGN_DATABASE_URL=f"postgresql://x@127.0.0.1:{free_port()}/x")
    try:
        until(stage, role, process, lambda log: "; waiting for it" in log)
        time.sleep(0.5)
        process.terminate()
        assert process.wait(timeout=60) == 0
    finally:
        end(process)
