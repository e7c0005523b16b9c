"""The service record is one row whose moments only go forward."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.exc import SQLAlchemyError

from bot import db
from bot.store import service_record
from bot.store.service_record import LastDelivery

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def now(sessions):
    """What is known."""
    with sessions() as session:
        return service_record.state(session)


def test_a_new_record_knows_no_moment(sessions):
    found = now(sessions)
    values = (
        found.served_since,
        found.delivered_at,
        found.backed_up_at,
        found.lost_deliveries,
        found.lost_since,
        found.asked_at,
    )
    assert values == (None,) * 6


def test_the_first_moment_of_serving_is_kept(sessions):
    with sessions() as session:
        service_record.backed_up(session, at=NOON)
    for at in (NOON + HOUR, NOON, NOON + 2 * HOUR):
        with sessions() as session:
            service_record.served(session, at=at)
    assert (now(sessions).served_since, now(sessions).backed_up_at) == (NOON + HOUR, NOON)


def test_the_latest_backup_is_kept(sessions):
    for at in (NOON, NOON + HOUR, NOON - HOUR):
        with sessions() as session:
            service_record.backed_up(session, at=at)
    assert now(sessions).backed_up_at == NOON + HOUR


def test_lost_deliveries_are_dated_from_the_first_sweep_that_found_them(sessions):
    found = []
    for hours, lost in enumerate((0, 2, 5, 0, 1)):
        with sessions() as session:
            service_record.lost(session, lost, at=NOON + hours * HOUR)
        found.append((now(sessions).lost_deliveries, now(sessions).lost_since))
    assert found == [(0, None), (2, NOON + HOUR), (5, NOON + HOUR), (0, None), (1, NOON + 4 * HOUR)]
    assert now(sessions).asked_at == NOON + 4 * HOUR


def test_the_last_delivery_is_the_latest_of_all_processes(sessions):
    moments = iter((NOON, NOON + HOUR, NOON - HOUR))
    delivery, other = LastDelivery(lambda: next(moments)), LastDelivery(lambda: next(moments))
    delivery.store(sessions)
    assert now(sessions).delivered_at is None
    delivery.note()
    delivery.note()
    delivery.store(sessions)
    assert now(sessions).delivered_at == NOON + HOUR
    other.note()
    other.store(sessions)
    assert now(sessions).delivered_at == NOON + HOUR

    delivery.store(None)  # nothing is new, so no database is asked


def test_a_delivery_that_could_not_be_stored_is_stored_later(sessions, tmp_path):
    last = LastDelivery(lambda: NOON)
    last.note()
    with db.opened(f"sqlite:///{tmp_path / 'empty.db'}") as empty, pytest.raises(SQLAlchemyError):
        last.store(db.sessions(empty))
    last.store(sessions)
    assert now(sessions).delivered_at == NOON
