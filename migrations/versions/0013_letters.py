"""Where somebody wants letters about the companies that they look after."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column; nobody has chosen yet."""
    op.add_column("person", sa.Column("letters_to", sa.String(), nullable=True))
