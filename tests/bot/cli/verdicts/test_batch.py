"""Many lines on all processors: the same answers in the same order, and nothing left running."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from bot.cli.verdicts import batch
from bot.server import processes
from tests.bot.cli.verdicts.test_facts_json import FACTS

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
    parts = list(batch.answers(lines, "json"))
    said = "".join(part.text for part in parts).splitlines()
    assert [kind(text) for text in said] == [expected(number) for number in range(COUNT)]
    assert max(part.code for part in parts) == 2
    assert len(parts) > 2


def test_few_lines_start_no_process(lines):
    """What fits in one portion is judged here."""
    (only,) = batch.answers(lines[:50], "text")
    assert only.text.splitlines()[:2] == ["failure: DCO failure", "success: DCO success"]
    assert list(batch.answers([], "json")) == []


def test_big_lines_make_small_portions():
    """A portion ends after some megabytes, too: memory has an end."""
    portions = list(batch._portions([b"x" * 3_000_000] * 5))
    assert [(len(lines), full) for lines, full in portions] == [(2, True), (2, True), (1, False)]


def test_what_is_there_is_answered_first():
    """A line that is not there yet keeps nobody waiting for the answers before it."""
    portions = list(batch._portions([b"1", b"2", b"", b"", b"3"]))
    assert portions == [([b"1", b"2"], False), ([b"3"], False)]


@pytest.mark.parametrize(
    "text", [b"", b"a", b"a\n", b"a\nb", b"\n\n", b"a\r\nb\rc\n", b"a" * 9_000_000 + b"\nb\n" + b"c\n" * 3_000_000]
)
def test_lines_arrive_as_they_are(text, tmp_path):
    """Lines end at LF alone, and none is lost or cut, whatever their length."""
    path = tmp_path / "facts"
    path.write_bytes(text)
    with path.open("rb") as source:
        assert list(batch.arriving(source)) == [one for one in re.split(rb"(?<=\n)", text) if one]
    with path.open("rb") as source:
        assert b"".join(batch.arriving(source)) == text


def test_asking_and_answering(tmp_path):
    """Somebody who waits for each answer before the next line is not kept waiting."""
    arguments = [sys.executable, "-m", "bot", "evaluate", "--lines", "-"]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for number in range(3):
            process.stdin.write(line(number))
            process.stdin.flush()
            assert kind(process.stdout.readline()) == expected(number)
        many_more = range(3, 700)
        Thread(target=lambda: process.stdin.writelines(map(line, many_more)) or process.stdin.flush()).start()
        assert [kind(process.stdout.readline()) for _ in many_more] == [expected(number) for number in many_more]
        process.stdin.close()
        assert process.wait() == 2


@pytest.mark.skipif(processes.usable() < 2, reason="one processor judges alone")
def test_a_judge_that_was_killed(command):
    """Answers that are not complete end with one line and exit code 2."""
    until(lambda: judges(command))
    os.kill(judges(command)[0], signal.SIGKILL)
    _, said = command.communicate()
    assert command.returncode == 2
    assert said.decode().splitlines()[-1].startswith("countersign: a worker process was stopped")


@pytest.mark.skipif(processes.usable() < 2, reason="one processor judges alone")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_running(command, number):
    """Ctrl-C and a kill of the command end its judges, too."""
    assert command.stdout.read(1), "the judges are at work"
    started = judges(command)
    os.killpg(command.pid, number) if number == signal.SIGINT else command.kill()
    _, said = command.communicate()
    assert b"Traceback" not in said
    until(lambda: not any(Path(f"/proc/{one}").exists() for one in started))
