"""Step 0036 adds choices of cover beside rows that are there already, and they stay as they were written."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import migrations
from tests.migrations.test_0005_overrides import PULL, write

pytestmark = pytest.mark.from_step("0035")

ROW = {
    "id": "c1",
    "pull_id": 1,
    "account_id": 2**40,
    "company_id": None,
    "comment_id": 31,
    "at": "2026-01-01 00:00:00+00:00",
}
INSERT = f"INTO cover_choice ({', '.join(ROW)}) VALUES ({', '.join(':' + name for name in ROW)})"


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the release before, with a pull request, brought to this step, with one choice."""
    write(engine, PULL)
    migrations.upgrade(engine, "0036")
    write(engine, f"INSERT {INSERT}", **ROW)
    return engine


@pytest.mark.slow
def test_choices_are_kept_through_every_later_step_and_several_may_name_no_comment(engine):
    for name in ("c2", "c3"):
        write(engine, f"INSERT {INSERT}", **{**ROW, "id": name, "comment_id": None})
    migrations.upgrade(engine)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT id, account_id, comment_id FROM cover_choice ORDER BY id")).all()
    assert [tuple(row) for row in found] == [("c1", 2**40, 31), ("c2", 2**40, None), ("c3", 2**40, None)]


@pytest.mark.parametrize(("changes", "broken"), [
    ({"comment_id": 31}, "(?i)unique|rows never change"), ({"pull_id": 2}, "(?i)foreign key"), ({"company_id": "none"}, "(?i)foreign key"),
])  # fmt: skip
def test_an_invalid_choice_is_refused(engine, changes, broken):
    with pytest.raises(DBAPIError, match=broken):
        write(engine, f"INSERT {INSERT}", **{**ROW, "id": "c2", "comment_id": 32, **changes})


@pytest.mark.parametrize("statement", ["UPDATE cover_choice SET account_id = 1", "DELETE FROM cover_choice"])
def test_choices_never_change(engine, statement):
    with pytest.raises(DBAPIError, match="rows never change"):
        write(engine, statement)
