"""`demo` starts, ends by a signal with exit code 0, and reports mistakes in one line."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli.demo import command
from bot.settings import for_child
from tests.conftest import two_free_ports

ROOT = Path(__file__).parents[3]


def refused(*arguments):
    """The one line of a start that was refused with exit code 2."""
    result = CliRunner().invoke(command, ["--no-browser", *arguments])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    return result.stderr


def test_a_port_in_use_is_reported_in_one_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        line = refused("--port", port, "--folder", str(tmp_path / "demo"))

    told = f"countersign: port {port} is in use: choose another with --port (the demo takes it and the next)\n"
    assert line == told


def test_an_unusable_folder_is_reported_in_one_line(tmp_path):
    (tmp_path / "mine.txt").write_text("x")

    told = f"countersign: {tmp_path} is not empty and not the demo's: choose another with --folder\n"
    assert refused("--port", str(two_free_ports()), "--folder", str(tmp_path)) == told
    below = tmp_path / "mine.txt" / "demo"
    told = f"countersign: {below} cannot be used (Not a directory): choose another with --folder\n"
    assert refused("--port", str(two_free_ports()), "--folder", str(below)) == told


def test_a_missing_git_is_reported_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))

    assert refused() == "countersign: the demo needs git, which is not on the PATH: install it and try again\n"


@pytest.mark.parametrize("port", ["0", "65535", "x"])
def test_a_port_without_a_next_one_is_refused(port):
    """The demo takes the port after it, too."""
    assert "--port" in refused("--port", port).splitlines()[-1]


@pytest.fixture(name="running")
def _running(tmp_path):
    """The demo as a process of its own, ready: the process, its port, its log."""
    port, log = two_free_ports(), tmp_path / "log"
    arguments = ["demo", "--no-browser", "--port", str(port), "--folder", str(tmp_path / "demo")]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", *arguments], cwd=ROOT, env=for_child({"PYTHONUNBUFFERED": "1"}),
            stdout=out, stderr=out, start_new_session=True,
        )  # fmt: skip
    try:
        for _ in range(900):
            if "\nready\n" in log.read_text(encoding="utf-8") or process.poll() is not None:
                break
            time.sleep(0.1)
        assert "\nready\n" in log.read_text(encoding="utf-8")
        yield process, port, log
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def listens(port):
    """True when a server answers there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        *(pytest.param(signal_number, marks=pytest.mark.nightly) for signal_number in (signal.SIGTERM, signal.SIGHUP)),
    ],
)
def test_a_signal_ends_the_demo_and_its_server_with_exit_code_0(tmp_path, running, number):
    process, port, log = running
    process.send_signal(number)
    assert process.wait(timeout=40) == 0
    said = log.read_text(encoding="utf-8")
    assert "Traceback" not in said
    assert said.endswith(f"The demo has ended. Its data is in {tmp_path / 'demo'}. The next start replaces it.\n")
    assert not listens(port)
    assert not listens(port + 1)


@pytest.mark.slow
def test_a_killed_demo_leaves_no_server(running):
    process, port, _ = running
    assert listens(port)
    process.kill()
    process.wait()
    for _ in range(400):
        if not listens(port):
            break
        time.sleep(0.1)
    assert not listens(port)


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.0, 2.5, *(pytest.param(wait, marks=pytest.mark.nightly) for wait in (1.0, 4.5))])
def test_ctrl_c_during_the_start_ends_the_demo_with_a_message(tmp_path, wait):
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "demo", "--no-browser", "--port", str(two_free_ports()), "--folder", tmp_path / "demo"],
        cwd=ROOT, env=for_child({}), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline(), "the first line: from here on it is ours, not Python's, to end well"
    time.sleep(wait)
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 0, said
    assert "The demo has ended" in said.splitlines()[-1]
    assert "Traceback" not in said
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
