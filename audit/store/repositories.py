"""Repositories as last listed and read; nothing stays of a repository that is gone."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from sqlalchemy import Update, delete, func, update
from sqlmodel import Session, col, select

from audit.store import sealed
from audit.store.records import AuditBlob, AuditPage, AuditPost, AuditRepository
from audit.store.sealed import Sealed
from audit.store.upserts import insert

Row: TypeAlias = AuditRepository  # A repository as it is remembered.


@dataclass(frozen=True, slots=True)
class StoredReading:
    """The result of a reading: the commit `head_sha`, the `fingerprint` of what counts, the `blobs` behind it."""

    head_sha: str | None
    fingerprint: str
    blobs: Collection[str] = ()


def of(session: Session, owner_id: int) -> list[AuditRepository]:
    """An account's repositories, by id."""
    query = select(AuditRepository).where(col(AuditRepository.owner_id) == owner_id)
    return list(session.exec(query.order_by(col(AuditRepository.repository_id))))


def get(session: Session, repository_id: int) -> AuditRepository | None:
    """The repository's row; None if there is none."""
    return session.get(AuditRepository, repository_id, populate_existing=True)


def update_listing(session: Session, listed: Iterable[Row]) -> None:
    """Store their present names and branches, as far as these are set; the facts that were read stay."""
    for repository in listed:
        row = session.get(AuditRepository, repository.repository_id)
        if row is None:
            session.add(repository)
        else:
            row.sqlmodel_update(repository.model_dump(exclude_unset=True))  # What was read is not set.
    session.flush()


def request_reading(session: Session, repository_id: int, sha: str, *, at: datetime) -> None:
    """Have that commit read; one that waits already keeps its moment."""
    row = session.get(AuditRepository, repository_id)
    if row is not None:
        row.wanted_at = at if row.wanted_sha is None else row.wanted_at  # It waits since the first wish.
        row.wanted_sha = sha
        session.flush()


def waiting(session: Session, owner_id: int) -> int:
    """The number of an account's repositories that still wait to be read."""
    query = select(func.count()).select_from(AuditRepository)
    wanted = query.where(col(AuditRepository.owner_id) == owner_id, col(AuditRepository.wanted_sha).is_not(None))
    return session.exec(wanted).one()


def reported(session: Session, repository_id: int, report: str) -> None:
    """GitHub works on an answer under that number; "": on none."""
    session.execute(_row(repository_id).values(report=report))


def read(session: Session, repository_id: int, reading: StoredReading, facts: Sealed | None, *, at: datetime) -> None:
    """Store a reading; `facts` None: they are those of before. Blobs that no repository needs any more are deleted."""
    if facts is not None:
        sealed.put(session, name(repository_id), facts)
    done = {"head_sha": reading.head_sha, "fingerprint": reading.fingerprint, "read_at": at, "report": "", "why": ""}
    session.execute(_row(repository_id).values(**done))
    # Another commit may have been wanted meanwhile: it stays wanted.
    same = _row(repository_id).where(col(AuditRepository.wanted_sha) == reading.head_sha)
    session.execute(same.values(wanted_sha=None, wanted_at=None))
    if facts is not None:
        need(session, repository_id, reading.blobs)


def give_up(session: Session, repository_id: int, why: str) -> None:
    """Store `why` it can't be read tonight; the facts that were read before still count."""
    session.execute(_row(repository_id).values(wanted_sha=None, wanted_at=None, report="", why=why))


def mark_damaged(session: Session, repository_id: int, why: str) -> None:
    """Have it read anew, also if its newest commit is the same: its facts are of no use."""
    session.execute(_row(repository_id).values(fingerprint="", why=why))  # No tree has an empty fingerprint.


def mark_empty(session: Session, repository_id: int, *, at: datetime) -> None:
    """There is no commit in it, so nothing is known of it."""
    _drop(session, [repository_id])
    nothing = {"wanted_sha": None, "wanted_at": None, "head_sha": None, "fingerprint": "", "read_at": at, "why": ""}
    session.execute(_row(repository_id).values(**nothing))


def forget_contents(session: Session, repository_id: int, why: str) -> None:
    """Forget all but what we wrote there; should it be audited again, it is read anew."""
    _drop(session, [repository_id])
    nothing = {"wanted_sha": None, "wanted_at": None, "head_sha": None, "fingerprint": "", "report": "", "why": why}
    session.execute(_row(repository_id).values(**nothing))


def forget(session: Session, repository_ids: Collection[int]) -> None:
    """Delete repositories that are gone: their rows, facts, pages and blobs, and our posts."""
    _drop(session, repository_ids)
    for table in (AuditPost, AuditRepository):
        session.execute(delete(table).where(col(table.repository_id).in_(repository_ids)))


def name(repository_id: int) -> str:
    """The name under which its facts are sealed."""
    return f"facts/{repository_id}"


def blob_name(sha: str) -> str:
    """The name under which a blob is sealed."""
    return f"blob/{sha}"


def keep_blobs(session: Session, repository_id: int, blobs: dict[str, Sealed]) -> None:
    """Keep these for that repository's next reading, and for others that have the same file."""
    # In one order, as another repository's reading may keep the same ones at once, and each waits for the other.
    for sha, blob in sorted(blobs.items()):
        sealed.put(session, blob_name(sha), blob)
        session.execute(insert(session, AuditBlob(repository_id=repository_id, sha=sha)).on_conflict_do_nothing())


def need(session: Session, repository_id: int, shas: Collection[str]) -> None:
    """Store that its facts come from just these blobs; others that no repository needs any more are deleted."""
    mine = col(AuditBlob.repository_id) == repository_id
    before = set(session.exec(select(AuditBlob.sha).where(mine)))
    gone = before - set(shas)
    for lot in sealed.lots(sorted(gone)):
        session.execute(delete(AuditBlob).where(mine, col(AuditBlob.sha).in_(lot)))
    for sha in sorted(set(shas) - before):
        session.add(AuditBlob(repository_id=repository_id, sha=sha))
    session.flush()
    _drop_unneeded(session, gone)  # Several repositories may have the same file.


def _drop(session: Session, repository_ids: Collection[int]) -> None:
    for repository_id in repository_ids:
        need(session, repository_id, ())
    pages = col(AuditPage.repository_id).in_(repository_ids)
    found = session.exec(select(AuditPage).where(pages)).all()
    sealed.drop(session, [*map(name, repository_ids), *(f"page/{page.owner_id}/{page.name}" for page in found)])
    session.execute(delete(AuditPage).where(pages))


def _drop_unneeded(session: Session, shas: set[str]) -> None:
    for lot in sealed.lots(sorted(shas)):
        needed = set(session.exec(select(AuditBlob.sha).where(col(AuditBlob.sha).in_(lot))))
        sealed.drop(session, map(blob_name, set(lot) - needed))


def _row(repository_id: int) -> Update:
    return update(AuditRepository).where(col(AuditRepository.repository_id) == repository_id)
