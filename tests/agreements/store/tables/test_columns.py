"""A moment keeps its zone and an id its width on both databases."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Column, MetaData, Table, insert, select
from sqlalchemy.exc import StatementError

from agreements.store.tables.columns import BigId, Moment
from bot import db

SHANGHAI = timezone(timedelta(hours=8))


@pytest.fixture(name="table")
def _table(database_url):
    table = Table("sample", MetaData(), Column("id", BigId, primary_key=True), Column("at", Moment))
    engine = db.open_engine(database_url)
    table.metadata.create_all(engine)
    yield engine, table
    engine.dispose()


def stored(table, at):
    engine, sample = table
    with engine.begin() as connection:
        connection.execute(insert(sample).values(at=at))
        return connection.execute(select(sample.c.id, sample.c.at)).one()


def test_a_moment_comes_back_in_utc_with_microseconds(table):
    row = stored(table, datetime(2026, 11, 21, 8, 0, 0, 123456, SHANGHAI))
    assert row.at == datetime(2026, 11, 21, 0, 0, 0, 123456, UTC)
    assert row.at.utcoffset() == timedelta(0)


def test_a_missing_moment_stays_none(table):
    assert stored(table, None).at is None


def test_a_naive_moment_is_refused(table):
    with pytest.raises(StatementError, match="needs a time zone"):
        stored(table, datetime(2026, 11, 21))


def test_moments_in_other_zones_compare_right_in_queries(table):
    engine, sample = table
    stored(table, datetime(2026, 11, 21, tzinfo=UTC))
    with engine.begin() as connection:
        later = connection.execute(select(sample.c.id).where(sample.c.at <= datetime(2026, 11, 21, 8, tzinfo=SHANGHAI)))
        earlier = connection.execute(
            select(sample.c.id).where(sample.c.at < datetime(2026, 11, 21, 8, tzinfo=SHANGHAI))
        )
        assert (len(later.all()), len(earlier.all())) == (1, 0)


def test_an_id_numbers_itself_and_holds_64_bits(table):
    engine, sample = table
    assert stored(table, None).id == 1
    with engine.begin() as connection:
        connection.execute(insert(sample).values(id=2**62))
        assert connection.execute(select(sample.c.id).order_by(sample.c.id.desc())).scalars().first() == 2**62
