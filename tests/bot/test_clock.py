"""The clock that counts: this machine's, or that of the database server that others share."""

from datetime import timedelta

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from bot import clock, db

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _our_own_again():
    yield
    clock.follow(clock.machine(), asked=clock.machine())


@pytest.mark.parametrize("off", [HOUR, -HOUR], ids=["behind", "ahead"])
def test_a_changed_offset_of_the_clock_is_followed_and_told_once(off):
    assert clock.follow(clock.machine() + off, asked=clock.machine()) == pytest.approx(-off, abs=timedelta(seconds=1))
    assert clock.now() - clock.machine() == pytest.approx(off, abs=timedelta(seconds=1))
    assert clock.machine_ahead() == pytest.approx(-off, abs=timedelta(seconds=1))
    assert clock.follow(clock.machine() + off, asked=clock.machine()) is None

    assert clock.follow(clock.machine(), asked=clock.machine()) == timedelta(0)
    assert clock.now() - clock.machine() < timedelta(seconds=1)


def test_a_small_offset_and_a_slow_answer_are_ignored():
    near = clock.TOLERATED_DIFFERENCE - timedelta(seconds=0.5)
    assert clock.follow(clock.machine() + near, asked=clock.machine()) is None
    assert clock.follow(clock.machine() + HOUR, asked=clock.machine() - timedelta(seconds=5)) is None
    assert clock.machine_ahead() == timedelta(0)


def test_all_processes_on_postgresql_go_by_its_clock(postgres_url):
    own = db.open_engine(postgres_url)
    with own.begin() as connection:
        connection.execute(text("CREATE SCHEMA wrong"))
        connection.execute(
            text(
                "CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql"
                " AS $$ SELECT pg_catalog.clock_timestamp() - interval '1 hour' $$"
            )
        )
    there = "&" if "?" in postgres_url else "?"
    wrong = db.open_engine(f"{postgres_url}{there}options=-csearch_path%3Dwrong,pg_catalog,public")
    with capture_logs() as log:
        for _ in range(2):
            with wrong.connect():
                assert clock.now() - clock.machine() == pytest.approx(-HOUR, abs=timedelta(seconds=1))
            wrong.dispose()
    assert [(line["event"], line["seconds"]) for line in log] == [("clock.wrong", 3600)]

    own.dispose()
    with capture_logs() as log, own.connect():
        assert clock.now() - clock.machine() < timedelta(seconds=1)
    assert [line["event"] for line in log] == ["clock.right"]
    own.dispose()
