"""Step 0018 adds outgoing webhooks beside what is there; they are in one of three states."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

import migrations
from tests.migrations.test_0015_sweep import PULL

pytestmark = pytest.mark.from_step("0017")

WEBHOOK = (
    "INSERT INTO outgoing_webhook (id, state, attempts, not_before, made_at, endpoint, event, sealed)"
    " VALUES ('{}', '{}', 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00', 'chat', 'signed', '')"
)


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before with a pull request in it, brought to this step."""
    with engine.begin() as connection:
        connection.execute(text(PULL))
    migrations.upgrade(engine, "0018")
    return engine


def test_rows_are_kept_and_a_webhook_is_in_a_known_state(engine):
    with engine.begin() as connection:
        assert connection.execute(text("SELECT number, head_sha FROM pull")).one() == (5, "a")
        connection.execute(text(WEBHOOK.format("w1", "waiting")))
        assert connection.execute(text("SELECT count(*) FROM log_position")).scalar_one() == 0
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(text(WEBHOOK.format("w2", "lost")))
