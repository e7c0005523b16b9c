"""The writer stores waiting deliveries together and answers each; a delivery that fails does not fail another."""

import resource
import threading
import time
from concurrent.futures import wait
from contextlib import contextmanager
from datetime import UTC, datetime

import psycopg
import pytest
from sqlalchemy import event as sqlalchemy_event
from sqlalchemy import text
from sqlalchemy.exc import DataError, IntegrityError, OperationalError, SQLAlchemyError

from agreements.facts import Account
from bot import db
from bot.jobs.durable import DurableEngine
from bot.store import inbox
from bot.store.pulls import review_mailbox
from bot.webhook import events
from bot.webhook.delivery_writer import DeliveryWriter, NotStored
from bot.webhook.ingest import ReceivedDelivery
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="record")
def _record(sessions):
    """Makes recorders that are stopped in the end."""
    made = []

    def record(**options):
        made.append(DeliveryWriter(sessions, InlineEngine(), lambda: NOON, **options))
        made[-1].start()
        return made[-1]

    yield record
    for writer in made:
        writer.stop()


def received(guid, number=5, *, name="ge", after=None):
    """A push to a pull request."""
    pushed = events.PullRequestChanged(
        installation=1,
        repository=events.EventRepository(11, 7, "cann", name),
        number=number,
        action="synchronize",
        sender=Account(42, "mia"),
        after=after or f"{number:040d}",
        before="b" * 40,
    )
    return ReceivedDelivery(pushed, guid, "pull_request")


def stored(sessions):
    """The GUIDs that are stored."""
    with sessions() as session:
        return sorted(row.guid for row in inbox.listed(session))


@contextmanager
def locked(engine):
    """Another process writes, and takes its time."""
    with engine.connect() as other:
        if engine.dialect.name == "sqlite":
            other.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            other.execute(text("LOCK TABLE delivery"))
        yield
        other.rollback()


def test_each_delivery_is_answered_as_new_or_known_once_stored(record, sessions):
    recorder = record()
    assert recorder.submit(received("g")).result(5)
    with sessions() as session:
        assert inbox.arrived(session, ["g"])
    answers = [recorder.submit(received(guid)) for guid in ("g", "h", "h")]
    assert [answer.result(5) for answer in answers] == [False, True, False]


def test_waiting_deliveries_are_stored_together(record, sessions, engine):
    recorder, commits = record(), []
    with locked(engine):
        answers = [recorder.submit(received(f"g{number}", number)) for number in range(1, 251)]
        sqlalchemy_event.listen(engine, "commit", commits.append)
    assert all(answer.result(10) for answer in answers)
    assert 3 <= len(commits) <= 4, "what the first one found, then a hundred each"
    assert len(stored(sessions)) == 250


def test_a_delivery_that_cannot_be_stored_fails_alone(record, sessions, engine):
    recorder = record()
    with locked(engine):
        good = [recorder.submit(received(f"g{number}", number)) for number in range(1, 6)]
        bad = recorder.submit(received("bad", 6, name="\ud800"))
        good += [recorder.submit(received(f"g{number}", number)) for number in range(7, 10)]
    assert all(answer.result(10) for answer in good)
    with pytest.raises((UnicodeEncodeError, SQLAlchemyError)):
        bad.result(10)
    assert "bad" not in stored(sessions)
    with sessions() as session:
        assert review_mailbox.find(session, 11, 6) is None
    assert recorder.submit(received("after", 6)).result(5)


def test_a_database_that_is_held_refuses_in_time(record, sessions, engine):
    recorder = record(patience=1)
    with locked(engine):
        first = recorder.submit(received("first"))
        time.sleep(0.1)
        behind = [recorder.submit(received(f"g{number}")) for number in range(5)]
        for answer in [first, *behind]:
            with pytest.raises(NotStored, match="not stored, please deliver again"):
                answer.result(10)
    deadline = time.monotonic() + 5
    while stored(sessions) != ["first"] and time.monotonic() < deadline:  # its transaction was running
        time.sleep(0.05)
    assert recorder.submit(received("after")).result(5)
    assert stored(sessions) == ["after", "first"]


