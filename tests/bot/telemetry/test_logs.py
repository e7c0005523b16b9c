"""Logs are JSON lines without addresses and tokens, also inside tracebacks."""

import json
import subprocess
import sys
from datetime import datetime, timedelta

import pytest

from bot.telemetry.logs import scrubbed

PROGRAM = """
import logging, structlog
from bot.telemetry import logs
logs.begin()
log = structlog.get_logger("bot.x")
log.info("signed", who="ada@huawei.com", token="ghs_12_abcdefghijklmnopqrstuvwxyz.abc.def")
try:
    raise ValueError("bad address ada@huawei.com")
except ValueError:
    log.exception("failed")
logging.getLogger("library").warning("mail to %s", "bo@x.org")
log.info("refused", why="a\\n{\\"event\\": \\"forged\\"}")
"""


def test_every_line_is_json_without_personal_data():
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    shown = ran.stderr

    entries = [json.loads(line) for line in shown.splitlines()]
    assert ["signed", "failed", "mail to [address]", "refused"] == [entry["event"] for entry in entries]
    assert all(datetime.fromisoformat(entry["timestamp"]).utcoffset() == timedelta(0) for entry in entries)
    assert ran.stdout == ""
    assert (entries[1]["why"], entries[1]["at"]) == ("ValueError", ["<string>:8 <module>"])
    assert "bad address" not in shown
    assert entries[2]["logger"] == "library"
    assert not [word for word in ("ada@", "bo@", "ghs_") if word in shown]


def test_an_entry_that_cannot_be_written_is_lost():
    """Python would print it beside, with the exception at hand and all its values."""
    program = PROGRAM.replace(
        "logs.begin()", "logs.begin(); logging.getLogger().handlers[0].stream = open('/dev/null')"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert (ran.stdout, ran.stderr) == ("", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("to ada@huawei.com now", "to [address] now"),
        ("<a+b@x.org>", "<[address]>"),
        ("名字@例子.公司", "[address]"),
        ("Bearer ghs_123_eyJhbGciOi.abc.def", "Bearer [token]"),
        ("jwt eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjF9.c2ln", "jwt [token]"),
        ("github_pat_11ABCDEFG0123456789_abc", "[token]"),
    ],
)
def test_addresses_and_tokens_of_every_shape_are_blotted_out(text, expected):
    assert expected == scrubbed(text)


PYTHON_PRINTS = """
import threading, warnings
from bot.telemetry import logs
logs.begin()
logs.hear_python()
warnings.warn("old way of ada@huawei.com\\nto do it", FutureWarning)
def fail():
    raise KeyError("ghs_12_abcdefghijklmnopqrstuvwxyz")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
class Broken:
    def __del__(self):
        raise OSError("bo@x.org")
Broken()
import asyncio
async def lost():
    asyncio.get_running_loop().call_soon(fail)
    await asyncio.sleep(0.01)
asyncio.run(lost())
raise LookupError("no such value")
"""


def test_lines_that_python_prints_itself_are_json_without_their_text():
    ran = subprocess.run([sys.executable, "-c", PYTHON_PRINTS], capture_output=True, text=True, check=False)

    entries = [json.loads(line) for line in ran.stderr.splitlines()]
    assert ran.returncode == 1
    said = [(entry["event"].partition(" ")[0], entry.get("kind") or entry["why"]) for entry in entries]
    assert said == [
        ("python.warning", "FutureWarning"),
        ("process.uncaught", "KeyError"),
        ("process.uncaught", "OSError"),
        ("Exception", "KeyError"),
        ("process.uncaught", "LookupError"),
    ]
    assert entries[0]["why"] == "old way of [address] to do it"
    assert entries[1]["at"][-1].endswith(" fail")
    assert not [word for word in ("ada@", "bo@", "ghs_", "no such value") if word in ran.stderr]


@pytest.mark.slow
def test_lines_below_the_level_are_not_written():
    program = """
import logging, structlog
from bot.telemetry import logs
logs.begin("{level}")
log = structlog.get_logger("bot.x")
log.debug("one"); log.info("two"); log.warning("three")
logging.getLogger("library").info("four")
"""
    for level, expected in (("debug", ["one", "two", "three"]), ("warning", ["three"])):
        ran = subprocess.run(
            [sys.executable, "-c", program.replace("{level}", level)], capture_output=True, text=True, check=True
        )
        assert [json.loads(line)["event"] for line in ran.stderr.splitlines()] == expected


def test_a_long_message_of_a_library_is_cut_and_scrubbed():
    program = """
import logging, structlog
from bot.telemetry import logs
logs.begin()
logging.getLogger("dbos").warning("first\\n  second " + "x" * 5000)
structlog.get_logger("bot.x").warning("listed", those=["ada@huawei.com", {"to": "bo@x.org"}])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    long, listed = (json.loads(line) for line in ran.stderr.splitlines())
    assert (long["event"][:13], len(long["event"])) == ("first second ", 301)
    assert listed["those"] == ["[address]", {"to": "[address]"}]
