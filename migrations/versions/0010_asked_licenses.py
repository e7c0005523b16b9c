"""What registries said of packages' licences."""

import sqlalchemy as sa
from alembic import op

from audit.store.columns import Instant

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Create the table; what is asked from now on is kept in it."""
    op.create_table(
        "asked_license",
        sa.Column("purl", sa.String(), nullable=False),
        sa.Column("expression", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("asked_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("purl"),
    )
    op.create_index("ix_asked_license_asked_at", "asked_license", ["asked_at"])
