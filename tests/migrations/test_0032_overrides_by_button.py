"""Step 0032 lets an override name no comment; those that are there stay, and no row changes."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import migrations
from tests.migrations.test_0005_overrides import INSERT, PULL, ROW, write

pytestmark = pytest.mark.from_step("0031")

PRESSED = {**ROW, "comment_id": None, "kind": "vouch", "account_id": None}


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the release before with one override, brought to this step."""
    write(engine, PULL)
    write(engine, f"INSERT {INSERT}", **ROW)
    with pytest.raises(DBAPIError, match=r"(?i)not.null"):
        write(engine, f"INSERT {INSERT}", **{**PRESSED, "id": "o2"})
    migrations.upgrade(engine, "0032")
    return engine


@pytest.mark.slow
def test_several_overrides_may_name_no_comment(engine):
    for name in ("o2", "o3"):
        write(engine, f"INSERT {INSERT}", **{**PRESSED, "id": name})
    with engine.connect() as connection:
        found = connection.execute(text("SELECT id, comment_id FROM override ORDER BY id")).all()
    assert [tuple(row) for row in found] == [("o1", 31), ("o2", None), ("o3", None)]


@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        ({"comment_id": 31}, "(?i)unique|rows never change"),
        ({"account_id": 3}, "override_of_one_kind"),
        ({"pull_id": 2}, "(?i)foreign key"),
    ],
)
def test_an_invalid_override_is_refused_as_before(engine, changes, broken):
    with pytest.raises(DBAPIError, match=broken):
        write(engine, f"INSERT {INSERT}", **{**PRESSED, "id": "o2", **changes})


@pytest.mark.parametrize("statement", ["UPDATE override SET comment_id = NULL", "DELETE FROM override"])
def test_overrides_never_change_but_for_their_seal(engine, statement):
    with pytest.raises(DBAPIError, match="rows never change"):
        write(engine, statement)
    write(engine, "UPDATE override SET reason = :reason", reason=b"anew")
