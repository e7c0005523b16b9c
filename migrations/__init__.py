"""The history of the tables: forward-only steps, each able to run beside the release before it."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine


def upgrade(engine: Engine, to: str = "head") -> None:
    """Bring the database to revision `to`; does nothing when it is there already."""
    settings = _settings()
    with engine.begin() as connection:
        settings.attributes["connection"] = connection
        command.upgrade(settings, to)


def newest() -> str | None:
    """The newest revision that this release knows."""
    return ScriptDirectory.from_config(_settings()).get_current_head()


def current(engine: Engine) -> str | None:
    """The revision that the database stands at; None when it is empty."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def _settings() -> Config:
    settings = Config()
    settings.set_main_option("script_location", str(Path(__file__).parent))
    settings.set_main_option("path_separator", "os")
    return settings
