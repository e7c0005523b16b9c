"""Writers of one SQLite file take turns by urgency, none starves, and none keeps a turn for ever."""

import sqlite3
import threading
import time
from contextlib import contextmanager, suppress

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from bot import db, write_lock
from bot.write_lock import MAX_TIMES_PASSED_OVER, TIMEOUT_SECONDS, WriteLock

WRITE = text("INSERT INTO thing (who) VALUES (:who)")


@pytest.fixture(name="database")
def _database(tmp_path):
    """An open file with one table."""
    engine = db.open_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE thing (id INTEGER PRIMARY KEY, who TEXT NOT NULL)")
    yield engine
    engine.dispose()


@pytest.fixture(name="impatient")
def _impatient(database):
    """The same file for writers that wait for their turn for a fifth of a second, and as long again for SQLite."""
    lock = WriteLock(patience=0.2)

    def told(connection, _record):
        connection.lock = lock
        connection.execute("PRAGMA busy_timeout = 200")

    from sqlalchemy import event

    engine = db.open_engine(str(database.url))
    event.listen(engine, "connect", told)
    yield engine
    engine.dispose()


def write(engine, who, writer="job"):
    """One row in a transaction of its own."""
    with db.sessions(engine, writer=writer)() as session:
        session.execute(WRITE, {"who": who})


def written(engine):
    """Who wrote, in order."""
    with engine.connect() as connection:
        return list(connection.scalars(text("SELECT who FROM thing ORDER BY id")))


@contextmanager
def writing(engine):
    """A first writer has the turn."""
    with db.sessions(engine)() as session:
        session.execute(WRITE, {"who": "first"})
        yield session


def started(engine, *writers):
    """Writers that came one after the other while another writer had the turn."""
    threads = []
    for place, writer in enumerate(writers):
        threads.append(threading.Thread(target=write, args=(engine, f"{writer} {place}", writer)))
        threads[-1].start()
        time.sleep(0.03)
    return threads


def join(threads):
    """They end."""
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def test_the_more_urgent_writer_goes_first(database):
    with writing(database):
        threads = started(database, "job", "page", "webhook", "job", "page", "webhook")
    join(threads)
    assert written(database) == ["first", "webhook 2", "webhook 5", "page 1", "page 4", "job 0", "job 3"]


def test_no_writer_starves(database):
    with writing(database):
        threads = started(database, "job", *["webhook"] * (MAX_TIMES_PASSED_OVER + 3))
    join(threads)
    assert written(database).index("job 0") == 1 + MAX_TIMES_PASSED_OVER


def test_reading_needs_no_turn(database):
    with writing(database), db.sessions(database)() as session:
        begun = time.monotonic()
        session.execute(text("BEGIN"))
        assert session.scalars(text("SELECT who FROM thing")).all() == []
        assert time.monotonic() - begun < TIMEOUT_SECONDS / 2
        with db.sessions(database)() as other:
            other.execute(text("BEGIN"))
            other.execute(text("SELECT who FROM thing"))


def test_a_snapshot_that_is_read_stops_no_writer(database):
    with db.sessions(database)() as session:
        session.execute(text("BEGIN"))
        session.execute(text("SELECT who FROM thing"))
        begun = time.monotonic()
        write(database, "beside")
        assert time.monotonic() - begun < TIMEOUT_SECONDS / 2


@pytest.mark.parametrize(
    "begins", ["BEGIN IMMEDIATE", "SAVEPOINT x", "INSERT INTO thing (who) VALUES ('x')", "UPDATE thing SET who = 'y'"]
)
def test_every_statement_that_begins_a_write_takes_a_turn(database, impatient, begins):
    with impatient.connect() as first, impatient.connect() as second:
        first.exec_driver_sql(begins)
        first.execute(WRITE, {"who": "first"})
        opened = second.connection.dbapi_connection
        begun = time.monotonic()
        assert opened.lock.acquire("webhook") is False
        assert time.monotonic() - begun >= 0.2
        first.rollback()
        assert opened.lock.acquire("webhook") is True
        opened.lock.release()


def committed(session):
    session.commit()


