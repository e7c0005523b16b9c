"""Logs are JSON lines without addresses and tokens, also inside tracebacks."""

import json
import subprocess
import sys
from datetime import datetime, timedelta

import pytest

from bot.logs import scrubbed

PROGRAM = """
import logging, structlog
from bot import logs
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
    """Our own entries, exceptions and libraries' entries all pass the same scrubber; each is one line, with the time in UTC."""
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    shown = ran.stderr

    entries = [json.loads(line) for line in shown.splitlines()]
    assert ["signed", "failed", "mail to [address]", "refused"] == [entry["event"] for entry in entries]
    assert all(datetime.fromisoformat(entry["timestamp"]).utcoffset() == timedelta(0) for entry in entries)
    assert ran.stdout == ""
    assert "ValueError" in entries[1]["exception"]
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
def test_what_is_blotted_out(text, expected):
    """Addresses and tokens of every shape go, the rest stays."""
    assert expected == scrubbed(text)
