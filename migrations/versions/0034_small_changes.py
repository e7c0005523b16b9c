"""Lines of small changes, which pass without an agreement, by person."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0034"
down_revision = "0033"
kind = "expand"


def upgrade() -> None:
    """Add an empty table."""
    op.create_table(
        "small_change",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("pull_id", BigId(), sa.ForeignKey("pull.id"), nullable=False),
        sa.Column("account_id", BigId(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.CheckConstraint("lines > 0", name="small_change_has_lines"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_small_change_pull_id", "small_change", ["pull_id"])
    op.create_index("ix_small_change_account_id", "small_change", ["account_id"])
