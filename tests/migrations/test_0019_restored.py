"""Step 0019 adds when the database came back from a backup, and keeps what is there."""

import pytest
from sqlalchemy import text

import migrations

pytestmark = pytest.mark.from_step("0018")


def test_a_database_that_was_never_restored_says_so(engine):
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO sweep (id, began_at) VALUES (1, '2026-11-02 00:00:00+00:00')"))

    migrations.upgrade(engine, "0019")

    with engine.connect() as connection:
        found = connection.execute(text("SELECT id, began_at IS NOT NULL, restored_at FROM sweep")).all()
    assert [tuple(row) for row in found] == [(1, True, None)]
