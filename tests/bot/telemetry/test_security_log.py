"""Every security event is one line, with the fields that the code lists, and none of them is personal."""

import ast
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.telemetry import security_log
from bot.telemetry.security_log import (
    FIELDS,
    MAX_LINES_PER_EVENT,
    MAX_LINES_PER_VISITOR,
    MEANINGS,
    Event,
    LogRateLimit,
    tell,
)

ROOT = Path(__file__).parents[3]
PERSONAL = {"login", "email", "address", "name", "ip"}


def calls():
    """Each call of `tell` in the product: the event's name in the code, and its keywords."""
    for path in sorted((ROOT / "bot").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            told = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "tell"
            if told and ast.unparse(node.func) == "security_log.tell":
                yield (
                    Event[ast.unparse(node.args[0]).removeprefix("Event.")],
                    {keyword.arg for keyword in node.keywords},
                )


@pytest.mark.slow
def test_every_security_event_is_told_somewhere_with_its_fields():
    told = list(calls())
    assert {event for event, _ in told} == set(Event) == set(FIELDS)
    assert [(event, names) for event, names in told if names != set(FIELDS[event])] == []


def test_no_field_is_personal():
    assert PERSONAL.isdisjoint(name for names in FIELDS.values() for name in names)


def test_every_event_has_a_meaning():
    assert set(MEANINGS) == set(Event)


def test_a_line_has_its_name_level_and_fields():
    with capture_logs() as lines:
        tell(Event.ACCESS_REFUSED, account=11, endpoint="admin.log", needs="reader", status=404)
    assert lines == [
        {"event": "access.refused", "log_level": "warning", "account": 11, "endpoint": "admin.log", "needs": "reader", "status": 404}
    ]  # fmt: skip


def test_a_flood_is_bounded_by_visitor_event_and_in_all(monkeypatch):
    bound, now = LogRateLimit(), 6000.0
    monkeypatch.setattr(security_log, "monotonic", lambda: now)
    admitted = [bound.admits(Event.REQUEST_REFUSED, "account 1") for _ in range(2 * MAX_LINES_PER_VISITOR)]
    assert admitted == [True] * MAX_LINES_PER_VISITOR + [False] * MAX_LINES_PER_VISITOR
    assert bound.admits(Event.ACCESS_REFUSED, "account 1")

    assert (
        sum(bound.admits(Event.REQUEST_REFUSED, f"address {number}") for number in range(2 * MAX_LINES_PER_EVENT))
        == MAX_LINES_PER_EVENT - MAX_LINES_PER_VISITOR
    )
    assert len(bound._counts) <= MAX_LINES_PER_EVENT + 4
    now += 60
    assert bound.admits(Event.REQUEST_REFUSED, "account 1")
    assert len(bound._counts) == 2
