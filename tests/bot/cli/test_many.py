"""Many lines on all processors: the same answers in the same order, and nothing left running."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.cli import many
from tests.bot.cli.test_facts_json import FACTS

COUNT = 2_000


@pytest.fixture(scope="module")
def lines():
    """Facts of which every third is red and every hundredth wrong."""
    return [line(number) for number in range(COUNT)]


def line(number):
    if number % 100 == 99:
        return b"no facts\n"
    message = "Add" if number % 3 == 0 else "Add\n\nSigned-off-by: Ada <ada@huawei.com>"
    commits = [{**FACTS["commits"][0], "message": message}]
    return json.dumps({**FACTS, "commits": commits}).encode() + b"\n"


def kind(text):
    answer = json.loads(text)
    return "error" if "error" in answer else answer["conclusion"]


def expected(number):
    return "error" if number % 100 == 99 else "failure" if number % 3 == 0 else "success"


@pytest.fixture
def command(tmp_path, lines):
    """The real command on enough lines to keep it busy, in a process group of its own."""
    path = tmp_path / "facts.jsonl"
    path.write_bytes(b"".join(lines * 10))
    arguments = [sys.executable, "-m", "bot", "evaluate", "--lines", str(path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        yield process
        if process.poll() is None:
            process.kill()


def judges(process):
    """The processes that judge for this one."""
    found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
    return [int(one) for one in found.stdout.split()]


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_answers_are_in_order(lines):
    """Every line has its answer at its place, however many processes there are."""
    parts = list(many.answers(lines, "json"))
    said = "".join(part.text for part in parts).splitlines()
    assert [kind(text) for text in said] == [expected(number) for number in range(COUNT)]
    assert max(part.code or 0 for part in parts) == 2
    assert len(parts) > 2


def test_few_lines_start_no_process(lines):
    """What fits in one portion is judged here."""
    (only,) = many.answers(lines[:50], "text")
    assert only.text.splitlines()[:2] == ["failure: DCO failure", "success: DCO success"]
    assert list(many.answers([], "json")) == []


def test_big_lines_make_small_portions():
    """A portion ends after some megabytes, too: memory has an end."""
    assert [len(portion) for portion in many._portions([b"x" * 3_000_000] * 5)] == [2, 2, 1]


@pytest.mark.skipif(many._processors() < 2, reason="one processor judges alone")
def test_a_judge_that_was_killed(command):
    """Answers that are not complete end with one line and exit code 2."""
    until(lambda: judges(command))
    os.kill(judges(command)[0], signal.SIGKILL)
    _, said = command.communicate()
    assert command.returncode == 2
    assert said.decode().splitlines()[-1].startswith("countersign: a process that judged was stopped")


@pytest.mark.skipif(many._processors() < 2, reason="one processor judges alone")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(command, number):
    """Ctrl-C and a kill of the command end its judges, too."""
    assert command.stdout.read(1), "the judges are at work"
    started = judges(command)
    os.killpg(command.pid, number) if number == signal.SIGINT else command.kill()
    _, said = command.communicate()
    assert b"Traceback" not in said
    until(lambda: not any(Path(f"/proc/{one}").exists() for one in started))
