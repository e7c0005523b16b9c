"""An account's last rulebook without mistakes, beside the one that was read last."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
kind = "expand"


def upgrade() -> None:
    """Add the column; whoever reads it sees whether what is there has mistakes."""
    op.add_column("owner", sa.Column("last_valid", sa.String(), nullable=True))
    op.execute("UPDATE owner SET last_valid = rules")
