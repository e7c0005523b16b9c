"""What we made at GitHub: the intent is stored before the request, so that a crash in between is noticed."""

from datetime import datetime
from typing import Literal

from sqlalchemy import update
from sqlmodel import Session, col

from bot.store.records import Publication
from bot.store.upserts import insert

Kind = Literal["check", "comment", "licenses"]


def intend(session: Session, pull_id: int, kind: Kind, head_sha: str, *, at: datetime) -> bool:
    """Write down that one is about to be made; False when that was written before. A comment has head ""."""
    query = (
        insert(session, Publication)
        .values(pull_id=pull_id, kind=kind, head_sha=head_sha, digest="", intended_at=at)
        .on_conflict_do_nothing()
        .returning(col(Publication.pull_id))
    )
    return session.execute(query).first() is not None


def intend_again(session: Session, pull_id: int, kind: Kind, head_sha: str, *, since: datetime, at: datetime) -> bool:
    """Take up the intent of `since` that nobody confirmed; False when somebody else did so first."""
    taken = (
        update(Publication)
        .where(
            col(Publication.pull_id) == pull_id,
            col(Publication.kind) == kind,
            col(Publication.head_sha) == head_sha,
            col(Publication.intended_at) == since,
        )
        .values(intended_at=at)
        .returning(col(Publication.pull_id))
    )
    return session.execute(taken).first() is not None


def confirm(session: Session, pull_id: int, kind: Kind, head_sha: str, *, remote_id: int, digest: str) -> None:
    """It is there, under GitHub's id, and shows the content with that digest."""
    session.execute(
        update(Publication)
        .where(
            col(Publication.pull_id) == pull_id, col(Publication.kind) == kind, col(Publication.head_sha) == head_sha
        )
        .values(remote_id=remote_id, digest=digest)
    )


def get(session: Session, pull_id: int, kind: Kind, head_sha: str) -> Publication | None:
    """What is known of it; `remote_id` None means intended, and perhaps made."""
    return session.get(Publication, (pull_id, kind, head_sha), populate_existing=True)


def forget_digests(session: Session, pull_id: int) -> None:
    """Have everything of ours on that pull request written anew at its next review, also when it shows the same."""
    session.execute(update(Publication).where(col(Publication.pull_id) == pull_id).values(digest=""))
