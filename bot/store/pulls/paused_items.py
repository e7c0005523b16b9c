"""Items that we stop writing on a pull request for a while: another App or person keeps reversing them, or GitHub refuses them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final, Literal

from sqlalchemy import CheckConstraint, and_, or_
from sqlalchemy import select as select_rows
from sqlmodel import Field, Session, SQLModel, col

from agreements.store.tables.columns import BigId, Moment
from bot.store.records import PullRecord
from bot.store.statements import Upsert, columns, delete_rows, read, run, table

Kind = Literal["check", "comment", "label"]

MAX_REVERSALS: Final = 3  # By others; then we stop: two programs would reverse each other for ever.
# A second server without webhooks reverses a label a few times a day at most, and a person who deletes a comment does
# so after a push: an hour would miss both.
PAUSES: Final[Mapping[str, timedelta]] = MappingProxyType(
    {"check": timedelta(days=1), "comment": timedelta(days=30), "label": timedelta(days=1)}
)
"""Reversals within this time are counted together, and after the last one we stop for as long."""
REFUSAL_PAUSE: Final = timedelta(hours=1)  # On the same head. A locked conversation, for example, may be unlocked.

OWN_APP: Final = "own-app"
PERSON: Final = "person"
UNKNOWN: Final = ""
"""Values of `reversed_by` beside the login of another App: not known, our own App, a person."""


class PausedItem(SQLModel, table=True):
    """The number of reversals of an item, or its refusal; `about` is the head (and label) that it is counted for."""

    __tablename__ = "paused_item"
    __table_args__ = (
        CheckConstraint("kind IN ('check', 'comment', 'label')", name="paused_item_kind_known"),
        CheckConstraint("reason IN ('reversed', 'refused')", name="paused_item_reason_known"),
    )

    pull_id: int = Field(
        sa_type=BigId, primary_key=True, foreign_key="pull.id", sa_column_kwargs={"autoincrement": False}
    )
    kind: str = Field(primary_key=True)
    reason: str = Field(primary_key=True)  # A refusal does not end the count of reversals.
    about: str
    times: int
    since: datetime = Field(sa_type=Moment)
    last_at: datetime = Field(sa_type=Moment)
    reversed_by: str


def about_label(head_sha: str, label: str) -> str:
    """The `about` of a label: a new head, or a verdict that asks for the other label, begins to count anew."""
    return f"{head_sha}:{label}"


@dataclass(frozen=True, slots=True)
class ReversedItem:
    """An item that we stopped writing on pull request `number` of `repository`: `kind`, `reversed_by` and `last_at`."""

    repository: str
    number: int
    kind: Kind
    reversed_by: str  # The login of an App, or one of the words above.
    last_at: datetime


@dataclass(frozen=True, slots=True)
class PausedItems:
    """The counts of one pull request: `rows` by kind and reason."""

    rows: Mapping[tuple[str, str], PausedItem] = field(default_factory=dict)

    def is_reversed(self, kind: Kind, about: str, *, at: datetime) -> bool:
        """True if others reversed it so often that we leave it as it is."""
        row = self.rows.get((kind, "reversed"))
        return (
            row is not None
            and row.about == about
            and row.times >= MAX_REVERSALS
            # A moment in the future was written by a clock that was ahead: it would pause the item for too long.
            and timedelta(0) <= at - row.last_at < PAUSES[kind]
        )

    def is_refused(self, kind: Kind, about: str, *, at: datetime) -> bool:
        """True if GitHub refused it a short time ago."""
        row = self.rows.get((kind, "refused"))
        # Another head, or another label, may be taken.
        return row is not None and row.about == about and timedelta(0) <= at - row.last_at < REFUSAL_PAUSE


_item, _pull = table(PausedItem).c, table(PullRecord).c
_KEY: Final = ("pull_id", "kind", "reason")
_WRITE: Final = Upsert.replacing(PausedItem, _KEY, "about", "times", "since", "last_at", "reversed_by")
_IS_ABOUT_NOW: Final = or_(  # A comment is counted for all heads, with an empty `about`.
    _item.kind == "comment", _item.about == _pull.head_sha, _item.about == _pull.head_sha + ":" + _pull.label
)
_STOPPED: Final = (
    select_rows(*columns(PullRecord, "owner", "name", "number"), _item.kind, _item.reversed_by, _item.last_at)
    .join(table(PullRecord), _pull.id == _item.pull_id)
    .where(_item.reason == "reversed", _item.times >= MAX_REVERSALS, _pull.open, _IS_ABOUT_NOW)
    .order_by(_item.last_at.desc(), _item.pull_id, _item.kind)
)


def count_reversal(
    session: Session, pull_id: int, kind: Kind, about: str, *, reversed_by: str = UNKNOWN, at: datetime
) -> int:
    """Note that others reversed the item; gives how often by now. From `MAX_REVERSALS` on it is paused."""
    row = read(session, PausedItem, pull_id=pull_id, kind=kind, reason="reversed")
    # Counted anew for another head, and once the first reversal is long past.
    is_same = row is not None and row.about == about and at - row.since <= PAUSES[kind]
    times, since = (row.times + 1, row.since) if row is not None and is_same else (1, at)
    _store(session, PausedItem(pull_id=pull_id, kind=kind, reason="reversed", about=about, times=times, since=since,
                                 last_at=at, reversed_by=reversed_by))  # fmt: skip
    return times


def remember_refusal(session: Session, pull_id: int, kind: Kind, about: str, *, at: datetime) -> None:
    """Note that GitHub refused to write the item."""
    _store(session, PausedItem(pull_id=pull_id, kind=kind, reason="refused", about=about, times=1, since=at,
                                 last_at=at, reversed_by=UNKNOWN))  # fmt: skip


def resume(session: Session, pull_id: int) -> int:
    """Have all items of that pull request written again; gives how many were paused."""
    return delete_rows(session, PausedItem, col(PausedItem.pull_id) == pull_id)


def stopped(session: Session, *, at: datetime) -> list[ReversedItem]:
    """The items that are not written on open pull requests since others keep reversing them: the newest first."""
    lasting = or_(*(and_(_item.kind == kind, _item.last_at > at - pause) for kind, pause in PAUSES.items()))
    return [
        ReversedItem(f"{row.owner}/{row.name}", row.number, row.kind, row.reversed_by, row.last_at)
        for row in run(session, _STOPPED.where(lasting))
    ]


def _store(session: Session, row: PausedItem) -> None:
    run(session, _WRITE, row.model_dump())
