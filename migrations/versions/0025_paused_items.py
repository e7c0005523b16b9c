"""What is not written for a while on a pull request, since somebody reverses it or GitHub refuses it; when a label was last confirmed."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0025"
down_revision = "0024"
kind = "expand"


def upgrade() -> None:
    """Add an empty table, and a column that the next label which is written fills in."""
    op.add_column("pull", sa.Column("labelled_at", Moment(), nullable=True))
    op.create_table(
        "paused_item",
        sa.Column("pull_id", BigId(), sa.ForeignKey("pull.id"), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("since", Moment(), nullable=False),
        sa.Column("last_at", Moment(), nullable=False),
        sa.Column("reversed_by", sa.String(), nullable=False),
        sa.CheckConstraint("kind IN ('check', 'comment', 'label')", name="paused_item_kind_known"),
        sa.CheckConstraint("reason IN ('reversed', 'refused')", name="paused_item_reason_known"),
        sa.PrimaryKeyConstraint("pull_id", "kind", "reason"),
    )
