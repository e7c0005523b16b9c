"""A failed job waits before its next try, and one cause is one line."""

from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from bot.job_queue import Job
from bot.jobs import retries
from bot.jobs.retries import FailureLog

AWAY = OperationalError("SELECT 1", {}, Exception("connection refused"))


def test_waits_grow_to_a_bound_and_begin_short_after_an_outage():
    assert [retries.wait(tries).total_seconds() for tries in (1, 2, 3, 4, 5, 300)] == [5, 15, 45, 135, 300, 300]
    assert retries.wait(1, ValueError("x")).total_seconds() == 5
    after = [retries.wait(tries, AWAY).total_seconds() for tries in (1, 2, 3, 6, 7, 300)]
    assert after == [1, 3, 9, 243, 300, 300]
    assert retries.MAX_RETRY_WAIT == timedelta(minutes=5)


def fail(error):
    """Raise it here."""
    raise error


def fail_elsewhere(error):
    """Raise it at another line."""
    raise error


def raised(error, by=fail):
    """That error with the line that raised it."""
    with pytest.raises(type(error)) as found:
        by(error)
    return found.value


def test_one_cause_is_one_line_a_minute():
    seconds = [0.0]
    failures = FailureLog(lambda: seconds[0])
    with capture_logs() as lines:
        for number in range(9):
            for _ in range(3):
                failures.failed(Job("sweep-installation", (number, 7, 1)), f"id{number}", raised(ValueError("secret")))
        failures.failed(Job("sweep", (1, 1)), "other", raised(ValueError("x"), by=fail_elsewhere))
        failures.failed(Job("sweep", (1, 1)), "other", raised(KeyError("x")))
        seconds[0] = 61.0
        failures.failed(Job("sweep", (1, 1)), "id10", raised(ValueError("secret")))

    assert [(line["event"], line["job_id"], line["why"], line["left_out"]) for line in lines] == [
        ("engine.job-failed", "id0", "ValueError", 0),
        ("engine.job-failed", "other", "ValueError", 0),  # at another line of code
        ("engine.job-failed", "other", "KeyError", 0),
        ("engine.job-failed", "id10", "ValueError", 26),
    ]
    assert "secret" not in str(lines)


def test_each_failure_of_an_outage_is_given_to_the_log():
    """The log writes one line about the database and counts these."""
    failures = FailureLog()
    with capture_logs() as lines:
        for _ in range(3):
            failures.failed(Job("review", (1,)), "id", raised(AWAY))
    assert len(lines) == 3


def test_only_so_many_causes_are_remembered(monkeypatch):
    monkeypatch.setattr(retries, "_MAX_CAUSES", 3)
    failures = FailureLog()
    with capture_logs() as lines:
        for kind in (ValueError, KeyError, OSError, TypeError, ValueError):
            failures.failed(Job("review", (1,)), "id", raised(kind("x")))
    assert len(lines) == 5
    assert len(failures._causes) <= 3
