"""The facts that verdicts rested on, sealed, to try other rules on."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the table; pull requests judged before have nothing in it until they are judged again."""
    op.create_table(
        "stored_facts",
        sa.Column("pull_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("stored_at", Moment(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=False),
        sa.Column("ring_key_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("pull_id"),
    )
    op.create_index("ix_stored_facts_stored_at", "stored_facts", ["stored_at"])
    op.create_index("ix_stored_facts_ring_key_id", "stored_facts", ["ring_key_id"])
