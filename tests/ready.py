"""Databases in the newest schema without walking its whole history each time: a migrated one is made once and copied."""

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

_TEMPLATE, _READY = "migrated", "ready_"


def upgraded(url: str):
    """An open engine on that database, which is new, in the newest schema."""
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        shutil.copyfile(_sqlite(), url.removeprefix("sqlite:///"))
        return db.open_engine(url)
    if url.startswith("postgresql://") and url.rpartition("/")[2].startswith(_READY):
        return db.open_engine(url)
    engine = db.open_engine(url)
    migrations.upgrade(engine)
    return engine


@contextmanager
def on_postgres(server: str, *, empty: bool):
    """A fresh database on that server; gives its URL."""
    name = f"{'empty_' if empty else _READY}{secrets.token_hex(6)}"
    if not empty:
        _postgres(server)
    template = "" if empty else f"TEMPLATE {_TEMPLATE} STRATEGY file_copy"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} {template}")
        yield f"{server}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


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
