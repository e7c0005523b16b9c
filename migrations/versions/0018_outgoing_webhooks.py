"""Add the outgoing webhooks that wait or were sent, and how far the log of the records was read for them."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0018"
down_revision = "0017"
kind = "expand"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "outgoing_webhook",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", Moment(), nullable=False),
        sa.Column("made_at", Moment(), nullable=False),
        sa.Column("sent_at", Moment(), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("endpoint", sa.String(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("account_id", BigId(), nullable=True),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("state IN ('waiting', 'sent', 'failed')", name="outgoing_webhook_state_known"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_outgoing_webhook_state", "outgoing_webhook", ["state"])
    op.create_index("ix_outgoing_webhook_account_id", "outgoing_webhook", ["account_id"])
    op.create_table(
        "log_position",
        sa.Column("reader", sa.String(), nullable=False),
        sa.Column("next_number", BigId(), nullable=False),
        sa.PrimaryKeyConstraint("reader"),
    )
