"""What the configured teams mean: the ids of the organisation and of the team."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the table; each name is resolved when it is first asked for."""
    op.create_table(
        "team",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("organization_id", BigId(), nullable=False),
        sa.Column("team_id", BigId(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
