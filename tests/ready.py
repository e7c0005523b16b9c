"""Databases in the newest schema without walking its whole history each time: a migrated one is made once and copied."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import psycopg

import migrations
from bot import db

_TEMPLATE = "migrated"


def upgraded(url: str):
    """An open engine on that database, which is new and empty, in the newest schema."""
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        shutil.copyfile(_sqlite(), url.removeprefix("sqlite:///"))
        return db.open_engine(url)
    if url.startswith("postgresql://"):
        server, _, name = url.rpartition("/")
        _postgres(server)
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}"')
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE {_TEMPLATE} STRATEGY wal_log')
        return db.open_engine(url)
    engine = db.open_engine(url)
    migrations.upgrade(engine)
    return engine


@cache
def _sqlite() -> Path:
    """A migrated file that nobody has open."""
    folder = Path(tempfile.mkdtemp(prefix="countersign-schema-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    engine = db.open_engine(f"sqlite:///{folder / 'migrated.db'}")
    migrations.upgrade(engine)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return folder / "migrated.db"


@cache
def _postgres(server: str) -> None:
    """A migrated database on that server."""
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {_TEMPLATE}")
    engine = db.open_engine(f"{server}/{_TEMPLATE}")
    migrations.upgrade(engine)
    engine.dispose()
