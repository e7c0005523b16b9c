"""The changes from one night to the next, kept for as long as people may ask for them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import delete
from sqlmodel import Session, col, select

from audit.store import sealed
from audit.store.records import AuditNight
from audit.store.sealed import Sealed

NIGHT_RETENTION = timedelta(days=90)  # A night is told of so long.


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of a night: `changes`, new `violations`, and violations that were `mended`."""

    changes: int
    violations: int
    mended: int


LANGUAGES: Final[tuple[Literal["en", "zh"], ...]] = ("en", "zh")
"""The languages in which a night's changes are told."""


def name(night_id: str, language: str = "en") -> str:
    """The name under which a night's changes are sealed in that language."""
    return f"night/{night_id}" + ("" if language == "en" else f"/{language}")


def add(
    session: Session, night_id: str, owner_id: int, counts: Counts, changes: Mapping[str, Sealed], *, at: datetime
) -> None:
    """Add a night in which something changed; `changes` are sealed, by the name under which they are."""
    for each, held in changes.items():
        sealed.put(session, each, held)
    session.add(AuditNight(id=night_id, owner_id=owner_id, at=at, **asdict(counts)))
    session.flush()


def of(session: Session, owner_id: int, most: int = 30) -> list[AuditNight]:
    """An account's nights, the newest first."""
    query = select(AuditNight).where(col(AuditNight.owner_id) == owner_id)
    return list(session.exec(query.order_by(col(AuditNight.at).desc(), col(AuditNight.id)).limit(most)))


def purge(session: Session, owner_id: int, *, before: datetime | None = None) -> None:
    """Delete an account's nights of before that moment; all of them when it is None."""
    chosen = col(AuditNight.owner_id) == owner_id
    query = select(AuditNight.id).where(chosen)
    gone = session.exec(query if before is None else query.where(col(AuditNight.at) < before)).all()
    sealed.drop(session, [name(night_id, language) for night_id in gone for language in LANGUAGES])
    for lot in sealed.lots(sorted(gone)):
        session.execute(delete(AuditNight).where(col(AuditNight.id).in_(lot)))
