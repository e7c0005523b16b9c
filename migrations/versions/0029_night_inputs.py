"""Add what the files of a nightly audit were made from, and of how many repositories an audit kept what was found before."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
kind = "expand"


def upgrade() -> None:
    """Add the columns; of files that are there it is not known, so the next night makes them anew."""
    op.add_column("audit_page", sa.Column("inputs", sa.String(), nullable=False, server_default=""))
    op.add_column("audit_account", sa.Column("skipped", sa.Integer(), nullable=False, server_default="0"))
