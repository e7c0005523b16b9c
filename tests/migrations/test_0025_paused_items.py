"""Step 0025 adds what is withheld, and when a label was put on; pull requests that are there stay as they are."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import migrations
from tests.migrations.test_0005_overrides import PULL, write

pytestmark = pytest.mark.from_step("0024")

ROW = {"pull_id": 1, "kind": "label", "reason": "reversed", "about": "a", "times": 1, "since": "2026-11-02 00:00:00+00:00",
       "last_at": "2026-11-02 00:00:00+00:00", "reversed_by": ""}  # fmt: skip
INSERT = f"INSERT INTO paused_item ({', '.join(ROW)}) VALUES ({', '.join(f':{name}' for name in ROW)})"


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the release before with one pull request, brought to this step."""
    write(engine, PULL)
    with engine.begin() as connection:
        connection.execute(text("UPDATE pull SET label = 'cla-signed'"))
    assert migrations.upgrade(engine, "0025") == ("0025",)
    return engine


@pytest.mark.slow
def test_a_label_from_before_the_step_is_not_known_to_be_there(engine):
    """The removal of such a label meanwhile is then no reversal."""
    with engine.connect() as connection:
        assert connection.execute(text("SELECT id, label, labelled_at FROM pull")).all() == [(1, "cla-signed", None)]
        assert connection.execute(text("SELECT count(*) FROM paused_item")).scalar_one() == 0


def test_an_item_of_a_known_pull_request_has_one_row_a_reason(engine):
    for changes in ({}, {"reason": "refused"}, {"kind": "check"}, {"kind": "comment"}):
        write(engine, INSERT, **{**ROW, **changes})
    for changes, broken in [
        ({}, "(?i)unique"),
        ({"kind": "title"}, "paused_item_kind_known"),
        ({"kind": "comment", "reason": "bored"}, "paused_item_reason_known"),
        ({"pull_id": 2}, "(?i)foreign key"),
    ]:
        with pytest.raises(DBAPIError, match=broken):
            write(engine, INSERT, **{**ROW, **changes})


def test_the_release_before_writes_pull_requests(engine):
    with engine.begin() as connection:
        before = connection.execute(text("SELECT * FROM pull")).mappings().one()
        row = {name: value for name, value in before.items() if name != "labelled_at"}
        names = ", ".join(row)
        values = ", ".join(f":{name}" for name in row)
        connection.execute(text(f"INSERT INTO pull ({names}) VALUES ({values})"), {**row, "id": 2, "number": 2})
