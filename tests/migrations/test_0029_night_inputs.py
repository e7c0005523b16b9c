"""Step 0029 adds what an audit's files were made from; of those that are there it is not known, so they are made anew."""

import pytest
from sqlalchemy import text

import migrations
from tests.migrations.test_0009_audit import TABLES, write

pytestmark = pytest.mark.from_step("0028")


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the release before, after a night, brought to this step."""
    for table in ("audit_account", "audit_page"):
        write(engine, table, TABLES[table])
    assert migrations.upgrade(engine, "0029") == ("0029",)
    return engine


@pytest.mark.slow
def test_rows_are_kept_and_no_file_is_known_to_be_up_to_date(engine):
    with engine.connect() as connection:
        assert connection.execute(text("SELECT name, digest, inputs FROM audit_page")).all() == [
            ("report.json", "d", "")
        ]
        assert connection.execute(text("SELECT repositories, skipped FROM audit_account")).all() == [(1, 0)]


def test_the_release_before_writes_a_night(engine):
    write(engine, "audit_account", {**TABLES["audit_account"], "owner_id": 8})
    write(engine, "audit_page", {**TABLES["audit_page"], "name": "a.zip"})
    with engine.connect() as connection:
        assert connection.execute(text("SELECT inputs FROM audit_page")).scalars().all() == ["", ""]
