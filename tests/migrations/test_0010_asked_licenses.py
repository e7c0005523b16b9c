"""Step 0010 adds what registries answered beside rows that are there already."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import migrations

pytestmark = pytest.mark.from_step("0009")

ROW = "INSERT INTO asked_license (purl, note, source, address, asked_at) VALUES (:purl, '', 'registry', 'https://x', '2026-11-22 03:00:00+00:00')"


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before with a night, brought to this step."""
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO audit_blob (repository_id, sha) VALUES (1, 'a')"))
    migrations.upgrade(engine, "0010")
    return engine


def test_rows_are_kept_and_a_package_stands_once(engine):
    with engine.begin() as connection:
        connection.execute(text(ROW), {"purl": "pkg:npm/a@1"})
        assert connection.execute(text("SELECT count(*) FROM audit_blob")).scalar() == 1
        assert connection.execute(text("SELECT expression FROM asked_license")).scalar() is None
    with pytest.raises(DBAPIError, match=r"(?i)unique"), engine.begin() as connection:
        connection.execute(text(ROW), {"purl": "pkg:npm/a@1"})
