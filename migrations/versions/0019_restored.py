"""When the database came back from a backup: what was made at GitHub before that may be forgotten here."""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import Moment

revision = "0019"
down_revision = "0018"
kind = "expand"


def upgrade() -> None:
    """Add the column; a restore fills it in."""
    op.add_column("sweep", sa.Column("restored_at", Moment, nullable=True))
