"""How often each administrator is written to about what is new; and what lists and numbers over time are read by."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0020"
down_revision = "0019"
kind = "expand"


def upgrade() -> None:
    """Create the table, in which nobody has chosen or been told anything yet, and the indexes."""
    op.create_table(
        "notification",
        sa.Column("account_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("often", sa.String(), nullable=False),
        sa.Column("told_entry", BigId(), nullable=False),
        sa.Column("told_at", Moment(), nullable=False),
        sa.CheckConstraint("often IN ('at-once', 'daily', 'never')", name="notification_often_known"),
        sa.PrimaryKeyConstraint("account_id"),
    )
    op.create_index("ix_signature_signed_at", "signature", ["signed_at"])
    op.create_index("ix_person_created_at", "person", ["created_at"])
    op.create_index("ix_verdict_judged_at", "verdict", ["judged_at"])
