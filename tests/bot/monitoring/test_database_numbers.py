"""The numbers that stand in the database, as one look reads them; what a look that fails leaves behind."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from structlog.testing import capture_logs

from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.job_queue import Job
from bot.jobs.durable import DurableEngine
from bot.monitoring.database_numbers import DatabaseNumbers
from bot.store import executors, inbox, service_record, sweeps
from bot.store.inbox import ReviewDelivery
from bot.store.pulls import paused_items, posts
from bot.store.service_record import LastDelivery
from bot.telemetry import metrics, outages
from tests.bot import deliveries
from tests.bot.jobs.inline import InlineEngine
from tests.within import within

NOW = clock.now()


@pytest.fixture(name="last")
def _last():
    """What this process noted."""
    return LastDelivery(lambda: NOW)


@pytest.fixture(name="numbers")
def _numbers(engine, last):
    DurableEngine(engine, executor_id="test").prepare()
    return DatabaseNumbers(engine, lambda: NOW, last)


def shown(gauge, *labels):
    """What a scrape would read."""
    return (gauge.labels(*labels) if labels else gauge)._value.get()


def test_an_empty_database_has_zeros_and_its_size(numbers):
    numbers.refresh()
    gauges = (metrics.DELIVERIES_WAITING, metrics.OLDEST_DELIVERY, metrics.LEDGER_ENTRIES, metrics.LEDGER_NEWEST, metrics.LEDGER_LAG, metrics.SWEEP_SUCCESS)  # fmt: skip
    assert [shown(gauge) for gauge in gauges] == [0] * len(gauges)
    assert shown(metrics.DATABASE_SIZE) > 10_000
    assert (shown(metrics.DATABASE_UP), shown(metrics.DATABASE_LOOKED)) == (1, NOW.timestamp())


def test_waiting_deliveries_and_jobs_are_counted_and_delayed_ones_are_not(numbers, engine, sessions):
    jobs = DurableEngine(engine, executor_id="one")
    for guid, minutes in (("old", 10), ("new", 1), ("lost", 30)):
        with sessions() as session:
            item = ReviewDelivery(guid=guid, event="installation", ids={"kind": "InstallationChanged"})
            deliveries.store(session, InlineEngine(), item, at=NOW - timedelta(minutes=minutes))
    with sessions() as session:
        inbox.failed(session, "lost")
        for queue, delay in (("now", 0), ("now", 0), ("later", 0), ("later", 60)):
            jobs.enqueue(session, Job("review", (1,), queue, timedelta(seconds=delay)))
        executors.beat(session, "one", at=NOW)
        executors.beat(session, "dead", at=NOW - timedelta(minutes=5))
        sweeps.begin(session, at=NOW - timedelta(minutes=3), every=timedelta(minutes=1))

        for number in range(20):
            posts.post(session, InlineEngine(lambda: NOW), deliveries.pull_request(1, number))

    numbers.refresh()

    assert (shown(metrics.DELIVERIES_WAITING), shown(metrics.DELIVERIES_FAILED)) == (2, 1)
    assert shown(metrics.OLDEST_DELIVERY) == pytest.approx(600, abs=1)
    assert (shown(metrics.JOBS_WAITING, "now"), shown(metrics.JOBS_WAITING, "later")) == (22, 1)
    assert shown(metrics.WORKERS_ALIVE) == 1
    assert shown(metrics.SWEEP_SUCCESS) == pytest.approx((NOW - timedelta(minutes=3)).timestamp(), abs=1)


def test_the_log_tells_its_length_newest_entry_and_uncovered_age(numbers, sessions):
    vault = Vault(KeyRing.parse(KeyRing.generate("k1")))
    with sessions() as session:
        for number, minutes in enumerate((9, 6, 2)):
            change = Change(kind="test.done", actor_id=7, subject=SERVER)
            within(session, vault, NOW - timedelta(minutes=minutes), f"entry{number}").append(change)
    numbers.refresh()
    assert (shown(metrics.LEDGER_ENTRIES), shown(metrics.LEDGER_LAG)) == (3, 0)
    assert shown(metrics.LEDGER_NEWEST) == pytest.approx((NOW - timedelta(minutes=2)).timestamp(), abs=1)

    with sessions() as session:  # written by an attacker, who cannot sign them
        last = session.get(LedgerEntry, 2).model_dump()
        for number, minutes in ((3, 6), (4, 1)):
            forged = {"number": number, "id": f"forged{number}", "at": NOW - timedelta(minutes=minutes)}
            session.add(LedgerEntry(**last | forged))
    numbers.refresh()
    assert (shown(metrics.LEDGER_ENTRIES), shown(metrics.LEDGER_LAG)) == (5, pytest.approx(360, abs=1))


def test_a_database_that_is_away_is_down_with_its_last_numbers(tmp_path):
    engine = db.open_engine(f"sqlite:///{tmp_path / 'none.db'}")
    numbers = DatabaseNumbers(engine, lambda: NOW, LastDelivery(lambda: NOW))
    metrics.DELIVERIES_WAITING.set(17)
    with pytest.raises(SQLAlchemyError):
        numbers.refresh()
    assert (shown(metrics.DATABASE_UP), shown(metrics.DELIVERIES_WAITING)) == (0, 17)
    engine.dispose()


@pytest.fixture(name="worker")
def _worker(sessions):
    """One that lives."""
    with sessions() as session:
        executors.beat(session, "worker", at=NOW)


@pytest.mark.usefixtures("worker")
def test_a_regular_look_tells_that_the_database_is_back(numbers):
    outages.DATABASE.failed("gone")
    with capture_logs() as lines:
        numbers.refresh()
        numbers.refresh()
    assert [(line["event"], line["left_out"]) for line in lines] == [("database.back", 0)]


@pytest.mark.usefixtures("worker")
def test_the_moments_of_the_service_are_written_and_0_is_unknown(numbers, last, sessions):
    gauges = (metrics.SERVED_SINCE, metrics.LAST_DELIVERY, metrics.LAST_BACKUP, metrics.DELIVERIES_LOST)
    numbers.refresh()
    assert [shown(gauge) for gauge in gauges] == [NOW.timestamp(), 0, 0, 0]

    last.note()
    with sessions() as session:
        service_record.backed_up(session, at=NOW - timedelta(days=3))
        service_record.lost(session, 2, at=NOW)
    numbers.refresh()
    assert [shown(gauge) for gauge in gauges] == [
        NOW.timestamp(), NOW.timestamp(), (NOW - timedelta(days=3)).timestamp(), 2,
    ]  # fmt: skip
    assert [said.partition(":")[0] for said in numbers.warnings()] == [
        "the last backup that was recorded is 3 days old"
    ]


def test_room_on_the_disk_is_a_number_of_sqlite_alone(numbers, engine):
    numbers.refresh()
    found = [sample for family in metrics.DISK_FREE.collect() for sample in family.samples]
    if engine.dialect.name == "postgresql":
        assert found == []
    else:
        free = shutil.disk_usage(Path(engine.url.database).parent).free
        assert [sample.value for sample in found] == [pytest.approx(free, rel=0.2)]


@pytest.mark.usefixtures("worker")
def test_a_read_only_database_gives_its_numbers_with_one_line_a_minute(numbers, engine):
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE service_record RENAME COLUMN served_since TO served"))
        connection.execute(text("ALTER TABLE service_record ADD COLUMN served_since INTEGER CHECK (served_since = 1)"))
    with capture_logs() as lines:
        numbers.refresh()
        numbers.refresh()
    assert shown(metrics.DATABASE_UP) == 1
    assert [line["event"] for line in lines] == ["operation.not-recorded"]


def test_reversals_are_counted_and_warned_of_without_a_repository(numbers, sessions):
    """The page is asked without a password, also about private repositories."""
    assert numbers.warnings() == []
    for number in (1, 2):
        box = deliveries.pull_request(11, number)
        with sessions() as session:
            (posted,) = posts.post_all(session, InlineEngine(), [posts.Post(pull=box, after="a" * 40)])
            for kind, about in (("check", "a" * 40), ("comment", "")):
                for _ in range(3):
                    paused_items.count_reversal(session, posted.pull_id, kind, about, at=NOW)
    numbers.refresh()

    assert numbers.warnings() == [
        "on 2 pull requests another App, server or person keeps reversing what we write: run countersign doctor"
    ]
    assert shown(metrics.ITEMS_REVERSED) == 4
