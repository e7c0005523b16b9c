"""How often each administrator is written to about what is new, and up to where they have been told."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0024"
down_revision = "0017"
kind = "expand"


def upgrade() -> None:
    """Create the table; nobody has chosen or been told anything yet."""
    op.create_table(
        "notification",
        sa.Column("account_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("often", sa.String(), nullable=False),
        sa.Column("told_entry", BigId(), nullable=False),
        sa.Column("told_at", Moment(), nullable=False),
        sa.CheckConstraint("often IN ('at-once', 'daily', 'never')", name="notification_often_known"),
        sa.PrimaryKeyConstraint("account_id"),
    )
