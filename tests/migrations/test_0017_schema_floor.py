"""Step 0017 writes down which releases may still run, and keeps what is there."""

import pytest
from sqlalchemy import text

import migrations

pytestmark = pytest.mark.from_step("0016")


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before, with a row in it."""
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO sweep (id, began_at) VALUES (1, '2026-11-02 00:00:00+00:00')"))
    return engine


def test_the_floor_is_the_release_before_and_is_written_once(engine):
    for _ in range(2):
        migrations.upgrade(engine, "0017")
        with engine.connect() as connection:
            assert connection.execute(text("SELECT id, oldest FROM schema_floor")).all() == [(1, "0015")]
            assert connection.execute(text("SELECT count(*) FROM sweep")).scalar_one() == 1
