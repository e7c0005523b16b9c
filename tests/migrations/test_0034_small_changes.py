"""Step 0034 adds the lines of small changes; pull requests that are there stay as they are."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import migrations
from tests.migrations.test_0005_overrides import PULL, write

pytestmark = pytest.mark.from_step("0033")

ROW = {"id": "1:11", "pull_id": 1, "account_id": 11, "lines": 3, "counts": True, "at": "2026-11-02 00:00:00+00:00"}
INSERT = f"INSERT INTO small_change ({', '.join(ROW)}) VALUES ({', '.join(f':{name}' for name in ROW)})"


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the release before with one pull request, brought to this step."""
    write(engine, PULL)
    assert migrations.upgrade(engine, "0034") == ("0034",)
    return engine


@pytest.mark.slow
def test_no_line_counts_for_anyone_yet(engine):
    with engine.connect() as connection:
        assert connection.execute(text("SELECT id FROM pull")).scalars().all() == [1]
        assert connection.execute(text("SELECT count(*) FROM small_change")).scalar_one() == 0


def test_a_pull_request_that_is_there_has_one_row_a_person_with_lines(engine):
    write(engine, INSERT, **ROW)
    write(engine, INSERT, **{**ROW, "id": "1:12", "account_id": 12})
    for changes, broken in [
        ({}, "(?i)unique"),
        ({"id": "1:13", "lines": 0}, "small_change_has_lines"),
        ({"id": "2:11", "pull_id": 2}, "(?i)foreign key"),
    ]:
        with pytest.raises(DBAPIError, match=broken):
            write(engine, INSERT, **{**ROW, **changes})
