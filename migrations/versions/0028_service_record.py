"""When the database was first served, the last delivery and the last backup; how many deliveries GitHub sent in vain."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import Moment

revision = "0028"
down_revision = "0027"
kind = "expand"


def upgrade() -> None:
    """Add an empty table: what was before this release was written down nowhere."""
    op.create_table(
        "service_record",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("served_since", Moment(), nullable=True),
        sa.Column("delivered_at", Moment(), nullable=True),
        sa.Column("backed_up_at", Moment(), nullable=True),
        sa.Column("lost_deliveries", sa.Integer(), nullable=True),
        sa.Column("lost_since", Moment(), nullable=True),
        sa.Column("asked_at", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
