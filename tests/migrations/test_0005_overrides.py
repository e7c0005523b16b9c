"""Step 0005 adds overrides and questions beside rows that are there already, and overrides stay as they were written."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

import migrations
from bot.store.pulls import overrides, why_questions

pytestmark = pytest.mark.from_step("0004")

PULL = (
    "INSERT INTO pull (id, repository_id, number, installation_id, owner_id, owner, name, private, open, head_sha,"
    " latest, evaluated, attributed, queued, urgent, attempts)"
    " VALUES (1, 70, 7, 5, 8, 'cann', 'ops', false, true, 'a', 1, 1, 1, 0, false, 0)"
)
ROW = {
    "id": "o1", "pull_id": 1, "kind": "cla", "account_id": 2**40, "head_sha": "a", "by_account_id": 12,
    "by_login": "mia", "by_role": "maintain", "comment_id": 31, "reason": b"sealed", "at": "2026-01-01 00:00:00+00:00",
}  # fmt: skip
INSERT = f"INTO override ({', '.join(ROW)}) VALUES ({', '.join(':' + name for name in ROW)})"


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the release before, with a pull request, brought to this step, with one override."""
    assert not {"override", "question"} & set(inspect(engine).get_table_names())
    write(engine, PULL)
    migrations.upgrade(engine, "0005")
    write(engine, f"INSERT {INSERT}", **ROW)
    return engine


def write(engine, statement, **values):
    """Run it in a transaction of its own."""
    with engine.begin() as connection:
        connection.execute(text(statement), values)


@pytest.mark.slow
def test_rows_are_kept_through_every_later_step(engine):
    migrations.upgrade(engine)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT number FROM pull")).scalar_one() == 7
        held = dict(connection.execute(text("SELECT * FROM override")).mappings().one())
    assert {name: bytes(held[name]) if name == "reason" else held[name] for name in ROW if name != "at"} == {
        name: value for name, value in ROW.items() if name != "at"
    }


@pytest.mark.slow
def test_the_tables_are_those_of_the_records(engine):
    migrations.upgrade(engine)
    ours = {overrides.OverrideRow.__tablename__, why_questions.QuestionRecord.__tablename__}

    def only(_thing, name, kind, _reflected, _other):
        return kind != "table" or name in ours

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": only, "compare_type": True})
        assert [] == compare_metadata(context, SQLModel.metadata)


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE override SET head_sha = 'b'",
        "UPDATE override SET account_id = 13, reason = reason",
        "UPDATE override SET by_account_id = 14 WHERE id = 'o1'",
        "DELETE FROM override",
    ],
)
def test_an_override_never_changes(engine, statement):
    for step in ("0005", "head"):
        migrations.upgrade(engine, step)
        with pytest.raises(DBAPIError, match="rows never change"):
            write(engine, statement)


@pytest.mark.parametrize("changes", [{}, {"id": "o2"}, {"comment_id": 32}])
def test_an_override_is_not_replaced(engine, changes):
    """TRUNCATE on PostgreSQL and REPLACE on SQLite are ways around DELETE."""
    over, emptied = f"INSERT OR REPLACE {INSERT}", "TRUNCATE override"
    with pytest.raises(DBAPIError, match="rows never change"):
        write(engine, over if engine.dialect.name == "sqlite" else emptied, **{**ROW, **changes})


def test_a_reason_may_be_sealed_anew(engine):
    write(engine, "UPDATE override SET reason = :reason", reason=b"sealed anew")


@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        ({"kind": "all"}, "override_for_one_account_or_the_dco"),
        ({"account_id": None}, "override_for_one_account_or_the_dco"),
        ({"kind": "dco"}, "override_for_one_account_or_the_dco"),
        ({"account_id": 12}, "override_never_for_oneself"),
        ({"pull_id": 2}, "(?i)foreign key"),
    ],
)
def test_an_override_is_for_another_persons_account_on_a_known_pull_request(engine, changes, broken):
    with pytest.raises(DBAPIError, match=broken):
        write(engine, f"INSERT {INSERT}", **{**ROW, "id": "o2", "comment_id": 32, **changes})
