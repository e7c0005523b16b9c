"""An outage is one line a minute, with all its effects; lines of a delivery, and of other faults, stay."""

import logging

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from bot import db
from bot.telemetry.outages import MINUTE_SECONDS, REPLACEMENT_ATTRIBUTE, DatabaseOutage, Minute, Outages


class Time:
    """A clock that is set."""

    at = 100.0

    def __call__(self):
        """The moment."""
        return self.at


def away():
    """The error that SQLAlchemy raises when no database listens."""
    return OperationalError("SELECT 1", {}, psycopg.OperationalError("connection refused"))


def record(event=None, *, name="dbos", line=7, error=None, **fields):
    """A library's record, or with `event` one of ours."""
    info = (type(error), error, None) if error else None
    message = (
        "tried again in 1.2 s" if event is None else {"event": event, "level": "warning", "timestamp": "now", **fields}
    )
    return logging.LogRecord(name, logging.WARNING, "dbos/_queue.py", line, message, None, info)


@pytest.fixture(name="time")
def _time():
    return Time()


@pytest.fixture(name="outages")
def _outages(time):
    return Outages(db.outage, DatabaseOutage(time))


def test_one_line_a_minute_passes_and_counts_the_others(time):
    minute = Minute(time)
    assert [minute.admits() for _ in range(4)] == [0, None, None, None]
    time.at += MINUTE_SECONDS
    assert (minute.admits(), minute.admits(), minute.end(), minute.admits()) == (3, None, 1, 0)


def test_an_outage_of_the_database_is_one_line_a_minute(outages, time):
    first = record(error=away())
    assert outages.filter(first)
    assert first.__dict__[REPLACEMENT_ATTRIBUTE] == {
        "event": "database.away",
        "why": "the database does not answer",
        "seconds": 0,
        "left_out": 0,
    }
    assert first.exc_info is None
    try:
        raise away()
    except OperationalError:
        assert [outages.filter(record("engine.chore-failed", chore="reap")) for _ in range(9)] == [False] * 9
    wrapped = RuntimeError("no job")
    wrapped.__cause__ = away()
    assert not outages.filter(record(error=wrapped, line=8))

    time.at += MINUTE_SECONDS
    try:
        raise away()
    except OperationalError:
        again = record("engine.chore-failed", chore="reap")
        assert outages.filter(again)
    assert again.msg == {
        "event": "database.away", "why": "the database does not answer", "seconds": 60, "left_out": 10,
        "level": "warning", "timestamp": "now",
    }  # fmt: skip


def test_the_end_of_an_outage_is_told_once_with_its_length(time):
    outage = DatabaseOutage(time)
    assert outage.answered() is None
    assert outage.failed("gone")
    assert outage.failed("gone") is None
    time.at += 12
    assert outage.answered() == {"event": "database.back", "seconds": 12, "left_out": 1}
    assert outage.answered() is None
    assert outage.failed("gone") == {"event": "database.away", "why": "gone", "seconds": 0, "left_out": 0}


def test_a_line_about_a_delivery_is_never_left_out(outages):
    try:
        raise away()
    except OperationalError:
        lines = [record("webhook.not-stored", delivery=f"g{number}") for number in range(3)]
        assert [outages.filter(line) for line in lines] == [True] * 3
    assert [line.msg["event"] for line in lines] == ["webhook.not-stored"] * 3


def test_lines_about_other_faults_are_never_left_out(outages):
    def fails():
        try:
            int("a mistake")
        finally:
            admitted.extend(outages.filter(record("engine.job-failed", job="review")) for _ in range(5))

    admitted = []
    with pytest.raises(ValueError, match="a mistake") as fault:
        fails()
    admitted += [outages.filter(record("engine.job-failed", exc_info=fault.value)) for _ in range(5)]
    assert admitted == [True] * 10


def test_a_librarys_line_repeats_once_a_minute(outages):
    assert [outages.filter(record(line=line)) for line in (1, 1, 2, 1, 2)] == [True, False, True, False, False]
