"""The history of the tables: forward-only steps, each able to run beside the release before it.

`countersign migrate` and the start-up check come in here.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

_LOCK = 0x436F756E74657273  # any number that nobody else takes: "Counters"


def upgrade(engine: Engine, to: str = "head") -> None:
    """Bring the database to revision `to`, wholly or not at all; does nothing when it is there already.

    Several processes may call this at once: the first one does it, the others wait.
    """
    settings = _settings()
    with engine.begin() as connection:
        _wait_for_others(connection)
        settings.attributes["connection"] = connection
        command.upgrade(settings, to)


def newest() -> str | None:
    """The newest revision that this release knows."""
    return ScriptDirectory.from_config(_settings()).get_current_head()


def current(engine: Engine) -> str | None:
    """The revision that the database stands at; None when it is empty."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def _wait_for_others(connection: Connection) -> None:
    """One migration at a time. On SQLite this also puts the whole upgrade into one transaction (DDL begins none there)."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def _settings() -> Config:
    settings = Config()
    settings.set_main_option("script_location", str(Path(__file__).parent))
    settings.set_main_option("path_separator", "os")
    return settings
