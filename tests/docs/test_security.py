"""docs/reference/security.md tells the limits that there are."""

import csv
import re
from datetime import timedelta
from pathlib import Path

from agreements.store.people import documents, email_codes
from agreements.vault import one_time_code
from bot.github.client import requester_pool
from bot.pdf import typesetter, typesetter_worker
from bot.portal.admin import texts
from bot.portal.api import api_answers, routes
from bot.portal.contributor import own_data
from bot.portal.forms import typed_values
from bot.portal.session import login
from bot.rulebook import yaml_document as rule_files
from bot.store import portal_sessions

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/reference/security.md").read_text(encoding="utf-8")


def section(title):
    """What stands below that heading."""
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_each_risk_names_tests_that_there_are():
    with (ROOT / "docs/reference/security-risks.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))

    assert len(rows) == 24
    assert [name for row in rows for name in row["shown by"].split(", ") if not (ROOT / name).exists()] == []


def test_each_request_limit_is_told():
    modules = list((ROOT / "bot/portal").rglob("*.py"))
    used = {
        limit for path in modules for limit in re.findall(r'"(\d+ per minute[^"]*)"', path.read_text(encoding="utf-8"))
    }
    with (ROOT / "docs/reference/routes.csv").open(encoding="utf-8", newline="") as lines:
        listed = {row["limit"] for row in csv.DictReader(lines)} - {""}

    assert "300 a minute for a network address" in section("Limits")
    assert "600 a minute for a token; 60 a minute for a network address" in section("Limits")
    assert used == listed | {routes.RATE_LIMIT, routes.UNAUTHENTICATED_RATE_LIMIT}
    assert (login.RATE_LIMIT, routes.RATE_LIMIT, routes.UNAUTHENTICATED_RATE_LIMIT) == (
        "300 per minute",
        "600 per minute",
        "60 per minute",
    )


def test_the_limits_are_those_of_the_code():
    minutes = timedelta(minutes=1)

    assert f"{email_codes.MAX_CODES_AN_HOUR} an hour and {email_codes.MAX_CODES_A_DAY} a day" in section("Limits")
    assert f", {email_codes.MAX_CODES_AN_ADDRESS} an hour to one address; " in section("Limits")
    assert f"; {email_codes.MAX_CODES_TO_ADDRESS} an hour to an address from all accounts; " in section("Limits")
    assert (email_codes.MAX_CODE_ATTEMPTS, email_codes.CODE_LIFETIME, len(one_time_code())) == (5, 10 * minutes, 8)
    assert (
        f"{portal_sessions.IDLE_TIMEOUT // minutes} minutes idle, {portal_sessions.MAX_LIFETIME // (60 * minutes)} hours in all"
        in section("Ways in")
    )
    assert own_data.SIGN_IN_MAX_AGE == 10 * minutes
    assert (
        f"{typesetter.TIMEOUT_SECONDS} seconds, {typesetter_worker.MAX_ADDRESS_SPACE_BYTES // 1024**3} GiB"
        in section("Limits")
    )
    assert requester_pool.TIMEOUT_SECONDS == 10
    taken = section("What is taken")
    assert f"at most {documents.MAX_DOCUMENT_BYTES // 1024**2} MB" in taken
    assert f"at most {texts.MAX_TEXT_CHARACTERS:,} characters" in taken
    assert f"1 to {typed_values.MAX_REASON_CHARACTERS:,} characters" in taken
    assert f"at most {rule_files.MAX_DOCUMENT_CHARACTERS // 1024} KiB" in taken
    assert f"at most {api_answers.MAX_VALUE_CHARACTERS} characters" in taken
