"""Choices of cover: for whom a person contributes in one pull request. They never change."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment
from migrations.frozen_rows import freeze

revision = "0036"
down_revision = "0035"
kind = "expand"


def upgrade() -> None:
    """Add an empty table, whose rows stay as they are written."""
    op.create_table(
        "cover_choice",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("pull_id", BigId(), nullable=False),
        sa.Column("account_id", BigId(), nullable=False),
        sa.Column("company_id", sa.String(), nullable=True),
        sa.Column("comment_id", BigId(), nullable=True),
        sa.Column("at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.ForeignKeyConstraint(["company_id"], ["company.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_cover_choice_pull_id", "cover_choice", ["pull_id"])
    op.create_index("ix_cover_choice_account_id", "cover_choice", ["account_id"])
    op.create_index("ix_cover_choice_comment_id", "cover_choice", ["comment_id"], unique=True)
    freeze("cover_choice", ("id",), ("comment_id",))
