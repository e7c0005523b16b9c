"""What we wrote in a repository, an issue, a pull request: one writer at a time, and nothing is written twice."""

from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Update, update
from sqlmodel import Session, col, select

from audit.store.records import AuditPost

PostKind = Literal["issue", "notice"]

CREATE_TIMEOUT = timedelta(seconds=30)
"""Longer than GitHub takes: an older intent that nobody confirmed is a crash, not somebody at work."""
_LONG_AGO = timedelta(days=365)


def intend(session: Session, repository_id: int, kind: PostKind, *, at: datetime) -> bool:
    """Be the one who writes it now; False while another may be at it."""
    if session.get(AuditPost, (repository_id, kind)) is None:
        session.add(AuditPost(repository_id=repository_id, kind=kind, intended_at=at))
        session.flush()
        return True
    free = _one(repository_id, kind).where(col(AuditPost.intended_at) <= at - CREATE_TIMEOUT)
    return session.execute(free.values(intended_at=at).returning(col(AuditPost.repository_id))).first() is not None


def confirm(
    session: Session, repository_id: int, kind: PostKind, *, number: int | None, digest: str, at: datetime
) -> None:
    """It is there under GitHub's number (None: there is none, and none is wanted), and shows what has that digest."""
    session.execute(_one(repository_id, kind).values(number=number, digest=digest, intended_at=at - _LONG_AGO))


def leave(session: Session, repository_id: int, kind: PostKind, *, at: datetime) -> None:
    """It was not written, and nobody is at it any more."""
    session.execute(_one(repository_id, kind).values(intended_at=at - _LONG_AGO))


def digests(session: Session, repository_id: int) -> dict[str, str]:
    """What each kind shows; a kind that was never intended is missing."""
    query = select(AuditPost.kind, AuditPost.digest).where(col(AuditPost.repository_id) == repository_id)
    return dict(session.exec(query).all())


def _one(repository_id: int, kind: PostKind) -> Update:
    return update(AuditPost).where(col(AuditPost.repository_id) == repository_id, col(AuditPost.kind) == kind)
