"""Step 0037 adds an empty table of heads; findings that are there stay as they are."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import migrations
from tests.migrations.test_0005_overrides import write
from tests.migrations.test_0035_commit_findings import INSERT as FINDING

pytestmark = pytest.mark.from_step("0036")

INSERT = 'INSERT INTO repository_heads (repository_id, heads) VALUES (11, \'{"main": "a"}\')'


@pytest.mark.slow
def test_findings_are_kept_and_a_repository_has_its_heads_once(engine):
    write(engine, FINDING, kind="not-judged")
    assert migrations.upgrade(engine, "0037") == ("0037",)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT base_sha FROM commit_finding")).scalars().all() == ["b"]
        assert connection.execute(text("SELECT count(*) FROM repository_heads")).scalar_one() == 0
    write(engine, INSERT)
    with pytest.raises(DBAPIError, match=r"(?i)unique"):
        write(engine, INSERT)
