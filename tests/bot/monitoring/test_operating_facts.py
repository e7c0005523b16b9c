"""From when on each fact is a warning, at its border; what one look finds; spans of time in words."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot import db
from bot.monitoring import operating_facts
from bot.monitoring.operating_facts import OperatingFacts, duration
from bot.store import executors, service_record

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
MB = 1 << 20
WELL = OperatingFacts(
    at=NOON, workers=1, served_since=NOON - HOUR, delivered_at=None, backed_up_at=None, lost_deliveries=0, lost_since=None,
    asked_at=None, database_bytes=MB, disk_free_bytes=None,
)  # fmt: skip
"""A fresh installation: an hour old, with a worker; on PostgreSQL."""


def seen(facts):
    """Which of them are a warning."""
    return [name for name in ("is_backup_due", "is_silent", "is_losing", "is_disk_scarce") if getattr(facts, name)]


def test_a_fresh_installation_misses_nothing():
    assert seen(WELL) == seen(replace(WELL, served_since=None)) == []


@pytest.mark.parametrize("name", ["served_since", "backed_up_at"])
def test_a_backup_is_due_after_a_day_and_a_half(name):
    facts = replace(WELL, **{"served_since": NOON - 900 * HOUR, name: NOON - 36 * HOUR})
    assert seen(facts) == []
    assert seen(replace(facts, at=NOON + SECOND)) == ["is_backup_due"]


def test_deliveries_are_silent_after_five_days_once_one_came():
    facts = replace(WELL, backed_up_at=NOON, delivered_at=NOON - timedelta(days=5))
    assert seen(facts) == []
    assert seen(replace(facts, at=NOON + SECOND)) == ["is_silent"]
    assert seen(replace(facts, at=NOON + SECOND, delivered_at=None)) == []


def test_only_deliveries_that_two_later_sweeps_find_lost_are_lost():
    facts = replace(WELL, lost_deliveries=2, lost_since=NOON, asked_at=NOON, at=NOON + 5 * HOUR)
    found = [seen(replace(facts, asked_at=NOON + timedelta(minutes=minutes))) for minutes in (0, 10, 20)]
    assert found == [[], [], ["is_losing"]]


def test_room_is_scarce_below_twice_the_database_and_a_little_more():
    small, large = replace(WELL, database_bytes=MB), replace(WELL, database_bytes=300 * MB)
    for facts, enough in ((small, 256 * MB), (large, 600 * MB)):
        assert seen(replace(facts, disk_free_bytes=enough)) == []
        assert seen(replace(facts, disk_free_bytes=enough - 1)) == ["is_disk_scarce"]
        assert seen(facts) == []


def test_one_look_reads_memory_workers_and_sizes(engine, sessions):
    with sessions() as session:
        service_record.served(session, at=NOON - 3 * HOUR)
        service_record.backed_up(session, at=NOON - HOUR)
        service_record.lost(session, 4, at=NOON - 2 * HOUR)
        service_record.lost(session, 3, at=NOON - HOUR)
        for name, seconds in (("one", 0), ("two", 29), ("dead", 31)):
            executors.beat(session, name, at=NOON - seconds * SECOND)
    found = operating_facts.read(sessions, engine, at=NOON)

    assert (found.workers, found.served_since, found.backed_up_at) == (2, NOON - 3 * HOUR, NOON - HOUR)
    assert (found.lost_deliveries, found.lost_since, found.asked_at) == (3, NOON - 2 * HOUR, NOON - HOUR)
    assert found.database_bytes == db.size(engine)
    assert (found.disk_free_bytes is None) is (engine.dialect.name == "postgresql")


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (-SECOND, "0 minutes"),
        (61 * SECOND, "1 minute"),
        (2 * HOUR - SECOND, "119 minutes"),
        (2 * HOUR, "2 hours"),
        (48 * HOUR - SECOND, "47 hours"),
        (48 * HOUR, "2 days"),
        (timedelta(days=1400), "1,400 days"),
    ],
)
def test_spans_in_words_are_rounded_down(span, said):
    assert duration(span) == said
