"""Say of each mailbox when it is to be judged next, and whether somebody waits for it: a job then takes all that is due.

The release before stores a job for each subject, which this one takes, too, and it judges whatever the columns say: for
it `due_at` is when a sweep looks, and a subject that a job of its own waits for it does not ask for.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from agreements.store.tables.columns import Moment

revision = "0030"
down_revision = "0029"
kind = "expand"

_COVERED = {"pull": "evaluated", "license_check": "judged", "merge_group": "judged"}


def upgrade() -> None:
    """Add the columns and indexes; what has news and no moment to wait for is due now, in the queue where its job waits."""
    for table, covered in _COVERED.items():
        if table != "pull":
            op.add_column(table, sa.Column("urgent", sa.Boolean(), nullable=False, server_default=sa.false()))
        for name in ("due_at", "lease_by"):
            where = sa.text(f"{name} IS NOT NULL")
            op.create_index(f"ix_{table}_{name}", table, [name], sqlite_where=where, postgresql_where=where)
        columns: list[sa.ColumnClause[Any]] = [sa.column(name) for name in ("latest", covered, "queued", "lease_by")]
        rows = sa.table(table, *columns, sa.column("due_at", Moment()), sa.column("urgent", sa.Boolean()))
        news = sa.and_(rows.c[covered] < rows.c.latest, rows.c.lease_by.is_(None))
        op.execute(rows.update().where(news, rows.c.due_at.is_(None)).values(due_at=sa.func.current_timestamp()))
        op.execute(rows.update().where(news, rows.c.queued == 2).values(urgent=True))
