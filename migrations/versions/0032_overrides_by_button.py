"""Overrides that no comment gave: a person pressed a button of a check run."""

from importlib import import_module

from alembic import op

from agreements.store.tables.columns import BigId

revision = "0032"
down_revision = "0031"
kind = "expand"


def upgrade() -> None:
    """Let an override name no comment; what the table holds stays, and so does what keeps its rows from changes."""
    if op.get_bind().dialect.name != "sqlite":
        op.alter_column("override", "comment_id", existing_type=BigId(), nullable=True)
        return
    # SQLite makes the table anew, and with it the triggers that it loses.
    with op.batch_alter_table("override", recreate="always") as table:
        table.alter_column("comment_id", existing_type=BigId(), nullable=True)
    for statement in import_module("migrations.versions.0005_overrides").ON_SQLITE:
        op.execute(statement)
