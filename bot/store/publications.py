"""What we made at GitHub: the intent is stored before the request, so that a crash in between is noticed."""

from datetime import datetime
from typing import Literal

from sqlalchemy import update
from sqlmodel import Session, col, select

from bot.store.records import Publication
from bot.store.upserts import insert

Kind = Literal["check", "comment"]


def intend(session: Session, pull_id: int, kind: Kind, head_sha: str, *, at: datetime) -> bool:
    """Write down that one is about to be made; False when that was written before. A comment has head ""."""
    query = (
        insert(session, Publication)
        .values(pull_id=pull_id, kind=kind, head_sha=head_sha, digest="", intended_at=at)
        .on_conflict_do_nothing()
        .returning(col(Publication.pull_id))
    )
    return session.execute(query).first() is not None


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


def latest(session: Session, pull_id: int, kind: Kind) -> Publication | None:
    """The one intended last, on whichever head."""
    query = select(Publication).where(Publication.pull_id == pull_id, Publication.kind == kind)
    return session.exec(query.order_by(col(Publication.intended_at).desc()).limit(1)).first()


def forget_digests(session: Session, pull_id: int) -> None:
    """Have everything of ours on that pull request written anew at its next review, also when it shows the same."""
    session.execute(update(Publication).where(col(Publication.pull_id) == pull_id).values(digest=""))
