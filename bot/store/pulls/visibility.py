"""The visibility of a repository's pull requests: every visitor sees those of a public one that the App reaches.

Nothing tells that a repository became private which the App reaches no more: its pull requests are hidden, and count as
closed until a sweep finds them again.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, or_, select, true, update
from sqlmodel import Session, col

from bot.store.records import PullRecord
from bot.store.statements import run, table


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
    _change(session, col(PullRecord.repository_id) == repository_id, differs, private=private)


def lost_repository(session: Session, repository_id: int, *, at: datetime) -> int:
    """Hide and close the pull requests of a repository that the App reaches no more; how many were not so already."""
    return _lost(session, col(PullRecord.repository_id) == repository_id, at)


def lost_owner(session: Session, owner_id: int, *, at: datetime) -> int:
    """The same for an account of which the App reaches nothing any more."""
    return _lost(session, col(PullRecord.owner_id) == owner_id, at)


def lost_installation(
    session: Session, installation_id: int, owner_id: int, *, at: datetime, only: Collection[int] | None = None
) -> int:
    """The same for an installation on that account, or for the repositories `only` that were taken from it.

    What a newer installation reaches, whose id is larger, or another account has by now, stays as it is.
    """
    is_its = and_(col(PullRecord.owner_id) == owner_id, col(PullRecord.installation_id) <= installation_id)
    is_meant = true() if only is None else col(PullRecord.repository_id).in_(only)
    return _lost(session, and_(is_its, is_meant), at)


def _lost(session: Session, where: ColumnElement[bool], at: datetime) -> int:
    # That it is out of reach is the last event of an open one: what is kept of it is kept for as long again.
    last = case((col(PullRecord.open), at), else_=col(PullRecord.updated_at))
    differs = or_(col(PullRecord.open), col(PullRecord.private).is_(False))
    return _change(session, where, differs, private=True, open=False, updated_at=last)


def _change(session: Session, *where: ColumnElement[bool], **values: Any) -> int:
    return run(session, update(table(PullRecord)).where(*where).values(**values)).rowcount
