"""Which releases may still run on this schema, for those that do not know its newest steps; heads by their pull request."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
kind = "expand"


def upgrade() -> None:
    """Create the table; `migrations.upgrade` writes its one row. What is old is deleted by pull request."""
    op.create_table(
        "schema_floor",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("oldest", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_head_pull_id", "head", ["pull_id"])
