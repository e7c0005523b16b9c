"""The systemd unit: systemd takes it, finds it well confined, and it says what `countersign serve` takes."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot import serving
from tests.conftest import missing
from tests.deploy.tools import DEPLOY

UNIT = DEPLOY / "systemd/countersign.service"
TEXT = UNIT.read_text(encoding="utf-8")
MOST_EXPOSED = 13
"""Of `systemd-analyze security`, in tenths: 0 is closed, 100 is open to everything."""


@pytest.fixture(name="analyze")
def _analyze():
    found = shutil.which("systemd-analyze")
    if found is None:
        missing("systemd", "no command systemd-analyze")
    return found


def test_systemd_takes_the_unit(analyze, tmp_path):
    unit = tmp_path / UNIT.name
    unit.write_text(TEXT.replace("/usr/local/bin/countersign", str(Path(sys.executable).parent / "countersign")))
    done = subprocess.run([analyze, "verify", "--man=no", unit], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_unit_is_confined(analyze):
    command = [analyze, "security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager", UNIT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout[-300:]


def test_the_unit_starts_serve_and_waits_for_its_end():
    started = re.search(r"^ExecStart=/usr/local/bin/countersign (.*)$", TEXT, re.MULTILINE)[1].split()
    help_text = subprocess.run(
        [sys.executable, "-m", "bot", started[0], "--help"], capture_output=True, text=True, check=True
    ).stdout

    assert [word for word in started[1:] if word.startswith("--") and f" {word} " not in help_text] == []
    assert (
        int(re.search(r"^TimeoutStopSec=(\d+)$", TEXT, re.MULTILINE)[1])
        >= serving.DRAIN_SECONDS + serving.LAST_SECONDS + serving.END_SECONDS
    )
    assert int(re.search(r"^LimitNOFILE=(\d+)$", TEXT, re.MULTILINE)[1]) > serving.MAX_CONNECTIONS


FORBIDS_NEW_CODE = """
import ctypes, os, sys
PR_SET_MDWE, REFUSE_EXEC_GAIN = 65, 1
if ctypes.CDLL(None).prctl(PR_SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0):
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.slow
def test_no_memory_has_to_be_both_written_and_run(tmp_path):
    """MemoryDenyWriteExecute= kills a process that makes code at run time."""
    script = "from bot import app, serving; import granian, cryptography, orjson, nh3, psycopg; print('made')"
    command = [sys.executable, "-c", FORBIDS_NEW_CODE, sys.executable, "-c", script]
    done = subprocess.run(command, cwd=DEPLOY.parent, capture_output=True, text=True, check=False)
    if done.returncode == 77:
        missing("mdwe", "this kernel cannot forbid it (before 6.3)")

    assert (done.returncode, done.stdout) == (0, "made\n"), done.stderr
