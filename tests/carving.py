"""Looks for a secret in files as a thief of the disk would: as it is, in base64 at any offset, in hexadecimal."""

import base64
from pathlib import Path

from sqlalchemy import Engine, text


def spellings(secret: bytes) -> set[bytes]:
    """Every way in which those bytes may stand somewhere; of base64 the part that does not depend on what is around."""
    shifted = {base64.b64encode(bytes(before) + secret)[4 * bool(before) : -4] for before in range(3)}
    return {secret, secret.hex().encode(), secret.hex().upper().encode(), *shifted}


def found(secrets: dict[str, bytes], files: list[Path]) -> set[str]:
    """The names of the secrets that stand in any of the files."""
    sought = {name: spellings(secret) for name, secret in secrets.items()}
    hits = set()
    for file in files:
        content = file.read_bytes()
        hits |= {name for name, ways in sought.items() if any(way in content for way in ways)}
    return hits


def table_files(engine: Engine) -> list[Path]:
    """The files in which the database's tables stand; with SQLite also its log."""
    if engine.dialect.name == "sqlite":
        file = Path(engine.url.database)
        return sorted(file.parent.glob(f"{file.name}*"))
    folder, number = _of_postgres(engine)
    return [file for file in (folder / "base" / number).iterdir() if file.is_file()]


def log_files(engine: Engine) -> list[Path]:
    """PostgreSQL's own log (WAL); none with SQLite, whose log stands beside its tables."""
    if engine.dialect.name == "sqlite":
        return []
    return [file for file in (_of_postgres(engine)[0] / "pg_wal").iterdir() if file.is_file()]


def _of_postgres(engine: Engine) -> tuple[Path, str]:
    """Its data folder, all of it written to disk, and the number of this database."""
    with engine.connect() as connection:
        connection.execute(text("CHECKPOINT"))
        folder = connection.execute(text("SHOW data_directory")).scalar_one()
        number = connection.execute(text("SELECT oid FROM pg_database WHERE datname = current_database()")).scalar_one()
    return Path(folder), str(number)