def test_a_delivery_beyond_the_limit_is_refused_at_once(record, engine):
    recorder = record(most=3)
    with locked(engine):
        recorder.submit(received("first"))
        time.sleep(0.2)
        waiting = [recorder.submit(received(f"g{number}")) for number in range(3)]
        with pytest.raises(NotStored):
            recorder.submit(received("too many")).result(0)
    assert all(answer.result(5) for answer in waiting)


def test_a_delivery_whose_sender_hung_up_is_not_stored(record, sessions, engine):
    """GitHub keeps such a delivery for redelivery."""
    recorder = record()
    with locked(engine):
        first = recorder.submit(received("first"))
        time.sleep(0.2)
        assert recorder.submit(received("gone")).cancel()
        last = recorder.submit(received("last"))
    assert first.result(5)
    assert last.result(5)
    assert stored(sessions) == ["first", "last"]


def test_stopping_stores_the_waiting_deliveries_and_refuses_later_deliveries(record, sessions):
    recorder = record()
    answers = [recorder.submit(received(f"g{number}", number)) for number in range(1, 301)]
    recorder.stop()
    assert all(answer.result(0) for answer in answers)
    assert len(stored(sessions)) == 300
    with pytest.raises(NotStored):
        recorder.submit(received("late")).result(0)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("recorder")]


def test_stopping_is_bounded(record, engine):
    recorder = record(patience=0.3)
    with locked(engine):
        answers = [recorder.submit(received("g")), recorder.submit(received("h"))]
        begun = time.monotonic()
        recorder.stop()
        assert time.monotonic() - begun < 4
        assert all(isinstance(answer.exception(0), NotStored) for answer in answers)


def test_a_lost_database_is_told_to_each_sender_and_found_again(postgres_url):
    engine = db.open_engine(postgres_url)
    recorder = DeliveryWriter(db.sessions(engine), InlineEngine(), lambda: NOON)
    recorder.start()
    name = postgres_url.rpartition("/")[2]
    kill = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    with psycopg.connect(postgres_url.replace(name, "postgres"), autocommit=True) as other:
        assert recorder.submit(received("g1")).result(5)
        other.execute(kill)
        answers = [recorder.submit(received(guid)) for guid in ("g2", "g3")]
        known = [answer.exception(5) for answer in answers]
        assert sum(error is not None for error in known) <= 1, "one may have met the dead connection"
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        other.execute(kill)
        answers = [recorder.submit(received(guid)) for guid in ("g4", "g5", "g6")]
        assert all(isinstance(answer.exception(5), SQLAlchemyError) for answer in answers)
        other.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert recorder.submit(received("g7")).result(5)
    recorder.stop()
    engine.dispose()


@pytest.fixture(name="sides")
def _sides(postgres_url):
    """Two web processes: the engines of their databases, and their recorders, which are not started."""
    engines = [db.open_engine(postgres_url) for _ in range(2)]
    jobs = [DurableEngine(engine, executor_id=f"side-{place}") for place, engine in enumerate(engines)]
    jobs[0].prepare()
    # A machine under load takes long: how long each waits is not the question here.
    yield [
        (engine, DeliveryWriter(db.sessions(engine), job, lambda: NOON, patience=60))
        for engine, job in zip(engines, jobs, strict=True)
    ]
    for engine in engines:
        engine.dispose()


