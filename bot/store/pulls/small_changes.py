"""Small changes: the lines with which pull requests passed without an agreement, by person: no person has more than the total.

A row is never deleted, not even with its person: else an erasure would give back the lines. It names the account alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import CheckConstraint, func
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.ledger import row_check, stored_ledger
from agreements.store.lookup import account_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import declare
from bot.store.records import PullRecord


class SmallChangeRow(SQLModel, table=True):
    """The `lines` of the account in a pull request, the most of all its heads; they count unless it was closed unmerged."""

    __tablename__ = "small_change"
    __table_args__ = (CheckConstraint("lines > 0", name="small_change_has_lines"), declare(logged=True))

    id: str = Field(primary_key=True)  # Both ids with a colon between: the log's keys are texts.
    pull_id: int = Field(sa_type=BigId, foreign_key="pull.id", index=True)
    account_id: int = Field(sa_type=BigId, index=True)
    lines: int
    counts: bool
    at: datetime = Field(sa_type=Moment)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallChangeDraft:
    """The `lines` of a pull request (`pull_id`, of `owner_id`) about to count for `account_ids`, of whom none may have more than `total`."""

    pull_id: int
    owner_id: int
    account_ids: frozenset[int]
    lines: int
    total: int


class CountedLines(NamedTuple):
    """The `lines` that count for accounts besides those of a draft; `unlogged` are table and key of each row that is not as the log says."""

    lines: Mapping[int, int]
    unlogged: tuple[tuple[str, str], ...] = ()


def reserve(context: RecordContext, draft: SmallChangeDraft) -> CountedLines:
    """Count these accounts' lines with this owner, besides those of the draft; if these fit the total, they count now, too.

    An account of which a row is not as it was logged has used up the total.
    """
    session, account_ids = context.session, draft.account_ids
    # Two pull requests of one person may be judged at once: the second waits here, and sees the lines of the first.
    stored_ledger.lock(session)
    owners = _rows_of(session, account_ids)
    refused = sorted(row_check.unlogged(session, context.vault, SmallChangeRow, [*owners]))
    counted = _counted(session, draft) | dict.fromkeys((owners[key] for key in refused), draft.total)
    if all(counted.get(account_id, 0) + draft.lines <= draft.total for account_id in account_ids):
        rows = (_counting(context, draft.pull_id, account_id, draft.lines) for account_id in sorted(account_ids))
        if changed := [row for row in rows if row is not None]:
            context.log("lines.counted", rows=changed)
    return CountedLines(counted, tuple((str(SmallChangeRow.__tablename__), key) for key in refused))


def end(context: RecordContext, pull_id: int, *, merged: bool) -> Sequence[SmallChangeRow]:
    """Store that a pull request was merged, or closed: then its lines count no longer; gives the rows that changed, for the log."""
    mine = select(SmallChangeRow).where(SmallChangeRow.pull_id == pull_id, col(SmallChangeRow.counts).is_not(merged))
    rows = context.session.exec(mine.order_by(col(SmallChangeRow.account_id))).all()
    for row in rows:
        row.counts, row.at = merged, context.at
    return rows


def of_account(session: Session, account_id: int) -> list[tuple[SmallChangeRow, PullRecord]]:
    """The rows of that account, each with its pull request."""
    query = select(SmallChangeRow, PullRecord).join(PullRecord, col(PullRecord.id) == col(SmallChangeRow.pull_id))
    mine = query.where(SmallChangeRow.account_id == account_key(account_id))
    return list(session.exec(mine.order_by(col(SmallChangeRow.pull_id))).all())


def _row(session: Session, pull_id: int, account_id: int) -> SmallChangeRow | None:
    return session.get(SmallChangeRow, f"{pull_id}:{account_id}", populate_existing=True)


def _counted(session: Session, draft: SmallChangeDraft) -> dict[int, int]:
    """The lines in other pull requests, and those that an earlier head of this one had more."""
    query = (
        select(SmallChangeRow.account_id, func.sum(SmallChangeRow.lines))
        .join(PullRecord, col(PullRecord.id) == col(SmallChangeRow.pull_id))
        .where(
            col(SmallChangeRow.account_id).in_(sorted(map(account_key, draft.account_ids))),
            SmallChangeRow.pull_id != draft.pull_id,
            SmallChangeRow.counts,
            PullRecord.owner_id == draft.owner_id,
        )
    )
    found = {account: int(lines) for account, lines in session.exec(query.group_by(col(SmallChangeRow.account_id)))}
    for account_id in draft.account_ids:
        if (own := _row(session, draft.pull_id, account_id)) is not None and own.lines > draft.lines:
            found[account_id] = found.get(account_id, 0) + own.lines - draft.lines
    return found


def _rows_of(session: Session, account_ids: Collection[int]) -> dict[str, int]:
    """The keys of these accounts' rows, each with its account."""
    wanted = col(SmallChangeRow.account_id).in_(sorted(account_ids))
    return dict(session.exec(select(SmallChangeRow.id, SmallChangeRow.account_id).where(wanted)).all())


def _counting(context: RecordContext, pull_id: int, account_id: int, lines: int) -> SmallChangeRow | None:
    """The row with at least these lines; None where it says so already."""
    row = _row(context.session, pull_id, account_id)
    if row is not None and row.counts and row.lines >= lines:
        return None
    if row is None:
        row = SmallChangeRow(
            id=f"{pull_id}:{account_id}",
            pull_id=pull_id,
            account_id=account_id,
            lines=lines,
            counts=True,
            at=context.at,
        )
        context.session.add(row)
    # The most of all heads: an older one, whose check passed, can be pushed and merged again.
    row.lines, row.counts, row.at = max(row.lines, lines), True, context.at
    return row
