"""The messages that wait to be sent to another server: e-mails (`bot.store.outbox`) and webhooks (`outgoing_webhooks`).

A job takes many that are due, as of what is judged (`bot.store.leases`); each is tried again for a day, then given up.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement, and_, bindparam, func
from sqlmodel import Field, Session, col, select, update
from sqlmodel.sql.expression import SelectOfScalar

from agreements.store.tables.columns import Moment
from bot.job_queue import QueueName
from bot.store.leases import Lease, LeasedRow, Leases
from bot.store.retry_policy import MAX_QUICK_RETRIES, retry_delay

MAX_TRIES: Final = MAX_QUICK_RETRIES + 1 + 24  # The quick ones take 46 minutes, the others come once an hour: a day.

# For statements whose rows the session holds no objects of.
NO_SYNCHRONIZE: Final[Mapping[str, object]] = MappingProxyType({"synchronize_session": False})


class OutgoingRow(LeasedRow):
    """The columns of a message that waits; `error` says why the last try did not work, without anything personal."""

    id: str = Field(primary_key=True)
    state: str = Field(index=True)
    not_before: datetime = Field(sa_type=Moment)  # The end of the last lease: the release before sends nothing earlier.
    made_at: datetime = Field(sa_type=Moment)
    sent_at: datetime | None = Field(default=None, sa_type=Moment)
    error: str | None = None


R = TypeVar("R", bound=OutgoingRow)


# Such a try counts: else a message that ends the process would be sent at each start.
INTERRUPTED: Final = "the process ended before the answer came"


class Outgoing(Leases[R, Lease[R]]):
    """The rows of one `model`, in the state `waiting` until they are sent or given up."""

    keys = ("id",)

    def unfinished(self) -> ColumnElement[bool]:
        """The condition for rows that wait to be sent."""
        return self._rows.c.state == "waiting"

    def claimed(self) -> Mapping[str, Any]:
        """Keep the release before from sending the row until the lease ends; an urgent row stays urgent."""
        return {"not_before": bindparam("until", type_=Moment()), "urgent": self._rows.c.urgent}

    def queue_of(self, *, urgent: bool) -> QueueName:  # noqa: ARG002 - what is urgent goes first there
        return "outgoing"

    def free_from(self, moment: Any) -> dict[str, Any]:
        """The same columns, and the one that keeps the release before from sending earlier."""
        return super().free_from(moment) | {"not_before": moment}

    def is_due(self, at: Any, too_late: Any = None) -> ColumnElement[bool]:
        """True where a job would take the row."""
        # Not one that the release before has claimed.
        return and_(super().is_due(at, too_late), self._rows.c.not_before <= at)

    def release(self, session: Session, lease: Lease[R], **values: Any) -> bool:
        """End the lease; the release before does not send the row earlier either."""
        if values.get("due_at") is not None:
            values["not_before"] = values["due_at"]
        return super().release(session, lease, **values)

    def claim_of(self, row: R, holder: str) -> Lease[R]:
        return Lease(row, holder)

    def sent(self, session: Session, lease: Lease[R], *, at: datetime) -> None:
        """Note that the other server has taken the message."""
        self._end(session, lease, state="sent", sent_at=at, error=None, **self.once_sent())

    def once_sent(self) -> Mapping[str, object]:
        """Further columns of a row that was sent."""
        return {}

    def put_off(self, session: Session, lease: Lease[R], error: str, *, at: datetime) -> str:
        """Try again later, or never after `MAX_TRIES`; gives the new state. `error` holds nothing personal."""
        attempts = lease.row.attempts + 1
        if attempts >= MAX_TRIES:  # A day is enough for an outage; after it, an operator may send the message again.
            return self.failed(session, lease, error)
        self.release(session, lease, attempts=attempts, due_at=at + retry_delay(attempts), error=error)
        return "waiting"

    def failed(self, session: Session, lease: Lease[R], error: str) -> str:
        """Note that it will never be sent; gives the new state. `error` holds nothing personal."""
        self._end(session, lease, state="failed", error=error)
        return "failed"

    def send_again(
        self, session: Session, ids: Collection[str], *where: ColumnElement[bool], at: datetime
    ) -> list[str]:
        """Have these messages (without ids: all) wait once more, as far as `where` holds; gives their ids."""
        these = (col(self.model.id).in_(list(ids)),) if ids else ()
        anew = {"state": "waiting", "attempts": 0, "due_at": at, "not_before": at, "error": None}
        waits = update(self.model).where(*where, *these).values(anew)
        return sorted(session.scalars(waits.returning(col(self.model.id)), execution_options=NO_SYNCHRONIZE))

    def free(self, *where: ColumnElement[bool]) -> SelectOfScalar[str]:
        """The ids of such rows that no other transaction has locked, for a statement that changes many at once."""
        # Two that lock the same rows in another order would deadlock, and the database ends one of them.
        return select(self.model.id).where(*where).with_for_update(skip_locked=True)

    def listed(self, session: Session, state: str | None = None) -> Iterator[R]:
        """All, or those in one state, oldest first, one at a time."""
        query = select(self.model).order_by(col(self.model.made_at), col(self.model.id))
        if state is not None:
            query = query.where(col(self.model.state) == state)
        yield from session.exec(query.execution_options(yield_per=500))  # A list may be long.

    def counts(self, session: Session) -> dict[str, int]:
        """The number of messages in each state."""
        query = select(self.model.state, func.count()).group_by(col(self.model.state))
        return dict(session.exec(query).all())

    def _end(self, session: Session, lease: Lease[R], **what: object) -> None:
        self.release(session, lease, attempts=lease.row.attempts + 1, due_at=None, **what)
