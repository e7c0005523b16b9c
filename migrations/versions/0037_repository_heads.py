"""Heads of branches as their pushes told them: what a lost push is found by."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0037"
down_revision = "0036"
kind = "expand"


def upgrade() -> None:
    """Add an empty table: the first sweep of this release fills it."""
    op.create_table(
        "repository_heads",
        sa.Column("repository_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("compared_at", Moment(), nullable=True),
        sa.Column("heads", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("repository_id"),
    )
