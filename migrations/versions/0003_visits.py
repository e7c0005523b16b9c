"""Add the table of visits: server-side sessions of the portal."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "visit",
        sa.Column("id_hash", sa.String(length=64), nullable=False),
        sa.Column("account_id", BigId(), nullable=True),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("seen_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id_hash", name=op.f("pk_visit")),
    )
    op.create_index("ix_visit_account_id", "visit", ["account_id"])
    op.create_index("ix_visit_expires_at", "visit", ["expires_at"])
