"""The number of jobs that wait in each queue, by the durable engine's own table: a scaler chooses workers by it."""

from typing import Final, get_args

from sqlalchemy import column, func, select, table
from sqlmodel import Session

from bot.job_queue import QueueName

_SCHEMA: Final = "dbos"


def read(session: Session) -> dict[QueueName, int]:
    """Jobs that may be taken at once, by queue; what waits for its moment, and what runs, does not count."""
    # SQLite has no schemas: DBOS's tables stand beside ours.
    schema = None if session.get_bind().dialect.name == "sqlite" else _SCHEMA
    jobs = table("workflow_status", column("status"), column("queue_name"), schema=schema)
    names = get_args(QueueName)
    waiting = (jobs.c.status == "ENQUEUED", jobs.c.queue_name.in_(names))
    found = session.execute(select(jobs.c.queue_name, func.count()).where(*waiting).group_by(jobs.c.queue_name))
    # A queue that became empty is a 0, too.
    return dict.fromkeys(names, 0) | {str(name): int(count) for name, count in found}
