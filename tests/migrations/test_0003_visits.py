"""Step 0003 adds the table of visits beside rows that are there already."""

import pytest
from sqlalchemy import inspect, text

import migrations
from bot import db

pytestmark = pytest.mark.from_nothing

INSERT = (
    "INSERT INTO visit (id_hash, account_id, sealed, created_at, seen_at, expires_at)"
    " VALUES ('a', 7, :sealed, '2026-11-21 12:00:00+00:00', '2026-11-21 12:00:00+00:00', '2026-11-21 12:30:00+00:00')"
)
"""A visit, with what the table has since this step."""


def test_visits_can_be_kept_after_the_step(engine):
    migrations.upgrade(engine, "0002")
    assert not inspect(engine).has_table("visit")

    migrations.upgrade(engine, "0003")

    sessions = db.sessions(engine)
    with sessions() as session:
        session.execute(text(INSERT), {"sealed": b"sealed"})
    with sessions() as session:
        assert bytes(session.execute(text("SELECT sealed FROM visit")).scalar_one()) == b"sealed"
    assert {index["name"] for index in inspect(engine).get_indexes("visit")} == {
        "ix_visit_account_id",
        "ix_visit_expires_at",
    }
