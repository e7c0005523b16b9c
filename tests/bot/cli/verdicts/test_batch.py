"""Many lines are judged on all processors, answered in order, and no process is left running."""

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
    return [int(part) for part in found.stdout.split()]


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_answers_are_in_the_order_of_the_lines(lines):
    parts = list(batch.answers(lines, "json"))
    said = "".join(part.text for part in parts).splitlines()
    assert [kind(text) for text in said] == [expected(number) for number in range(COUNT)]
    assert max(part.code for part in parts) == 2
    assert len(parts) > 2


def test_few_lines_start_no_process(lines):
    (only,) = batch.answers(lines[:50], "text")
    assert only.text.splitlines()[:2] == ["failure: DCO failure", "success: DCO success"]
    assert list(batch.answers([], "json")) == []


def test_a_portion_is_bounded_by_its_size_too():
    portions = list(batch._portions([b"x" * 3_000_000] * 5))
    assert [(len(lines), full) for lines, full in portions] == [(2, True), (2, True), (1, False)]


def test_the_lines_at_hand_are_answered_before_more_are_read():
    portions = list(batch._portions([b"1", b"2", b"", b"", b"3"]))
    assert portions == [([b"1", b"2"], False), ([b"3"], False)]


@pytest.mark.parametrize(
    "text", [b"", b"a", b"a\n", b"a\nb", b"\n\n", b"a\r\nb\rc\n", b"a" * 9_000_000 + b"\nb\n" + b"c\n" * 3_000_000]
)
def test_lines_end_at_lf_alone_and_none_is_lost(text, tmp_path):
    path = tmp_path / "facts"
    path.write_bytes(text)
    with path.open("rb") as source:
        assert list(batch.arriving(source)) == [part for part in re.split(rb"(?<=\n)", text) if part]
    with path.open("rb") as source:
        assert b"".join(batch.arriving(source)) == text


@pytest.mark.slow
def test_each_line_of_a_dialogue_is_answered_before_the_next(tmp_path):
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
def test_a_killed_worker_process_exits_with_2_in_one_line(command):
    until(lambda: judges(command))
    os.kill(judges(command)[0], signal.SIGKILL)
    _, said = command.communicate()
    assert command.returncode == 2
    assert said.decode().splitlines()[-1].startswith("countersign: a worker process was stopped")


@pytest.mark.skipif(processes.usable() < 2, reason="one processor judges alone")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_signal_or_kill_ends_the_worker_processes_too(command, number):
    assert command.stdout.read(1), "the judges are at work"
    started = judges(command)
    os.killpg(command.pid, number) if number == signal.SIGINT else command.kill()
    _, said = command.communicate()
    assert b"Traceback" not in said
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started))
