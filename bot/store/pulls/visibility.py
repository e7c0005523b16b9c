"""The visibility of a repository's pull requests: every visitor sees those of a public one that the App reaches.

Nothing tells that a repository became private which the App reaches no more: its pull requests are hidden, and count as
closed until a sweep finds them again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlmodel import Session, col

from bot.store.records import PullRecord


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """The stored pull requests of a repository: whether any of them `shown` to every visitor, `hidden`, or `open`."""

    shown: bool = False
    hidden: bool = False
    open: bool = False


def of_owner(session: Session, owner_id: int) -> Mapping[int, RepositoryState]:
    """The account's repositories with stored pull requests, by id."""
    columns = (col(PullRecord.repository_id), col(PullRecord.private), col(PullRecord.open))
    found: dict[int, RepositoryState] = {}
    for repository_id, private, is_open in session.execute(
        select(*columns).where(col(PullRecord.owner_id) == owner_id).distinct()
    ):
        before = found.get(repository_id, RepositoryState())
        found[repository_id] = RepositoryState(
            before.shown or not private, before.hidden or private, before.open or is_open
        )
    return found


def owners(session: Session) -> list[int]:
    """The accounts with stored pull requests."""
    return list(session.scalars(select(col(PullRecord.owner_id)).distinct()))


def set_private(session: Session, repository_id: int, *, private: bool) -> None:
    """Hide or show the repository's pull requests."""
    differs = col(PullRecord.private).is_(not private)
    session.execute(_update().where(col(PullRecord.repository_id) == repository_id, differs).values(private=private))


def lost_repository(session: Session, repository_id: int, *, at: datetime) -> None:
    """The App reaches the repository no more."""
    _lost(session, col(PullRecord.repository_id) == repository_id, at)


def lost_owner(session: Session, owner_id: int, *, at: datetime) -> None:
    """The App reaches nothing of that account any more."""
    _lost(session, col(PullRecord.owner_id) == owner_id, at)


def _lost(session: Session, where: Any, at: datetime) -> None:
    # That it is out of reach is the last event of an open one: what is kept of it is kept for as long again.
    session.execute(_update().where(where, col(PullRecord.open)).values(open=False, updated_at=at))
    session.execute(_update().where(where, col(PullRecord.private).is_(False)).values(private=True))


def _update() -> Any:
    # Not matched with the session's objects: that would select the rows a second time.
    return update(PullRecord).execution_options(synchronize_session=False)
