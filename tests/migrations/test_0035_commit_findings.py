"""The step adds an empty table of findings; nothing that is there changes."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import migrations
from tests.migrations.test_0005_overrides import PULL, write

pytestmark = pytest.mark.from_step("0034")

INSERT = (
    "INSERT INTO commit_finding (repository_id, sha, kind, owner, name, branch, base_sha, found_at, digest)"
    " VALUES (11, 'a', :kind, 'cann', 'ops', 'main', 'b', '2026-11-29 12:00:00+00:00', '')"
)


@pytest.mark.slow
def test_rows_are_kept_and_a_commit_has_one_finding_of_a_known_kind(engine):
    write(engine, PULL)
    with engine.connect() as connection:
        before = connection.execute(text("SELECT * FROM pull")).all()
    migrations.upgrade(engine, "0035")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT * FROM pull")).all() == before
    with pytest.raises(DBAPIError, match="commit_finding_kind_known"):
        write(engine, INSERT, kind="other")
    write(engine, INSERT, kind="not-judged")
    with pytest.raises(DBAPIError, match=r"(?i)unique"):
        write(engine, INSERT, kind="not-passed")
