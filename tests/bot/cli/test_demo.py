"""`countersign demo` as a command: ready, ended by Ctrl-C with exit code 0, mistakes in one line."""

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
from tests.conftest import free_port

ROOT = Path(__file__).parents[3]


def test_a_port_in_use_is_one_line(tmp_path):
    """Exit code 2 and what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(command, ["--no-browser", "--port", port, "--folder", str(tmp_path / "demo")])

    assert result.exit_code == 2
    assert f"port {port} is in use" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize("port", ["0", "65535", "x"])
def test_a_port_that_cannot_be(port):
    """The next one must exist, too."""
    result = CliRunner().invoke(command, ["--port", port])

    assert result.exit_code == 2
    assert "--port" in result.stderr.splitlines()[-1]


@pytest.mark.story
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_it(tmp_path, number):
    """Ready within a minute; the signal ends demo and server, exit code 0, no traceback, no process left."""
    port, log = free_port(), tmp_path / "log"
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
        process.send_signal(number)
        assert process.wait(timeout=40) == 0
        assert "Traceback" not in log.read_text(encoding="utf-8")
        assert f"The demo has ended. What it kept is in {tmp_path / 'demo'}" in log.read_text(encoding="utf-8")
        for one in (port, port + 1):
            with socket.socket() as probe:
                assert probe.connect_ex(("127.0.0.1", one)) != 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
