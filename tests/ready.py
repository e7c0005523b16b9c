"""Databases in a schema without walking its whole history each time: a migrated one is made once and copied."""

import atexit
import secrets
import shutil
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psycopg

import migrations
from bot import db

NEWEST = "head"
NOTHING = None
"""Steps at which a database can begin, beside those that have a number."""

_READY = "ready_"


def upgraded(url: str):
    """An open engine on that database, which is new, in the newest schema."""
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        copy(url)
        return db.open_engine(url)
    if url.startswith("postgresql://") and url.rpartition("/")[2].startswith(_READY):
        return db.open_engine(url)
    engine = db.open_engine(url)
    migrations.upgrade(engine)
    return engine


def copy(url: str, step: str = NEWEST) -> None:
    """Make the file of that SQLite database as it is after a step."""
    shutil.copyfile(_sqlite(step), url.removeprefix("sqlite:///"))


@contextmanager
def on_postgres(server: str, step: str | None = NEWEST):
    """A fresh database on that server as it is after a step; gives its URL.

    It is dropped before the next one is made: just after a test its connections are still ending, and PostgreSQL would wait.
    """
    name = f"{_READY if step == NEWEST else 'other_'}{secrets.token_hex(6)}"
    template = "" if step is NOTHING else f"TEMPLATE {_postgres(server, step)} STRATEGY file_copy"
    connection = _connected(server)
    while _OVER:
        connection.execute(f"DROP DATABASE {_OVER.pop()} WITH (FORCE)")
    connection.execute(f"CREATE DATABASE {name} {template}")
    yield f"{server}/{name}"
    _OVER.append(name)


_OVER: list[str] = []


@cache
def _connected(server: str) -> psycopg.Connection:
    """One connection for all databases of this process."""
    connection = psycopg.connect(f"{server}/postgres", autocommit=True)
    atexit.register(connection.close)
    return connection


@cache
def _sqlite(step: str) -> Path:
    """A migrated file that no process has open."""
    folder = Path(tempfile.mkdtemp(prefix="countersign-schema-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    engine = db.open_engine(f"sqlite:///{folder / 'migrated.db'}")
    migrations.upgrade(engine, step)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return folder / "migrated.db"


@cache
def _postgres(server: str, step: str) -> str:
    """The name of a migrated database on that server."""
    name = f"migrated_{step}"
    _connected(server).execute(f"CREATE DATABASE {name}")
    engine = db.open_engine(f"{server}/{name}")
    migrations.upgrade(engine, step)
    engine.dispose()
    return name
