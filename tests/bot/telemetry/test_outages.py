"""One line a minute about what is away, whatever it causes; the lines of a delivery, and those of other faults, stay."""

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
    """An error as SQLAlchemy raises it when nobody listens."""
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


def test_a_minute_lets_one_through(time):
    """The next one says how many it stands for; the end tells of the rest."""
    minute = Minute(time)
    assert [minute.admits() for _ in range(4)] == [0, None, None, None]
    time.at += MINUTE_SECONDS
    assert (minute.admits(), minute.admits(), minute.end(), minute.admits()) == (3, None, 1, 0)


def test_what_a_database_that_is_away_causes_is_one_line_a_minute(outages, time):
    """Ours, the engine's, with the error at hand or as the cause of another: the first becomes the line, later ones none."""
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


def test_it_is_told_when_the_database_is_back(time):
    """Once, with how long it was away and how many lines that left out."""
    outage = DatabaseOutage(time)
    assert outage.answered() is None
    assert outage.failed("gone")
    assert outage.failed("gone") is None
    time.at += 12
    assert outage.answered() == {"event": "database.back", "seconds": 12, "left_out": 1}
    assert outage.answered() is None
    assert outage.failed("gone") == {"event": "database.away", "why": "gone", "seconds": 0, "left_out": 0}


def test_a_line_about_a_delivery_stays(outages):
    """What became of it is asked later."""
    try:
        raise away()
    except OperationalError:
        lines = [record("webhook.not-stored", delivery=f"g{number}") for number in range(3)]
        assert [outages.filter(one) for one in lines] == [True] * 3
    assert [one.msg["event"] for one in lines] == ["webhook.not-stored"] * 3


def test_other_faults_stay(outages):
    """A mistake of ours is no outage, however often it comes."""
    try:
        int("a mistake")
    except ValueError:
        assert [outages.filter(record("engine.job-failed", job="review")) for _ in range(5)] == [True] * 5


def test_a_library_repeats_itself_once_a_minute(outages):
    """By the line of its code; another line of it is heard."""
    assert [outages.filter(record(line=line)) for line in (1, 1, 2, 1, 2)] == [True, False, True, False, False]
