"""A code under the key ring for each row that the log names; the program fills it in from the log, as a migration has no keys."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId

revision = "0026"
down_revision = "0025"
kind = "expand"


def upgrade() -> None:
    """Add an empty table."""
    op.create_table(
        "row_mac",
        sa.Column("table_name", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("entry", BigId(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("ring_key_id", sa.String(), nullable=False),
        sa.Column("mac", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("table_name", "key"),
    )
    op.create_index("ix_row_mac_ring_key_id", "row_mac", ["ring_key_id"])
