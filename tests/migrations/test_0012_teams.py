"""Step 0012 adds the table of configured teams beside rows that are there already."""

import pytest
from sqlalchemy import inspect

import migrations
from bot import db
from bot.github.ports import Team
from bot.store import owners, team_records

pytestmark = pytest.mark.from_nothing


def test_teams_can_be_kept_after_the_step(engine):
    migrations.upgrade(engine, "0011")
    assert not inspect(engine).has_table("team")
    sessions = db.sessions(engine)
    with sessions() as session:
        owners.remember_login(session, "cann", 2**53)

    migrations.upgrade(engine, "0012")

    with sessions() as session:
        team_records.keep(session, "cann/cla-admins", Team(2**53, 2**52))
    with sessions() as session:
        assert team_records.all_known(session) == {"cann/cla-admins": Team(2**53, 2**52)}
        assert owners.resolved(session) == {"cann": 2**53}
    assert inspect(engine).get_pk_constraint("team")["constrained_columns"] == ["name"]
