"""Say of each e-mail and outgoing webhook when it is to be sent next, and who has it: jobs take many at a time.

The release before looks at `not_before` alone. A row that it stores says nothing of `due_at`, and is found within a minute.
"""

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import Moment

revision = "0031"
down_revision = "0030"
kind = "expand"

_CODES = ("code", "signatory-code")


def upgrade() -> None:
    """Add the columns and indexes; what waits is due when it was to be sent, codes before the rest."""
    for table in ("mail", "outgoing_webhook"):
        op.add_column(table, sa.Column("due_at", Moment(), nullable=True))
        op.add_column(table, sa.Column("urgent", sa.Boolean(), nullable=False, server_default=sa.false()))
        op.add_column(table, sa.Column("lease_by", sa.String(), nullable=True))
        op.add_column(table, sa.Column("lease_until", Moment(), nullable=True))
        for name in ("due_at", "lease_by"):
            where = sa.text(f"{name} IS NOT NULL")
            op.create_index(f"ix_{table}_{name}", table, [name], sqlite_where=where, postgresql_where=where)
        rows = sa.table(table, sa.column("state"), sa.column("due_at", Moment()), sa.column("not_before", Moment()))
        op.execute(rows.update().where(rows.c.state == "waiting").values(due_at=rows.c.not_before))
    mail = sa.table("mail", sa.column("kind"), sa.column("state"), sa.column("urgent", sa.Boolean()))
    op.execute(mail.update().where(mail.c.state == "waiting", mail.c.kind.in_(_CODES)).values(urgent=True))
