"""The files of an account's newest audit, for those who may read them."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from audit.store import sealed
from audit.store.records import AuditPage
from audit.store.sealed import Sealed


def name(owner_id: int, page: str) -> str:
    """The name under which a file is sealed."""
    return f"page/{owner_id}/{page}"


def of(session: Session, owner_id: int) -> list[AuditPage]:
    """An account's files, by name."""
    return list(
        session.exec(select(AuditPage).where(col(AuditPage.owner_id) == owner_id).order_by(col(AuditPage.name)))
    )


def confirm(session: Session, page: AuditPage, ring_key_ids: Collection[str]) -> bool:
    """Whether a file that says the same is kept, sealed with one of these keys; if so, it gets these inputs."""
    if not sealed.under(session, [name(page.owner_id, page.name)], ring_key_ids):  # Under an old key it is sealed anew.
        return False
    same = (
        getattr(AuditPage, column) == getattr(page, column)
        for column in ("owner_id", "name", "repository_id", "digest")
    )
    # One statement: a file that is replaced meanwhile is not confirmed.
    stays = update(AuditPage).where(*same).values(inputs=page.inputs).returning(col(AuditPage.name))
    return session.execute(stays).first() is not None


def put(session: Session, page: AuditPage, data: Sealed) -> None:
    """Keep this file, in place of the one of that name."""
    sealed.put(session, name(page.owner_id, page.name), data)
    session.merge(page)
    session.flush()


def page(
    owner_id: int, name: str, digest: str, inputs: str = "", *, at: datetime, repository_id: int | None = None
) -> AuditPage:
    """A file's row; `digest` is of what it says, so that it is not written twice, `inputs` of what it is made from."""
    return AuditPage(
        owner_id=owner_id, name=name, repository_id=repository_id, digest=digest, made_at=at, inputs=inputs
    )


def get(session: Session, owner_id: int, page: str) -> Sealed | None:
    """The sealed file; None if there is none."""
    return sealed.get(session, name(owner_id, page))


def keep_only(session: Session, owner_id: int, names: Collection[str]) -> None:
    """Delete all of the account's files but these."""
    gone = {row.name for row in of(session, owner_id)} - set(names)
    sealed.drop(session, (name(owner_id, page_name) for page_name in gone))
    for lot in sealed.lots(sorted(gone)):
        session.execute(delete(AuditPage).where(col(AuditPage.owner_id) == owner_id, col(AuditPage.name).in_(lot)))
