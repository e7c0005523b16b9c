"""Databases to measure on: a fresh SQLite file, and a PostgreSQL of our own where this machine has one."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from figures import free_port
from sqlalchemy import Engine

import migrations
from agreements.vault import Vault, place
from bot import db


def kinds() -> list[str]:
    """The kinds of database that can be measured here."""
    return ["SQLite", *(["PostgreSQL"] if _programs() else [])]


@contextmanager
def opened(kind: str) -> Iterator[Engine]:
    """An engine on an empty database in the newest schema; all of it is gone afterwards."""
    with address(kind) as url:
        engine = db.open_engine(url)
        migrations.upgrade(engine)
        try:
            yield engine
        finally:
            engine.dispose()


@contextmanager
def address(kind: str) -> Iterator[str]:
    """The URL of an empty database; all of it is gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="countersign-bench-", ignore_cleanup_errors=True) as name,
        _address(kind, Path(name)) as url,
    ):
        yield url


def person_and_proof(vault: Vault, number: int, address: str, at: datetime) -> tuple[dict[str, Any], dict[str, Any]]:
    """Rows of a person and of their proven address."""
    key, wrapped = vault.new_data_key("person", f"p{number}")
    person = {
        "id": f"p{number}", "account_id": number, "login": f"u{number}", "login_since": at, "wrapped_key": wrapped.sealed,
        "ring_key_id": wrapped.ring_key_id, "created_at": at,
    }  # fmt: skip
    proof = {
        "id": f"q{number}", "person_id": f"p{number}", "account_id": number,
        "address": vault.encrypt(key, address.encode(), place("proof", "address", f"q{number}")),
        "address_index": vault.blind_index("email", address), "how": "mailed-code", "at": at, "until": None,
    }  # fmt: skip
    return person, proof


def settle(engine: Engine) -> None:
    """Do at once what PostgreSQL does by itself after so many new rows, and write to the disk what is left."""
    is_file = engine.dialect.name == "sqlite"
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for statement in ("PRAGMA wal_checkpoint(TRUNCATE)",) if is_file else ("VACUUM ANALYZE", "CHECKPOINT"):
            connection.exec_driver_sql(statement)
    os.sync()


@contextmanager
def _address(kind: str, folder: Path) -> Iterator[str]:
    if kind == "SQLite":
        yield f"sqlite:///{folder / 'bench.db'}"
        return
    programs, port = _programs(), free_port()
    assert programs is not None
    folder.chmod(0o777)  # PostgreSQL may run as another user, since it refuses to run as root.
    data, prefix = folder / "data", _without_root()
    initdb = [programs / "initdb", "-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C"]
    subprocess.run([*prefix, *initdb], check=True, capture_output=True, cwd="/")
    options = ["listen_addresses=127.0.0.1", f"unix_socket_directories={folder}"]
    server = subprocess.Popen(
        [
            *prefix,
            programs / "postgres",
            "-D",
            data,
            "-p",
            str(port),
            *(word for option in options for word in ("-c", option)),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
    )
    try:
        for _ in range(100):
            ready = [programs / "pg_isready", "-h", "127.0.0.1", "-p", str(port)]
            if subprocess.run(ready, capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.1)
        yield f"postgresql://bench@127.0.0.1:{port}/postgres"
    finally:
        server.terminate()
        server.wait(timeout=30)


def _programs() -> Path | None:
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists():
            return folder
    found = shutil.which("initdb")
    return Path(found).parent if found else None


def _without_root() -> list[str]:
    if os.geteuid() != 0:
        return []
    user = "postgres" if "postgres" in {entry.pw_name for entry in pwd.getpwall()} else "nobody"
    return ["setpriv", f"--reuid={user}", "--regid=nogroup", "--clear-groups"]
