"""What waits to be sent to another server: claimed by one sender at a time, retried with growing delays, then given up.

Used by outgoing mail (`bot.store.outbox`) and outgoing webhooks (`bot.store.outgoing_webhooks`).
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import ColumnElement, func
from sqlmodel import Field, Session, SQLModel, col, select, update
from sqlmodel.sql.expression import SelectOfScalar

from agreements.store.tables.columns import Moment

SENDING_LEASE: Final = timedelta(minutes=10)
"""How long whoever sends something has it for themselves; after a crash it is sent again then."""

RETRY_DELAYS: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, *[60] * 23))
"""How long after each try that did not work the next one comes: quickly at first, then hourly for a day."""

NO_SYNCHRONIZE: Final[Mapping[str, object]] = MappingProxyType({"synchronize_session": False})
"""For statements whose rows nobody holds in the session."""


class QueuedRow(SQLModel):
    """The columns of something that waits; `error` says why the last try did not work, without anything personal."""

    id: str = Field(primary_key=True)
    state: str = Field(index=True)
    attempts: int = 0
    not_before: datetime = Field(sa_type=Moment)
    made_at: datetime = Field(sa_type=Moment)
    sent_at: datetime | None = Field(default=None, sa_type=Moment)
    error: str | None = None


R = TypeVar("R", bound=QueuedRow)


class DeliveryQueue(Generic[R]):
    """The rows of one `model`; those for which `urgency` is lowest are claimed first. `once_sent` is set when one was taken."""

    def __init__(
        self,
        model: type[R],
        *,
        urgency: ColumnElement[Any] | None = None,
        once_sent: Mapping[str, object] | None = None,
    ) -> None:
        self.model = model
        self._order = () if urgency is None else (urgency,)
        self._once_sent = once_sent or {}

    def claim(self, session: Session, *, at: datetime) -> R | None:
        """The next to send, held for LEASE and counted as tried; None when none is due. Commit before sending.

        The least tried come first: what fails again and again holds up nothing.
        """
        model = self.model
        due = (
            select(model.id, model.attempts)
            .where(col(model.state) == "waiting", col(model.not_before) <= at)
            .order_by(*self._order, col(model.attempts), col(model.not_before), col(model.id))
            .limit(20)
        )
        for row_id, attempts in session.exec(due).all():
            # Several replicas look at the same moment: only one of them finds the row as it was.
            mine = update(model).where(col(model.id) == row_id, *self._untouched(attempts))
            taken = session.exec(
                mine.values(attempts=attempts + 1, not_before=at + SENDING_LEASE), execution_options=NO_SYNCHRONIZE
            )
            if taken.rowcount:
                return session.exec(select(model).where(col(model.id) == row_id)).one()
        return None

    def sent(self, session: Session, row: R, *, at: datetime) -> None:
        """The other server has taken the claimed one."""
        self._note(session, row, state="sent", sent_at=at, error=None, **self._once_sent)

    def put_off(self, session: Session, row: R, error: str, *, at: datetime) -> str:
        """Sending the claimed one did not work this time: try again later, or never. `error` holds nothing personal."""
        if row.attempts > len(RETRY_DELAYS):
            return self.failed(session, row, error)
        self._note(session, row, not_before=at + RETRY_DELAYS[row.attempts - 1], error=error)
        return "waiting"

    def failed(self, session: Session, row: R, error: str) -> str:
        """The claimed one cannot be sent, now or later. `error` holds nothing personal."""
        self._note(session, row, state="failed", error=error)
        return "failed"

    def again(self, session: Session, ids: Collection[str], *where: ColumnElement[bool], at: datetime) -> list[str]:
        """Have these (none named: all) wait once more, of those for which `where` holds; their ids."""
        these = (col(self.model.id).in_(list(ids)),) if ids else ()
        waits = update(self.model).where(*where, *these).values(state="waiting", attempts=0, not_before=at, error=None)
        return sorted(session.scalars(waits.returning(col(self.model.id)), execution_options=NO_SYNCHRONIZE))

    def free(self, *where: ColumnElement[bool]) -> SelectOfScalar[str]:
        """The ids of such rows that no other transaction has: what changes many at once waits for none of them.

        Two that change the same rows in another order would wait for each other, and the database ends one of them.
        """
        return select(self.model.id).where(*where).with_for_update(skip_locked=True)

    def listed(self, session: Session, state: str | None = None) -> Iterator[R]:
        """All, or those in one state, oldest first, one at a time: a list may be long."""
        query = select(self.model).order_by(col(self.model.made_at), col(self.model.id))
        if state is not None:
            query = query.where(col(self.model.state) == state)
        yield from session.exec(query.execution_options(yield_per=500))

    def counts(self, session: Session) -> dict[str, int]:
        """How many are in each state."""
        query = select(self.model.state, func.count()).group_by(col(self.model.state))
        return dict(session.exec(query).all())

    def _untouched(self, attempts: int) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        """Nobody has claimed or ended it since it had that many attempts."""
        return col(self.model.state) == "waiting", col(self.model.attempts) == attempts

    def _note(self, session: Session, row: R, **what: object) -> None:
        """Write down what became of a claimed one, unless its lease ran out and another has claimed it since."""
        mine = update(self.model).where(col(self.model.id) == row.id, *self._untouched(row.attempts))
        session.exec(mine.values(**what), execution_options=NO_SYNCHRONIZE)
