"""The database is there, whole and private, or what is the matter is said; on PostgreSQL as well."""

import pytest
from sqlalchemy import text

from agreements.store.tables.records import Campaign
from agreements.vault import KeyRing, Vault
from bot import clock, db
from tests.logged import log_rows


def test_a_missing_file_fails_and_is_not_made(deployed):
    file = deployed.folder / "none.db"
    status, message = deployed.item("database.reachable", DATABASE_URL=f"sqlite:///{file}")
    assert (status, message) == ("fail", f"There is no database file {file}.")
    assert not file.exists()


def test_an_older_schema_is_named_and_nothing_else_is_asked_of_it(deployed):
    engine = db.open_engine(deployed.environ["COUNTERSIGN_DATABASE_URL"])
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    engine.dispose()
    assert deployed.item("database.schema")[0] == "fail"
    assert deployed.item("work.backlog")[0] == "unknown"


def test_a_file_that_others_can_read_fails(deployed):
    """The file has every login that ever signed."""
    (deployed.folder / "test.db").chmod(0o644)
    status, message = deployed.item("database.private")
    assert (status, str(deployed.folder / "test.db") in message) == ("fail", True)


def test_an_unreachable_postgresql_is_one_line_without_its_password(deployed, postgres_url):
    assert deployed.item("database.schema", DATABASE_URL=postgres_url)[0] == "pass"
    away = "postgresql://countersign:hunter2@127.0.0.1:9/countersign"
    status, message = deployed.item("database.reachable", DATABASE_URL=away)
    assert status == "fail"
    assert "hunter2" not in message


@pytest.mark.slow
def test_the_log_of_an_empty_database_passes_and_records_without_a_log_fail(deployed):
    assert deployed.item("database.log")[0] == "pass"
    with deployed.sessions() as session:
        at = clock.now()
        session.add(Campaign(id="c", agreement="icla", version="2.0", until=at, started_at=at, started_by=90))
    assert deployed.item("database.log")[0] == "fail"
    with deployed.sessions() as session:
        log_rows(session, Vault(KeyRing.parse(deployed.keys.read_text())))
    assert deployed.item("database.log")[0] == "pass"
