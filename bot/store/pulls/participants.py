"""Who takes part in which pull request, so that a signature finds just the reviews that it may change."""

from collections.abc import Collection

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from agreements.store.lookup.keys import account_key
from bot.store.records import Participant, Pull
from bot.store.upserts import insert


def replace(session: Session, pull_id: int, account_ids: Collection[int]) -> None:
    """These accounts, and no others, take part in that pull request."""
    wanted = frozenset(account_ids)
    gone = delete(Participant).where(
        col(Participant.pull_id) == pull_id, col(Participant.account_id).not_in(sorted(wanted))
    )
    session.execute(gone)
    if wanted:
        rows = [{"pull_id": pull_id, "account_id": account_id} for account_id in sorted(wanted)]
        session.execute(insert(session, Participant).on_conflict_do_nothing(), rows)


def of(session: Session, pull_id: int) -> frozenset[int]:
    """Account ids of those who take part in that pull request."""
    return frozenset(session.exec(select(Participant.account_id).where(Participant.pull_id == pull_id)))


def pulls_of(session: Session, account_ids: Collection[int]) -> list[int]:
    """Row ids of the open pull requests in which any of these accounts takes part; none for no account."""
    query = (
        select(Participant.pull_id)
        .join(Pull, col(Pull.id) == col(Participant.pull_id))
        .where(col(Participant.account_id).in_(sorted(frozenset(account_ids))), col(Pull.open))
        .distinct()
        .order_by(col(Participant.pull_id))
    )
    return list(session.exec(query))


def open_pulls(session: Session, account_id: int, *, most: int) -> list[tuple[str, str, int]]:
    """Owner, name and number of the open pull requests in which the account takes part, in this order; `most` of them."""
    query = (
        select(Pull.owner, Pull.name, Pull.number)
        .join(Participant, col(Pull.id) == col(Participant.pull_id))
        .where(col(Participant.account_id) == account_key(account_id), col(Pull.open))
        .order_by(func.lower(col(Pull.owner)), func.lower(col(Pull.name)), col(Pull.number))
    )
    return list(session.exec(query.limit(most)).all())
