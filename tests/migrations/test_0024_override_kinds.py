"""Step 0024 lets overrides be of an address or a vouch; those that are there stay, and stay as they were written."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import migrations
from tests.migrations.test_0005_overrides import INSERT, PULL, ROW, write

pytestmark = pytest.mark.from_step("0023")


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the release before with one override of each kind that it had, brought to this step."""
    write(engine, PULL)
    write(engine, f"INSERT {INSERT}", **ROW)
    write(engine, f"INSERT {INSERT}", **{**ROW, "id": "o2", "comment_id": 32, "kind": "dco", "account_id": None})
    migrations.upgrade(engine, "0024")
    return engine


def test_overrides_that_are_there_are_kept(engine):
    with engine.connect() as connection:
        found = connection.execute(text("SELECT id, kind, account_id, reason FROM override ORDER BY id")).all()
    assert [(row.id, row.kind, row.account_id, bytes(row.reason)) for row in found] == [
        ("o1", "cla", 2**40, b"sealed"),
        ("o2", "dco", None, b"sealed"),
    ]


@pytest.mark.parametrize("kind", ["address", "vouch", "dco"])
def test_an_override_of_a_new_kind_names_no_account(engine, kind):
    changes = {"id": "o3", "comment_id": 33, "kind": kind}
    with pytest.raises(DBAPIError, match="override_of_one_kind"):
        write(engine, f"INSERT {INSERT}", **{**ROW, **changes})
    write(engine, f"INSERT {INSERT}", **{**ROW, **changes, "account_id": None})


@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        ({"kind": "all"}, "override_of_one_kind"),
        ({"account_id": None}, "override_of_one_kind"),
        ({"account_id": 12}, "override_never_for_oneself"),
        ({"pull_id": 2}, "(?i)foreign key"),
        ({"comment_id": 31}, "(?i)unique|rows never change"),
    ],
)
def test_an_invalid_override_is_refused_as_before(engine, changes, broken):
    with pytest.raises(DBAPIError, match=broken):
        write(engine, f"INSERT {INSERT}", **{**ROW, "id": "o3", "comment_id": 33, **changes})


@pytest.mark.parametrize("statement", ["UPDATE override SET head_sha = 'b'", "DELETE FROM override"])
def test_overrides_never_change_but_for_their_seal(engine, statement):
    with pytest.raises(DBAPIError, match="rows never change"):
        write(engine, statement)
    write(engine, "UPDATE override SET reason = :reason", reason=b"anew")