def rolled_back(session):
    session.rollback()


def closed(session):
    session.close()


def lost(session):
    session.connection().invalidate()


def cut(session):
    """As if the driver's connection were closed under everyone."""
    session.connection().connection.dbapi_connection.close()


@pytest.mark.parametrize("end", [committed, rolled_back, closed, lost, cut], ids=lambda end: end.__name__)
def test_the_turn_ends_with_the_transaction(database, end):
    with db.Session(database) as session:
        session.execute(WRITE, {"who": "first"})
        end(session)
        begun = time.monotonic()
        write(database, "next")
        assert time.monotonic() - begun < TIMEOUT_SECONDS / 2
        try:
            session.rollback()
        except SQLAlchemyError:
            assert end is cut
    assert written(database)[-1] == "next"


@pytest.mark.parametrize(
    "wrong", ["INSERT INTO nowhere VALUES (1)", "INSERT INTO thing (who) VALUES (NULL)", "nonsense"]
)
def test_a_write_that_fails_ends_its_turn(database, wrong):
    with pytest.raises(SQLAlchemyError), db.sessions(database)() as session:
        session.execute(text(wrong))
    begun = time.monotonic()
    write(database, "next")
    assert time.monotonic() - begun < TIMEOUT_SECONDS / 2


def test_a_commit_that_fails_ends_its_turn(database):
    with database.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE later (thing_id INTEGER REFERENCES thing (id) DEFERRABLE INITIALLY DEFERRED)"
        )
    with pytest.raises(SQLAlchemyError), db.sessions(database)() as session:
        session.execute(text("INSERT INTO later VALUES (99)"))
    begun = time.monotonic()
    write(database, "next")
    assert time.monotonic() - begun < TIMEOUT_SECONDS / 2


def test_a_second_session_in_one_thread_does_not_wait_for_ever(impatient):
    with writing(impatient):
        begun = time.monotonic()
        with pytest.raises(OperationalError, match="locked"):
            write(impatient, "nested")
        assert 0.4 <= time.monotonic() - begun < 10
    write(impatient, "next")
    assert written(impatient) == ["first", "next"]


def test_a_transaction_that_gave_up_its_wait_waits_no_second_time(impatient):
    lock = WriteLock(patience=0.2)
    connection = impatient.raw_connection()
    opened = connection.dbapi_connection
    opened.lock = lock
    assert lock.acquire("job")
    begun = time.monotonic()
    for _ in range(50):
        opened.cursor().execute("INSERT INTO thing (who) VALUES ('late')")
    assert 0.2 <= time.monotonic() - begun < 5
    opened.commit()
    assert not lock.acquire("job"), "the turn is still the other's"
    lock.release()
    assert lock.acquire("job")
    connection.close()


def test_another_process_needs_no_turn(database, impatient):
    with writing(database), pytest.raises(OperationalError, match="locked"):
        write(impatient, "elsewhere")
    write(impatient, "elsewhere")
    assert written(database) == ["first", "elsewhere"]


def test_a_connection_without_a_lock_waits_for_no_turn(tmp_path):
    connection = sqlite3.connect(tmp_path / "y.db", factory=write_lock.WriteQueueConnection)
    connection.execute("CREATE TABLE thing (id INTEGER)")
    connection.cursor().executemany("INSERT INTO thing VALUES (?)", [(1,), (2,)])
    connection.commit()
    assert connection.execute("SELECT count(*) FROM thing").fetchone() == (2,)
    connection.close()


def test_many_threads_of_all_kinds_write_every_row_and_leave_no_turn(database):
    def work(writer):
        for turn in range(25):
            with suppress(ZeroDivisionError), db.sessions(database, writer=writer)() as session:
                session.execute(WRITE, {"who": writer})
                assert 1 / (turn % 5)

    threads = [threading.Thread(target=work, args=(writer,)) for writer in ("webhook", "page", "job", "job") * 2]
    for thread in threads:
        thread.start()
    join(threads)
    assert len(written(database)) == 8 * 20
    with database.connect() as connection:
        lock = connection.connection.dbapi_connection.lock
    assert (lock._taken, lock._waiting) == (False, [])
