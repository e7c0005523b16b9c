"""A frozen table takes new rows, and refuses every change of one."""

import pytest
import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy.exc import DBAPIError

from migrations.frozen_rows import freeze

pytestmark = pytest.mark.from_nothing


@pytest.fixture(name="notes")
def _notes(engine):
    """An engine on a database with one frozen table; a row is known by its id, or by name and version."""
    with engine.begin() as connection, Operations.context(MigrationContext.configure(connection)) as op:
        words = [sa.Column(name, sa.String()) for name in ("name", "version")]
        op.create_table(
            "note", sa.Column("id", sa.String(), primary_key=True), *words, sa.UniqueConstraint("name", "version")
        )
        freeze("note", ("id",), ("name", "version"))
        op.execute("INSERT INTO note VALUES ('n1', 'icla', '1.0')")
    return engine


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE note SET version = '2.0'",
        "DELETE FROM note",
        "INSERT OR REPLACE INTO note VALUES ('n1', 'ccla', '1.0')",
        "INSERT OR REPLACE INTO note VALUES ('n2', 'icla', '1.0')",
        "TRUNCATE note",
    ],
)
def test_a_frozen_row_cannot_be_changed_or_deleted(notes, change):
    with pytest.raises(DBAPIError), notes.begin() as connection:
        connection.execute(sa.text(change))
    with notes.begin() as connection:
        assert connection.execute(sa.text("SELECT * FROM note")).all() == [("n1", "icla", "1.0")]


def test_a_row_that_differs_in_part_of_its_key_is_new(notes):
    with notes.begin() as connection:
        connection.execute(sa.text("INSERT INTO note VALUES ('n2', 'icla', '2.0'), ('n3', 'ccla', '1.0')"))
        assert connection.execute(sa.text("SELECT count(*) FROM note")).scalar_one() == 3
