"""Findings about commits in branches that require our check."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0035"
down_revision = "0034"
kind = "expand"


def upgrade() -> None:
    """Add an empty table: what was pushed before this release was not compared."""
    op.create_table(
        "commit_finding",
        sa.Column("repository_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("sha", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("branch", sa.String(), nullable=False),
        sa.Column("base_sha", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("count", sa.Integer(), nullable=True),
        sa.Column("found_at", Moment(), nullable=False),
        sa.Column("remote_id", BigId(), nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("intended_at", Moment(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('no-pull-request', 'not-judged', 'not-passed', 'lost-signoff', 'not-compared')",
            name="commit_finding_kind_known",
        ),
        sa.PrimaryKeyConstraint("repository_id", "sha"),
    )
    op.create_index("ix_commit_finding_found_at", "commit_finding", ["found_at"])
