"""The database: durable settings, one transaction a block, errors that name no value and no password."""

import os
import shutil
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Column, Integer, MetaData, Table, insert, select, text, update
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from bot import db


def test_sqlite_is_durable_and_checks_references(tmp_path):
    engine = db.open_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with engine.connect() as connection:
        found = [
            connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        ]
    engine.dispose()

    assert ["wal", 2, 1, 1] == found


def test_an_sqlite_file_is_for_its_owner_alone(tmp_path):
    file, older = tmp_path / "x.db", tmp_path / "older.db"
    older.touch(0o644)
    before = os.umask(0)
    try:
        rights = {older: 0o644}
        older.chmod(0o644)
        assert db.exposed(older) == rights
        for database in (file, older):
            engine = db.open_engine(f"sqlite:///{database}")
            with engine.begin() as connection:
                connection.execute(text("CREATE TABLE thing (id INTEGER)"))
                names = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob(f"{database.name}*")}
                assert names == dict.fromkeys((database.name, f"{database.name}-wal", f"{database.name}-shm"), 0o600)
            engine.dispose()
    finally:
        os.umask(before)
    assert db.exposed(older) == {}


def test_a_file_whose_rights_may_not_be_changed_is_used_as_it_is(tmp_path, monkeypatch):
    file = tmp_path / "x.db"
    file.touch(0o644)
    file.chmod(0o644)

    def refused(*_about):
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refused)
    engine = db.open_engine(f"sqlite:///{file}")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT 1")).scalar_one() == 1
    engine.dispose()
    assert db.exposed(file)


@pytest.mark.slow
def test_many_may_open_a_new_file_at_once(tmp_path):
    def opened(number):
        engine = db.open_engine(f"sqlite:///{tmp_path / f'{number // 8}.db'}")
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS thing (id INTEGER)")
        engine.dispose()

    with ThreadPoolExecutor(8) as pool:
        assert [None] * 400 == list(pool.map(opened, range(400)))


def test_old_sqlite_has_the_unixepoch_function_that_dbos_calls(tmp_path):
    engine = db.open_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with engine.connect() as connection:
        whole, precise = connection.execute(text("SELECT unixepoch(), unixepoch('subsec')")).one()
    engine.dispose()

    assert abs(whole - precise) < 2
    assert whole > 1_700_000_000


@pytest.mark.parametrize("end", ["fine", "raise"])
def test_a_block_is_one_transaction(engine, end):
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE thing (id INTEGER)"))
    sessions = db.sessions(engine)

    def write():
        with sessions() as session:
            session.execute(text("INSERT INTO thing VALUES (1)"))
            session.execute(text("INSERT INTO thing VALUES (2)"))
            if end == "raise":
                raise OSError("disk full")

    if end == "raise":
        with pytest.raises(OSError, match="disk full"):
            write()
    else:
        write()

    with engine.connect() as connection:
        count = connection.execute(text("SELECT count(*) FROM thing")).scalar()
    assert (2 if end == "fine" else 0) == count


def test_a_row_read_to_be_changed_is_read_by_one_at_a_time(engine):
    """SQLite has no FOR UPDATE."""
    thing = Table("thing", MetaData(), Column("count", Integer))
    thing.create(engine)
    with engine.begin() as connection:
        connection.execute(insert(thing).values(count=0))

    sessions = db.sessions(engine)

    def count():
        with sessions() as session:
            found = session.execute(select(thing.c["count"]).with_for_update()).scalar_one()
            time.sleep(0.02)
            session.execute(update(thing).values(count=found + 1))

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda _: count(), range(10)))
    with engine.connect() as connection:
        assert connection.execute(select(thing.c["count"])).scalar_one() == 10


def test_room_on_the_disk_is_that_of_sqlites_file(tmp_path, postgres_url, monkeypatch):
    monkeypatch.chdir(tmp_path)
    free = shutil.disk_usage(tmp_path).free
    for url in (f"sqlite:///{tmp_path / 'test.db'}", "sqlite:///test.db"):
        with db.opened(url) as engine:
            assert db.disk_free(engine) == pytest.approx(free, rel=0.2)
    for url in (postgres_url, f"sqlite:///{tmp_path / 'gone' / 'test.db'}"):
        with db.opened(url) as engine:
            assert db.disk_free(engine) is None


def test_errors_show_no_values(engine):
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"))
    with pytest.raises(SQLAlchemyError) as caught, engine.begin() as connection:
        connection.execute(text("INSERT INTO missing VALUES (:name)"), {"name": "canary@example.org"})

    assert "canary" not in str(caught.value)
    assert "canary" not in db.explain(caught.value)


