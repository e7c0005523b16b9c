"""Who takes part in which pull request, so that a signature finds just the reviews that it may change."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import bindparam, delete, func
from sqlalchemy import select as select_rows
from sqlmodel import Session, col, select

from agreements.store.lookup.keys import account_key
from bot.store.records import Participant, PullRecord
from bot.store.statements import Upsert, run, table

_participant = table(Participant).c
_ALL: Final = select_rows(_participant.account_id).where(_participant.pull_id == bindparam("of"))
_LEFT: Final = delete(table(Participant)).where(
    _participant.pull_id == bindparam("of"), _participant.account_id.in_(bindparam("gone", expanding=True))
)
_CAME: Final = Upsert.unless_there(Participant)


def replace(
    session: Session, pull_id: int, account_ids: Collection[int], *, known: frozenset[int] | None = None
) -> None:
    """These accounts take part in that pull request, and none other of those `known`; without these they are read."""
    wanted, known = frozenset(account_ids), of(session, pull_id) if known is None else known
    if known - wanted:
        run(session, _LEFT, {"of": pull_id, "gone": sorted(known - wanted)})
    if wanted - known:
        rows = [{"pull_id": pull_id, "account_id": account_id} for account_id in sorted(wanted - known)]
        run(session, _CAME, rows)


def join(session: Session, pull_id: int, account_id: int) -> None:
    """That account takes part, too, until the next review knows better."""
    run(session, _CAME, [{"pull_id": pull_id, "account_id": account_key(account_id)}])


def of(session: Session, pull_id: int) -> frozenset[int]:
    """Account ids of those who take part in that pull request."""
    return frozenset(run(session, _ALL, {"of": pull_id}).scalars())


def pulls_of(session: Session, account_ids: Collection[int], *, owner_id: int | None = None) -> list[int]:
    """Row ids of the open pull requests in which any of these accounts takes part; none for no account.

    With `owner_id` only those in repositories of that account.
    """
    query = (
        select(Participant.pull_id)
        .join(PullRecord, col(PullRecord.id) == col(Participant.pull_id))
        .where(col(Participant.account_id).in_(sorted(frozenset(account_ids))), col(PullRecord.open))
        .distinct()
        .order_by(col(Participant.pull_id))
    )
    return list(session.exec(query if owner_id is None else query.where(PullRecord.owner_id == owner_id)))


def pulls_with_others(session: Session, account_ids: Collection[int]) -> list[int]:
    """Row ids of the open pull requests in which anybody else takes part, too, in this order."""
    taking_part = select(Participant.pull_id, Participant.account_id).join(PullRecord).where(col(PullRecord.open))
    known = frozenset(account_ids)
    return sorted({pull_id for pull_id, account_id in session.exec(taking_part) if account_id not in known})


def open_pulls(session: Session, account_id: int, *, most: int) -> list[tuple[str, str, int]]:
    """Owner, name and number of the open pull requests in which the account takes part, in this order; `most` of them."""
    query = (
        select(PullRecord.owner, PullRecord.name, PullRecord.number)
        .join(Participant, col(PullRecord.id) == col(Participant.pull_id))
        .where(col(Participant.account_id) == account_key(account_id), col(PullRecord.open))
        .order_by(func.lower(col(PullRecord.owner)), func.lower(col(PullRecord.name)), col(PullRecord.number))
    )
    return list(session.exec(query.limit(most)).all())
