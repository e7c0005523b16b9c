"""What an account chose for the pages that it sees: the time zone of their times."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import BigId

revision = "0038"
down_revision = "0037"
kind = "expand"


def upgrade() -> None:
    """Add a table in which nobody has chosen anything yet."""
    op.create_table(
        "account_settings",
        sa.Column("account_id", BigId(), autoincrement=False, nullable=False),
        sa.Column("time_zone", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("account_id"),
    )
