"""Accounts served, and their rulebook as last read."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "owner",
        sa.Column("account_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("login", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=True),
        sa.Column("read_at", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("account_id"),
    )
