"""When the sweep last began, for several workers to take turns."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import Moment

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table; the first sweep writes its row."""
    op.create_table(
        "sweep",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("began_at", Moment, nullable=True),
        sa.Column("full_at", Moment, nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
