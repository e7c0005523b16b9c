"""Step 0015 adds the row by which workers take turns at sweeping, and keeps the pull requests that are there."""

import pytest
from sqlalchemy import text

import migrations

pytestmark = pytest.mark.from_step("0014")

PULL = (
    "INSERT INTO pull (repository_id, number, installation_id, owner_id, owner, name, private, open, head_sha, latest,"
    " evaluated, attributed, queued, urgent, attempts, label, quiet, by_labels)"
    " VALUES (11, 5, 1, 7, 'cann', 'ge', true, true, 'a', 1, 1, 1, 0, false, 0, '', false, true)"
)


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before with a pull request in it, brought to this step."""
    with engine.begin() as connection:
        connection.execute(text(PULL))
    migrations.upgrade(engine, "0015")
    return engine


def test_pull_requests_are_kept_and_no_sweep_is_written(engine):
    with engine.begin() as connection:
        assert connection.execute(text("SELECT number, head_sha FROM pull")).one() == (5, "a")
        assert connection.execute(text("SELECT count(*) FROM sweep")).scalar_one() == 0
        connection.execute(text("INSERT INTO sweep (id, began_at) VALUES (1, '2026-11-02 00:00:00+00:00')"))
