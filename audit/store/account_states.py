"""Accounts whose repositories are audited: one beginning a night, the newest audit, and why there is none."""

from datetime import datetime, timedelta

from sqlalchemy import delete, or_, update
from sqlmodel import Session, col, select

from audit.store.records import AuditAccount
from audit.store.upserts import insert

SAME_NIGHT = timedelta(hours=12)  # A second beginning within this time is the same night's.


def begin(session: Session, owner_id: int, login: str, job_id: str, *, at: datetime) -> bool:
    """Begin the night; False when another job did. The job that did may begin again: it goes on where it was killed."""
    ours = or_(col(AuditAccount.job_id) == job_id, col(AuditAccount.began_at) <= at - SAME_NIGHT)
    new = AuditAccount(owner_id=owner_id, login=login, began_at=at, job_id=job_id)
    # One statement, as two jobs may begin at once: the second finds the row as the first left it.
    begun = insert(session, new).on_conflict_do_update(
        index_elements=["owner_id"], set_=new.model_dump(include={"login", "began_at", "job_id"}), where=ours
    )
    return session.execute(begun.returning(col(AuditAccount.owner_id))).first() is not None


def get(session: Session, owner_id: int) -> AuditAccount | None:
    """The account's row; None if there is none."""
    # Another process may have written it since it was loaded.
    return session.get(AuditAccount, owner_id, populate_existing=True)


def each(session: Session) -> list[AuditAccount]:
    """All of them, by name."""
    return list(session.exec(select(AuditAccount).order_by(col(AuditAccount.login))))


def failed(session: Session, owner_id: int, why: str) -> None:
    """Store that the night brought nothing, and why; the results of before stay."""
    session.execute(update(AuditAccount).where(col(AuditAccount.owner_id) == owner_id).values(why=why))


def judged(session: Session, owner_id: int, *, counts: tuple[int, int], skipped: int, at: datetime) -> None:
    """Store an audit of that moment: `counts` are repositories and violations, `skipped` those not judged anew."""
    session.execute(
        update(AuditAccount)
        .where(col(AuditAccount.owner_id) == owner_id)
        .values(judged_at=at, repositories=counts[0], violations=counts[1], skipped=skipped, why="")
    )


def forget(session: Session, owner_id: int) -> None:
    """Nothing is known of that account any more."""
    session.execute(delete(AuditAccount).where(col(AuditAccount.owner_id) == owner_id))
