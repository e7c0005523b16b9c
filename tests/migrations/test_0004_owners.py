"""Step 0004 adds the table of owners beside rows that are there already."""

import pytest
from sqlalchemy import inspect, text

import migrations
from bot import db
from tests.migrations.test_0003_visits import INSERT

pytestmark = pytest.mark.from_nothing


def test_owners_can_be_kept_after_the_step(engine):
    migrations.upgrade(engine, "0003")
    assert not inspect(engine).has_table("owner")
    sessions = db.sessions(engine)
    with sessions() as session:
        session.execute(text(INSERT), {"sealed": b"sealed"})

    migrations.upgrade(engine, "0004")

    with sessions() as session:
        session.execute(text(f"INSERT INTO owner (account_id, login, rules) VALUES ({2**53}, 'cann', 'version: 1')"))
    with sessions() as session:
        assert session.execute(text("SELECT account_id, login, rules FROM owner")).one() == (
            2**53,
            "cann",
            "version: 1",
        )
        assert bytes(session.execute(text("SELECT sealed FROM visit")).scalar_one()) == b"sealed"
    assert inspect(engine).get_pk_constraint("owner")["constrained_columns"] == ["account_id"]
