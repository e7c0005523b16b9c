"""Who keeps the check run of a head; our label on a pull request and whether we speak there; what a push replaced."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table and the columns; runs that are there already keep their pull request."""
    op.create_table(
        "head",
        sa.Column("repository_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("pull_id", BigId(), nullable=False),
        sa.ForeignKeyConstraint(["pull_id"], ["pull.id"]),
        sa.PrimaryKeyConstraint("repository_id", "head_sha"),
    )
    op.execute(
        "INSERT INTO head (repository_id, head_sha, pull_id) "
        "SELECT pull.repository_id, publication.head_sha, min(pull.id) FROM publication "
        "JOIN pull ON pull.id = publication.pull_id WHERE publication.kind = 'check' "
        "GROUP BY pull.repository_id, publication.head_sha"
    )
    op.add_column("pull", sa.Column("label", sa.String(), nullable=False, server_default=""))
    op.add_column("pull", sa.Column("quiet", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("pull", sa.Column("by_labels", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("push", sa.Column("before", sa.String(), nullable=False, server_default=""))
