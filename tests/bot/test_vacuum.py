"""Deleted rows do not stand in the database's files any more, even for a carver; large files wait once."""

import hashlib
import itertools
import sqlite3
from threading import Timer

import psycopg
import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from bot import db, vacuum
from tests import carving

MANY = 300


@pytest.fixture(name="secrets")
def _secrets(sessions):
    """What must be gone."""
    return deleted(sessions)


def deleted(sessions, *, first=0):
    """Many people, each with a sealed key; every third is deleted: those keys."""
    numbers = range(first, first + MANY)
    keys = {f"p{number}": hashlib.sha512(f"{number}".encode()).digest() for number in numbers}
    row = "INSERT INTO person (id, account_id, login, login_since, wrapped_key, ring_key_id, created_at) VALUES (:id, :number, 'x', :at, :key, 'k', :at)"
    for number, (name, key) in zip(numbers, keys.items(), strict=True):
        with sessions() as session:
            session.execute(text(row), {"id": name, "number": number, "key": key, "at": "2026-01-01 00:00:00.000000"})
    gone = dict(itertools.islice(keys.items(), 0, None, 3))
    with sessions() as session:
        for name in gone:
            session.execute(text("DELETE FROM person WHERE id = :id"), {"id": name})
    return gone


@pytest.mark.slow
def test_no_deleted_row_is_left_in_the_tables_files(engine, secrets):
    left = carving.found(secrets, carving.table_files(engine))
    assert left, "else the test would prove nothing"

    assert vacuum.wipe(engine)
    assert carving.found(secrets, carving.table_files(engine)) == set()
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM person")).scalar_one() == MANY - len(secrets)


@pytest.mark.slow
def test_deleted_rows_stay_in_the_log_of_postgres(postgres_url):
    """The page about privacy says so, and would have to change."""
    engine = db.open_engine(postgres_url)
    gone = deleted(db.sessions(engine))
    assert vacuum.wipe(engine)

    assert carving.found(gone, carving.log_files(engine)) == set(gone)
    engine.dispose()


@pytest.mark.slow
def test_a_large_table_is_cleaned_in_place(postgres_url, monkeypatch):
    monkeypatch.setattr(vacuum, "MAX_REWRITTEN_BYTES", -1)
    engine = db.open_engine(postgres_url)
    gone = deleted(db.sessions(engine))
    assert vacuum.wipe(engine)

    assert 0 < len(carving.found(gone, carving.table_files(engine))) < len(gone)
    engine.dispose()


@pytest.mark.slow
def test_a_reader_delays_the_wiping_to_the_next_try_and_is_not_disturbed(engine, secrets, monkeypatch):
    monkeypatch.setattr(vacuum, "LOCK_TIMEOUT_MILLISECONDS", 50)
    with engine.connect() as reader:
        if engine.dialect.name == "sqlite":
            reader.execute(text("BEGIN"))
        reader.execute(text("SELECT count(*) FROM person")).scalar_one()
        if engine.dialect.name == "sqlite":
            with engine.begin() as writer:
                writer.execute(text("DELETE FROM person WHERE id = 'p1'"))
        assert not vacuum.wipe(engine)
    assert vacuum.wipe(engine)

    assert carving.found(secrets, carving.table_files(engine)) == set()
    with engine.connect() as connection:
        patience = "PRAGMA busy_timeout" if engine.dialect.name == "sqlite" else "SHOW lock_timeout"
        assert str(connection.execute(text(patience)).scalar_one()) == {"sqlite": "15000"}.get(engine.dialect.name, "0")


@pytest.mark.slow
def test_a_reader_of_another_table_delays_the_wiping_too(postgres_url, monkeypatch):
    """PostgreSQL would write the deleted rows into the new file for such a reader."""
    monkeypatch.setattr(vacuum, "LOCK_TIMEOUT_MILLISECONDS", 50)
    engine = db.open_engine(postgres_url)
    with engine.connect() as reader:
        reader.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        reader.execute(text("SELECT count(*) FROM owner")).scalar_one()
        gone = deleted(db.sessions(engine))
        assert not vacuum.wipe(engine)
    with engine.connect() as writer:
        writer.execute(text("SELECT txid_current()"))
        gone |= deleted(db.sessions(engine), first=MANY)
        assert not vacuum.wipe(engine)
    with engine.connect() as later:
        later.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        later.execute(text("SELECT count(*) FROM owner")).scalar_one()
        assert vacuum.wipe(engine), "who began after it is not in the way"

    assert carving.found(gone, carving.table_files(engine)) == set()
    engine.dispose()


@pytest.mark.slow
def test_a_reader_that_ends_soon_is_waited_for(postgres_url):
    engine = db.open_engine(postgres_url)
    reader = engine.connect()
    reader.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
    reader.execute(text("SELECT count(*) FROM owner")).scalar_one()
    gone = deleted(db.sessions(engine))
    end = Timer(0.2, reader.close)
    end.start()

    assert vacuum.wipe(engine)
    end.join()
    assert carving.found(gone, carving.table_files(engine)) == set()
    engine.dispose()


def test_a_role_that_owns_no_table_is_told_to_the_operator(postgres_url):
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        owner.execute("DROP ROLE IF EXISTS reader")
        owner.execute("CREATE ROLE reader LOGIN")
    engine = db.open_engine(postgres_url.replace("countersign@", "reader@"))
    with capture_logs() as said:
        assert vacuum.wipe(engine)
    engine.dispose()

    assert [(mutable_mapping["event"], mutable_mapping["tables"]) for mutable_mapping in said] == [
        ("vacuum.not-permitted", vacuum.tables())
    ]


def test_every_table_that_is_wiped_exists(engine):
    with engine.connect() as connection:
        for table in vacuum.tables():
            connection.execute(text(f"SELECT count(*) FROM {table}"))


def test_a_file_of_an_earlier_release_is_rewritten_once(tmp_path, engine_of_earlier):
    file, secret = engine_of_earlier
    engine = db.open_engine(f"sqlite:///{file}")
    assert carving.found({"it": secret}, carving.table_files(engine)) == {"it"}

    assert vacuum.rewrite(engine)
    assert carving.found({"it": secret}, carving.table_files(engine)) == set()
    assert not vacuum.rewrite(engine)
    engine.dispose()


@pytest.fixture(name="engine_of_earlier")
def _engine_of_earlier(tmp_path):
    """A file from which something was deleted without overwriting it, and what that was."""
    file, secret = tmp_path / "earlier.db", b"wrapped-data-key" * 6
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA secure_delete=OFF")
        connection.execute("CREATE TABLE thing (id INTEGER, held BLOB)")
        connection.executemany("INSERT INTO thing VALUES (?, ?)", [(number, secret) for number in range(200)])
        connection.commit()
        connection.execute("DELETE FROM thing")
        connection.commit()
    connection.close()
    return file, secret


def test_a_postgres_database_is_not_rewritten(postgres_url):
    engine = db.open_engine(postgres_url)
    assert not vacuum.rewrite(engine)
    engine.dispose()
