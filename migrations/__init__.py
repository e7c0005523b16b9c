"""The history of the tables: forward-only steps, each able to run beside the release before it.

`countersign migrate`, the start-up check and `/readyz` come in here. Revisions are numbers of four digits, so that a release
can compare its own with one that it does not know. Each step after 0015 says what it does: `kind = "expand"` leaves everything
that the release before uses, `kind = "contract"` takes something away, and names in `oldest` the first revision whose release
does without it (docs/decisions/migrations.md).
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType

from sqlalchemy import Connection, Engine, inspect, text

OLDER = "the database has an older schema: run countersign migrate"
NEWER = (
    "the database has a newer schema, which this release cannot use: run the release that migrated it, or a later one"
)

_LOCK_KEY = 0x436F756E74657273  # any number that no other program takes: "Counters"
_FIRST_OLDEST = "0015"
_READ_REVISION = text("SELECT version_num FROM alembic_version")
_READ_OLDEST = text("SELECT oldest FROM schema_floor WHERE id = 1")


def upgrade(engine: Engine, to: str = "head") -> tuple[str, ...]:
    """Bring the database to revision `to`, wholly or not at all, and return the steps that were applied, in order.

    Nothing is applied when it is there already, or beyond what we know.

    Several processes may call this at once: the first one does it, the others wait.
    """
    with engine.begin() as connection:
        return upgrade_within(connection, to)


def upgrade_within(connection: Connection, to: str = "head") -> tuple[str, ...]:
    """The same in the connection's transaction, which the caller commits."""
    _wait_for_others(connection)
    before = _revision(connection)
    if before is not None and (before not in _steps() or _is_whole(connection, before)):
        return ()
    return _upgraded(connection, to)


def problem(engine: Engine) -> str | None:
    """The reason why this release cannot run on the database, in one line; None when it can: its own schema, or a newer one that allows it."""
    with engine.connect() as connection:
        at = _revision(connection)
        if at == newest():
            return None
        if at is None or at in _steps():
            return OLDER
        oldest = connection.execute(_READ_OLDEST).scalar_one_or_none()
    return None if oldest is not None and newest() >= oldest else NEWER


def oldest(steps: Iterable[ModuleType]) -> str:
    """The first revision whose release can run on the schema that these steps made."""
    contracted = (step.oldest for step in steps if getattr(step, "kind", "") == "contract")
    return max(contracted, default=_FIRST_OLDEST)


@cache
def newest() -> str:
    """The newest revision that this release knows."""
    return max(_steps())


def is_known(revision: str) -> bool:
    """Whether this release has the steps up to that revision."""
    return revision in _steps()


def current(engine: Engine) -> str | None:
    """The revision that the database stands at; None when it is empty."""
    with engine.connect() as connection:
        return _revision(connection)


def _upgraded(connection: Connection, to: str) -> tuple[str, ...]:
    """Apply the steps that are missing. Alembic takes 8 MiB, which a server of which none is missing does without."""
    from migrations import steps  # noqa: PLC0415 - memory of a server

    applied = steps.apply(connection, to)
    if inspect(connection).has_table("schema_floor"):
        _write_oldest(connection, oldest(steps.modules(_revision(connection))))
    return applied


def _is_whole(connection: Connection, at: str) -> bool:
    """Whether nothing is left to be done: the newest schema, which says who can use it."""
    return at == newest() and connection.execute(_READ_OLDEST).scalar_one_or_none() is not None


def _revision(connection: Connection) -> str | None:
    """The revision that Alembic wrote down; None before its first step."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(_READ_REVISION).scalar_one_or_none()


@cache
def _steps() -> frozenset[str]:
    """The files of the steps begin with their revisions."""
    return frozenset(file.name[:4] for file in (Path(__file__).parent / "versions").glob("[0-9][0-9][0-9][0-9]_*.py"))


def _write_oldest(connection: Connection, oldest: str) -> None:
    """Nothing is written where it stands there already: a role that may only read can start on a database that is whole."""
    if connection.execute(_READ_OLDEST).scalar_one_or_none() == oldest:
        return
    connection.execute(text("DELETE FROM schema_floor"))
    connection.execute(text("INSERT INTO schema_floor (id, oldest) VALUES (1, :oldest)"), {"oldest": oldest})


def _wait_for_others(connection: Connection) -> None:
    """One migration at a time. On SQLite this also puts the whole upgrade into one transaction (DDL begins none there)."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK_KEY})
