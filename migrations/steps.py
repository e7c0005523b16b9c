"""The steps as Alembic knows them: applied, and read for what they say of themselves."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def apply(connection: Connection, to: str) -> tuple[str, ...]:
    """Bring the database to revision `to`; the revisions that were applied, in order."""
    applied: list[str] = []
    found = settings()
    found.attributes |= {"connection": connection, "applied": applied}
    command.upgrade(found, to)
    return tuple(applied)


def modules(at: str | None) -> Iterator[ModuleType]:
    """The steps from the first one up to that revision, newest first."""
    return (step.module for step in scripts().walk_revisions("base", at or "base"))


def scripts() -> ScriptDirectory:
    """All steps."""
    return ScriptDirectory.from_config(settings())


def settings() -> Config:
    """The folder of the steps."""
    found = Config()
    found.set_main_option("script_location", str(Path(__file__).parent))
    found.set_main_option("path_separator", "os")
    return found
