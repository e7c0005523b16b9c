"""Our issue and our pull request in a repository: one writer at a time, and nothing is written twice."""

from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Update, update
from sqlmodel import Session, col, select

from audit.store.records import AuditPost
from audit.store.upserts import insert

PostKind = Literal["issue", "notice"]

# Longer than GitHub takes: an older intent that was not confirmed is of a process that has ended.
CREATE_TIMEOUT = timedelta(seconds=30)
_LONG_AGO = timedelta(days=365)  # Any writer may begin at once.


def intend(session: Session, repository_id: int, kind: PostKind, *, at: datetime) -> bool:
    """Become the post's writer; False while another process may be at it."""
    new = AuditPost(repository_id=repository_id, kind=kind, intended_at=at)
    # One statement, as two processes may try at once: the second finds the new moment.
    begun = insert(session, new).on_conflict_do_update(
        index_elements=["repository_id", "kind"],
        set_={"intended_at": at},
        where=col(AuditPost.intended_at) <= at - CREATE_TIMEOUT,
    )
    return session.execute(begun.returning(col(AuditPost.repository_id))).first() is not None


def confirm(
    session: Session, repository_id: int, kind: PostKind, *, number: int | None, digest: str, at: datetime
) -> None:
    """The post is there under GitHub's number (None: there is none, and none wanted), with content of that digest."""
    session.execute(_one(repository_id, kind).values(number=number, digest=digest, intended_at=at - _LONG_AGO))


def leave(session: Session, repository_id: int, kind: PostKind, *, at: datetime) -> None:
    """The post was not written, and its writer has stopped."""
    session.execute(_one(repository_id, kind).values(intended_at=at - _LONG_AGO))


def digests(session: Session, repository_id: int) -> dict[str, str]:
    """The digest of what each kind shows; a kind that was never intended is missing."""
    query = select(AuditPost.kind, AuditPost.digest).where(col(AuditPost.repository_id) == repository_id)
    return dict(session.exec(query).all())


def _one(repository_id: int, kind: PostKind) -> Update:
    return update(AuditPost).where(col(AuditPost.repository_id) == repository_id, col(AuditPost.kind) == kind)
