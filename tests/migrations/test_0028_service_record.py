"""Step 0028 adds a table of one row; what was before it is not known, and nothing that is there changes."""

import pytest
from sqlalchemy import text

import migrations
from tests.migrations.test_0005_overrides import PULL, write

pytestmark = pytest.mark.from_step("0027")


@pytest.mark.slow
def test_rows_are_kept_and_the_new_table_is_empty(engine):
    write(engine, PULL)
    write(engine, "INSERT INTO sweep (id, began_at) VALUES (1, '2026-11-02 00:00:00+00:00')")
    with engine.connect() as connection:
        before = [connection.execute(text(f"SELECT * FROM {name}")).all() for name in ("pull", "sweep")]
    assert migrations.upgrade(engine, "0028") == ("0028",)
    with engine.connect() as connection:
        after = [connection.execute(text(f"SELECT * FROM {name}")).all() for name in ("pull", "sweep")]
        assert connection.execute(text("SELECT count(*) FROM service_record")).scalar_one() == 0
    assert before == after

    write(engine, "INSERT INTO service_record (id) VALUES (1)")
    with engine.connect() as connection:
        [row] = connection.execute(text("SELECT * FROM service_record")).all()
    assert tuple(row) == (1, *[None] * 6)