@pytest.mark.parametrize("url", ["sqlite:////nowhere/at/all.db", "postgresql://someone:s3cret@127.0.0.1:9/x"])
def test_a_database_that_is_away_is_explained_in_one_line_without_its_password(url):
    engine = db.open_engine(url)
    with pytest.raises(SQLAlchemyError) as caught:
        engine.connect()
    engine.dispose()
    said = db.explain(caught.value)

    assert said.startswith("the database cannot be used: ")
    assert "\n" not in said
    assert "s3cret" not in said
    assert db.explain(caught.value, Path("x.db")) == f"{said} (x.db)"


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_of_another_encoding_is_refused(postgres_server, encoding):
    """`createdb` in a container without a locale makes such a database."""
    name = f"of_{encoding.lower()}"
    with psycopg.connect(f"{postgres_server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'")
        engine = db.open_engine(f"{postgres_server}/{name}")
        with pytest.raises(OperationalError) as caught:
            engine.connect()
        engine.dispose()
        connection.execute(f"DROP DATABASE {name}")

    assert f"the encoding of this database is {encoding}, not UTF8: make one with " in db.explain(caught.value)
    assert not db.may_come(caught.value)


def test_a_silent_server_is_not_waited_for():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"postgresql://someone@127.0.0.1:{silent.getsockname()[1]}/x"
        engine = db.open_engine(f"{place}?connect_timeout=2")
        begun = time.monotonic()
        with pytest.raises(SQLAlchemyError):
            engine.connect()
        assert time.monotonic() - begun < 8
        assert (engine.url.query["connect_timeout"], engine.url.query["tcp_user_timeout"]) == ("2", "30000")
        assert db.look_ups(engine).url.query == engine.url.query
        assert db.open_engine(place).url.query["connect_timeout"] == "10"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_both_spellings_of_postgres_are_understood(scheme):
    engine = db.open_engine(f"{scheme}://u@127.0.0.1/x")

    assert "psycopg" == engine.driver
    engine.dispose()


def test_a_rested_connection_is_replaced_after_the_server_went_away(postgres_url):
    engine = db.open_engine(postgres_url)
    other = db.open_engine(postgres_url)
    with engine.connect() as connection:
        first = connection.execute(text("SELECT pg_backend_pid()")).scalar()
    with engine.connect() as connection:
        assert first == connection.execute(text("SELECT pg_backend_pid()")).scalar()
    with other.connect() as connection:
        connection.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": first})
    time.sleep(1.2)
    with engine.connect() as connection:
        assert first != connection.execute(text("SELECT pg_backend_pid()")).scalar()
    engine.dispose()
    other.dispose()


def test_look_ups_see_committed_rows_and_end_with_their_engine(engine):
    asked = db.look_ups(engine)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE seen (number INTEGER)"))
        connection.execute(text("INSERT INTO seen VALUES (7)"))
    with asked.connect() as connection:
        assert connection.execute(text("SELECT number FROM seen")).scalar() == 7
    engine.dispose()

    assert asked.pool.checkedin() == 0


def test_look_ups_begin_no_transaction_and_plan_once(postgres_url):
    engine = db.open_engine(postgres_url)
    asked = db.look_ups(engine)
    with asked.connect() as connection:
        plans = connection.execute(text("SHOW plan_cache_mode")).scalar()
        state = connection.connection.driver_connection.info.transaction_status.name

    assert (state, plans) == ("IDLE", "force_generic_plan")
    engine.dispose()


def test_blocks_within_a_transaction_end_with_it_and_fail_alone(postgres_url):
    engine = db.open_engine(postgres_url)
    numbers = Table("numbers", MetaData(), Column("n", Integer))
    numbers.create(engine)

    def store(sessions, number, *, fails=False):
        with sessions() as session:
            session.execute(insert(numbers).values(n=number))
            if fails:
                raise LookupError

    with engine.begin() as connection:
        sessions = db.sessions_within(connection)
        store(sessions, 1)
        with pytest.raises(LookupError):
            store(sessions, 2, fails=True)
        store(sessions, 3)
    with suppress(ZeroDivisionError), engine.begin() as connection:
        store(db.sessions_within(connection), 4)
        raise ZeroDivisionError
    with engine.connect() as connection:
        assert connection.execute(select(numbers.c.n).order_by(numbers.c.n)).scalars().all() == [1, 3]
    engine.dispose()
