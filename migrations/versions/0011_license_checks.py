"""Add the mailboxes of the heads whose licences are judged, and let publications be runs of that check."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId, Moment

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Create the table; widen the constraint, for which SQLite copies the table."""
    op.create_table(
        "license_check",
        sa.Column("repository_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("basis", sa.JSON(), nullable=False),
        sa.Column("latest", sa.Integer(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("queued", sa.Integer(), nullable=False),
        sa.Column("lease_by", sa.String(), nullable=True),
        sa.Column("lease_until", Moment(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", Moment(), nullable=True),
        sa.CheckConstraint("queued IN (0, 1, 2)", name="license_check_queued_known"),
        sa.PrimaryKeyConstraint("repository_id", "head_sha"),
    )
    with op.batch_alter_table("publication", copy_from=_publication()) as publication:
        publication.drop_constraint("publication_kind_known", type_="check")
        publication.create_check_constraint("publication_kind_known", "kind IN ('check', 'comment', 'licenses')")


def _publication() -> sa.Table:
    """The table of the step before: SQLite does not tell its constraints."""
    return sa.Table(
        "publication",
        sa.MetaData(),
        sa.Column("pull_id", BigId(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("remote_id", BigId(), nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("intended_at", Moment(), nullable=False),
        sa.CheckConstraint("kind IN ('check', 'comment')", name="publication_kind_known"),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("pull_id", "kind", "head_sha"),
    )
