"""Add the mailboxes of merge groups: what a merge queue merges on trial, and our check run on it."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0016"
down_revision = "0015"
kind = "expand"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "merge_group",
        sa.Column("repository_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("installation_id", BigId(), nullable=False),
        sa.Column("owner_id", BigId(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("branch", sa.String(), nullable=False),
        sa.Column("numbers", sa.JSON(), nullable=False),
        sa.Column("requested_at", Moment(), nullable=True),
        sa.Column("destroyed_at", Moment(), nullable=True),
        sa.Column("waiting_since", Moment(), nullable=True),
        sa.Column("remote_id", BigId(), nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("intended_at", Moment(), nullable=True),
        sa.Column("latest", sa.Integer(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("queued", sa.Integer(), nullable=False),
        sa.Column("lease_by", sa.String(), nullable=True),
        sa.Column("lease_until", Moment(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", Moment(), nullable=True),
        sa.CheckConstraint("queued IN (0, 1, 2)", name="merge_group_queued_known"),
        sa.PrimaryKeyConstraint("repository_id", "head_sha"),
    )
