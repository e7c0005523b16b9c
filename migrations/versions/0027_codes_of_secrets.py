"""A look-up under the key ring for each API token, and a code for each session, one-time code and link to sign.

The program fills them in, as a migration has no keys. The release before knows none of these columns and leaves them alone.
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
kind = "expand"


def upgrade() -> None:
    """Add columns that are empty, and an index by which the newest entries of a kind are found."""
    op.create_index("ix_ledger_entry_kind_number", "ledger_entry", ["kind", "number"])
    op.add_column("api_token", sa.Column("token_index", sa.LargeBinary(), nullable=True))
    op.create_index("ix_api_token_token_index", "api_token", ["token_index"])
    for table in ("visit", "one_time_code", "signatory_request"):
        op.add_column(table, sa.Column("mac", sa.String(), nullable=True))
