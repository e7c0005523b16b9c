"""`countersign sweep` queues a full round, which the running worker does."""

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from bot.cli.migrate import command as migrate
from bot.cli.sweep import command
from bot.store import sweeps


@pytest.fixture(name="environ")
def _environ(database_url):
    """A database as `countersign migrate` leaves it."""
    environ = {"COUNTERSIGN_DATABASE_URL": database_url}
    assert CliRunner(env=environ).invoke(migrate, []).exit_code == 0
    return environ


@pytest.mark.slow
def test_a_full_round_is_queued(environ, sessions, engine):
    result = CliRunner(env=environ).invoke(command, [])

    assert (result.exit_code, result.stdout.partition(":")[0]) == (0, "queued")
    schema = "dbos." if engine.dialect.name == "postgresql" else ""
    with engine.connect() as connection:
        assert connection.execute(text(f"SELECT count(*) FROM {schema}workflow_status")).scalar() == 1
    with sessions() as session:
        assert sweeps.state(session).full_at is not None


def test_a_missing_database_is_not_created(tmp_path):
    file = tmp_path / "typo.db"
    result = CliRunner(env={"COUNTERSIGN_DATABASE_URL": f"sqlite:///{file}"}).invoke(command, [])
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        result.stderr
        == f"countersign: there is no database at {file}: set COUNTERSIGN_DATABASE_URL to the server's, or run `countersign migrate` to make one\n"
    )
