"""What the nightly licence audits counted, for the trend in their report."""

import sqlalchemy as sa
from alembic import op

from audit.store.columns import GitHubId, Instant

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Create the table; the next night writes its first row."""
    op.create_table(
        "audit_totals",
        sa.Column("owner_id", GitHubId, nullable=False, autoincrement=False),
        sa.Column("at", Instant, nullable=False),
        sa.Column("repositories", sa.Integer(), nullable=False),
        sa.Column("violations", sa.Integer(), nullable=False),
        sa.Column("uses", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "at"),
    )
