"""Step 0014 adds what the nightly audits counted, and keeps the accounts that are there."""

import pytest
from sqlalchemy import text

import migrations

pytestmark = pytest.mark.from_step("0013")

ACCOUNT = (
    "INSERT INTO audit_account (owner_id, login, began_at, job_id, repositories, violations, why)"
    " VALUES (7, 'cann', '2026-11-01 00:00:00+00:00', 'j', 3, 2, '')"
)
NIGHT = (
    "INSERT INTO audit_totals (owner_id, at, repositories, violations, uses)"
    " VALUES (7, '2026-11-02 00:00:00+00:00', 3, 2, '{\"review\": 2}')"
)


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before with an account in it, brought to this step."""
    with engine.begin() as connection:
        connection.execute(text(ACCOUNT))
    migrations.upgrade(engine, "0014")
    return engine


def test_accounts_are_kept_without_a_count(engine):
    with engine.begin() as connection:
        assert connection.execute(text("SELECT repositories, violations FROM audit_account")).one() == (3, 2)
        assert connection.execute(text("SELECT count(*) FROM audit_totals")).scalar_one() == 0
        connection.execute(text(NIGHT))
