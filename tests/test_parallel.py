"""Tests in several processes: each test runs once, a process that breaks off is a failure and not a silence."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot.settings import for_child

ROOT = Path(__file__).parents[1]
MODULE = """
import os, pathlib, pytest

@pytest.fixture(scope="session", autouse=True)
def ended():
    yield
    pathlib.Path(__file__).with_suffix(f".{os.getpid()}").touch()

@pytest.mark.parametrize("number", range(4))
def test_passes(number):
    pathlib.Path(__file__).with_suffix(f".ran{number}").touch(exist_ok=False)

"""
FAILS = "def test_fails():\n    print('said')\n    assert 1 == 2\n"
BREAKS = "def test_breaks():\n    os._exit(0)\n\ndef test_after():\n    pass\n"
SKIPS = "def test_skips():\n    pytest.skip('why not')\n"


def run(folder, *options, **files):
    """Exit code and what is said of a run of these modules in two processes."""
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(MODULE + text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.parallel", "--processes", "2", "-ra", "-p", "no:cacheprovider", *options],
        cwd=folder, env=for_child({"PYTHONPATH": str(ROOT)}), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_all_run_once(tmp_path):
    """In two processes, whose fixtures end; what is skipped and why is said."""
    code, said = run(tmp_path, a="", b="", c=SKIPS)

    assert code == pytest.ExitCode.OK, said
    assert "12 passed, 1 skipped" in said
    assert "SKIPPED [1] test_c.py" in said
    assert len(list(tmp_path.glob("*.ran*"))) == 12
    assert len(list(tmp_path.glob("test_a.[0-9]*"))) == 1


def test_a_failure(tmp_path):
    """It is said with what was printed, and the run has failed."""
    code, said = run(tmp_path, a=FAILS, b="", c="")

    assert code == pytest.ExitCode.TESTS_FAILED
    assert "assert 1 == 2" in said
    assert "said" in said.partition("Captured stdout call")[2]
    assert "1 failed, 12 passed" in said


def test_no_more_after_a_failure(tmp_path):
    """With `-x` all processes stop, and end what they began."""
    code, said = run(tmp_path, "-x", a=FAILS, **{f"z{number}": "" for number in range(20)})

    assert code == pytest.ExitCode.TESTS_FAILED
    assert "stopping after 1 failures" in said
    assert len(list(tmp_path.glob("*.ran*"))) < 80


def test_a_process_breaks_off(tmp_path):
    """What it was running has failed, whatever its code; the rest of its file is run by another."""
    code, said = run(tmp_path, a=BREAKS, b="", c="")

    assert code == pytest.ExitCode.TESTS_FAILED
    assert "the process that ran it ended with code 0" in said
    assert "FAILED test_a.py::test_breaks" in said
    assert "1 failed, 13 passed" in said


def test_all_processes_break_off(tmp_path):
    """That tests are left is said, and no success."""
    code, said = run(tmp_path, a=BREAKS, b=BREAKS, c="")

    assert code == pytest.ExitCode.INTERRUPTED
    assert "no process is left for the other tests" in said


def test_a_module_that_cannot_be_read(tmp_path):
    """Nothing runs, as ever."""
    code, said = run(tmp_path, a="import nowhere_to_be_found\n", b="")

    assert code == pytest.ExitCode.INTERRUPTED
    assert "1 error during collection" in said
