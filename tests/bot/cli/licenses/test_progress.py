"""Progress is shown on a terminal alone."""

import os
import pty
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
from bot.licenses.checkouts import AuditProgress
from bot.cli.licenses import progress
with progress.bars() as told:
    for number, name in enumerate(("cann/ops\\x1b[2Jx[red]", "n" * 90), 1):
        told(AuditProgress(name, number, 2))
        told(AuditProgress(name, number, 2, done=4000))
        told(AuditProgress(name, number, 2, done=3, asked=7))
"""


def on_a_terminal(program: str) -> str:
    """What a program writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160"}  # noqa: TID251 - a process of its own
    with subprocess.Popen([sys.executable, "-c", program], stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the terminal is gone
                break
            if not piece:
                break
            shown += piece
        assert process.wait() == 0, shown
    os.close(ours)
    return shown.decode()


def test_a_terminal_shows_progress_and_obeys_no_name():
    shown = on_a_terminal(PROGRAM)

    assert "asking for nnn" in shown
    assert "…" in shown
    assert "3/7 licences asked of registries" in shown
    assert "2/2" in shown
    assert "\x1b[2J" not in shown


def test_nothing_is_written_without_a_terminal():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True)

    assert (done.stdout, done.stderr) == (b"", b"")
