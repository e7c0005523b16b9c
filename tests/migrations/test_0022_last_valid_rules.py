"""Step 0022 adds the last rulebook without mistakes: at first the one that is there."""

import pytest
from sqlalchemy import text

import migrations

pytestmark = pytest.mark.from_step("0021")


def test_the_rulebook_that_is_there_is_kept(engine):
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO owner (account_id, login, rules) VALUES (7, 'cann', 'version: 1')"))
        connection.execute(text("INSERT INTO owner (account_id, login) VALUES (8, 'beta')"))

    migrations.upgrade(engine, "0022")

    with engine.connect() as connection:
        found = connection.execute(text("SELECT account_id, rules, last_valid FROM owner ORDER BY account_id")).all()
    assert [tuple(row) for row in found] == [(7, "version: 1", "version: 1"), (8, None, None)]
