"""Step 0013 adds the address for a person's letters, and keeps the people who are there."""

import pytest
from sqlalchemy import text

import migrations

pytestmark = pytest.mark.from_step("0012")

PERSON = (
    "INSERT INTO person (id, account_id, login, login_since, wrapped_key, ring_key_id, created_at)"
    " VALUES ('p', 11, 'ada', '2026-01-01 00:00:00+00:00', :key, 'k1', '2026-01-01 00:00:00+00:00')"
)


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before with somebody in it, brought to this step."""
    with engine.begin() as connection:
        connection.execute(text(PERSON), {"key": b"k"})
    migrations.upgrade(engine, "0013")
    return engine


def test_people_are_kept_without_a_choice(engine):
    with engine.begin() as connection:
        assert [tuple(row) for row in connection.execute(text("SELECT account_id, login, letters_to FROM person"))] == [
            (11, "ada", None)
        ]
        connection.execute(text("UPDATE person SET letters_to = 'proof'"))