def deadlocks(sides, url):
    """The number of deadlocks, once both sides have ended: an open connection tells its counters ten seconds late."""
    for engine, recorder in sides:
        recorder.stop()
        engine.dispose()
    others = "datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    with psycopg.connect(url, autocommit=True) as connection:
        until(lambda: only(connection, f"SELECT count(*) FROM pg_stat_activity WHERE {others}") == 0)
        return only(connection, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")


def only(connection, query):
    """The one value that the query gives."""
    return connection.execute(query).fetchone()[0]


def until(is_so):
    """Wait for it, for a minute at most."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.slow
def test_two_web_processes_never_wait_for_each_other(sides, postgres_url):
    recorders, orders = [recorder for _, recorder in sides], [range(1, 61), range(60, 0, -1)]
    answers = [
        recorder.submit(received(f"{turn}-{number}-{side if number % 3 else 'both'}", number))
        for turn in range(5)
        for side, (recorder, order) in enumerate(zip(recorders, orders, strict=True))
        for number in order
    ]
    for recorder in recorders:
        recorder.start()
    wait(answers, 60)
    assert sum(answer.result(0) for answer in answers) == 5 * (60 + 40)
    with db.sessions(sides[0][0])() as session:
        assert {review_mailbox.find(session, 11, number).latest for number in range(1, 61)} == {5, 10}
    assert deadlocks(sides, postgres_url) == 0


def test_pushes_to_two_pull_requests_of_one_head_are_both_stored_when_they_deadlock(sides, postgres_url):
    recorders = [recorder for _, recorder in sides]
    for recorder in recorders:
        recorder.start()
    for number in (1, 2):
        assert recorders[0].submit(received(f"before-{number}", number, after="a" * 40)).result(60)
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'dbos.workflow_status'::regclass"
    with psycopg.connect(postgres_url) as third:
        third.execute("LOCK TABLE dbos.workflow_status IN EXCLUSIVE MODE")
        answers = [recorder.submit(received(f"g{place}", place + 1)) for place, recorder in enumerate(recorders)]
        until(lambda: only(third, waiting) == 2)  # Each has its own row by now, and waits to queue its job.
        third.rollback()

    assert [answer.result(60) for answer in answers] == [True, True]
    assert deadlocks(sides, postgres_url) == 1


@contextmanager
def full(engine):
    """The database may not grow, or is read-only: it refuses every write, and reading goes on."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        name = connection.exec_driver_sql("PRAGMA database_list").all()[0][2] if engine.dialect.name == "sqlite" else ""
        role = "" if name else connection.exec_driver_sql("SELECT current_user").scalar_one()
    if name:
        # A child of ours could be limited in what it writes to a file; so can this process, if we are quick.
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        return
    set_read_only(engine, role, "on")
    yield
    set_read_only(engine, role, "off")


def set_read_only(engine, role, value):
    """For every connection from now on."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("SET default_transaction_read_only = off")
        connection.exec_driver_sql(
            f"ALTER ROLE {role} IN DATABASE {engine.url.database} SET default_transaction_read_only = {value}"
        )
    engine.dispose()


def test_the_server_is_not_ready_while_nothing_can_be_stored(record, engine):
    recorder = record()
    assert recorder.submit(received("before")).result(5)
    assert recorder.refusing is None
    with full(engine):
        with pytest.raises(SQLAlchemyError):
            recorder.submit(received("refused", 6)).result(5)
        said = recorder.refusing
        time.sleep(2.5)
        assert recorder.refusing == said
    assert said == "deliveries cannot be stored: " + (
        "the database cannot write to its disk" if engine.dialect.name == "sqlite" else "the database is read-only"
    )
    deadline = time.monotonic() + 5
    while recorder.refusing and time.monotonic() < deadline:
        time.sleep(0.05)
    assert recorder.refusing is None
    assert recorder.submit(received("after", 7)).result(5)


def test_a_full_disk_is_named_without_address_or_value():
    def said(kind, words):
        return db.unwritable(kind("INSERT", {}, Exception(words)))

    assert (
        said(OperationalError, "database or disk is full") == "deliveries cannot be stored: the database's disk is full"
    )
    away = said(OperationalError, 'connection to server at "10.0.0.1", port 5432 failed')
    assert away == "deliveries cannot be stored: the database does not take them"
    assert said(DataError, "x") is said(IntegrityError, "x") is None
    assert db.unwritable(UnicodeEncodeError("utf-8", "\ud800", 0, 1, "no")) is None


def test_a_slow_database_makes_the_server_not_ready_until_it_answers(record, engine):
    recorder = record(patience=0.3)
    with locked(engine):
        with pytest.raises(NotStored):
            recorder.submit(received("g")).result(10)
        assert recorder.refusing == "the database takes too long to store deliveries"
    deadline = time.monotonic() + 5
    while recorder.refusing and time.monotonic() < deadline:
        time.sleep(0.05)
    assert recorder.refusing is None
