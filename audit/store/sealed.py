"""Sealed bytes by name: the caller seals and opens them, and the table alone tells nothing."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import delete, func, select
from sqlmodel import Session, col

from audit.store.records import AuditSealed
from audit.store.upserts import insert

# The associated data of these keys begins with the table's name: by it the rotation of keys opens them.
PURPOSE: Final = "audit_sealed"

MAX_NAMES_PER_QUERY: Final = 200  # A database takes only so many parameters.


@dataclass(frozen=True, slots=True)
class Sealed:
    """Bytes `sealed` under a key of their own, which the ring's key `ring_key_id` wraps (`wrapped_key`)."""

    sealed: bytes = field(repr=False)  # Not in logs.
    wrapped_key: bytes = field(repr=False)
    ring_key_id: str


def put(session: Session, name: str, content: Sealed) -> None:
    """Have these bytes under that name, in place of older ones, also if another process writes some just now."""
    new = AuditSealed(id=name, sealed=content.sealed, wrapped_key=content.wrapped_key, ring_key_id=content.ring_key_id)
    session.execute(
        insert(session, new).on_conflict_do_update(index_elements=["id"], set_=new.model_dump(exclude={"id"}))
    )


def get(session: Session, name: str) -> Sealed | None:
    """The bytes under that name."""
    return each(session, [name]).get(name)


def each(session: Session, names: Collection[str]) -> dict[str, Sealed]:
    """Those of these names that are there."""
    row = AuditSealed
    found: dict[str, Sealed] = {}
    for lot in lots(sorted(names)):
        query = select(col(row.id), col(row.sealed), col(row.wrapped_key), col(row.ring_key_id))
        for name, sealed, wrapped, ring in session.execute(query.where(col(row.id).in_(lot))):
            found[name] = Sealed(bytes(sealed), bytes(wrapped), ring)
    return found


def under(session: Session, names: Collection[str], ring_key_ids: Collection[str]) -> set[str]:
    """Those of these names under which something is sealed with one of these keys of the ring."""
    ours = select(col(AuditSealed.id)).where(col(AuditSealed.ring_key_id).in_(ring_key_ids))
    return {name for lot in lots(sorted(names)) for name in session.scalars(ours.where(col(AuditSealed.id).in_(lot)))}


def size(session: Session, name: str) -> int:
    """The number of bytes that are sealed under that name; 0 when there are none."""
    # The database counts them: there may be megabytes.
    return (
        session.execute(select(func.length(col(AuditSealed.sealed))).where(col(AuditSealed.id) == name)).scalar() or 0
    )


def drop(session: Session, names: Iterable[str]) -> None:
    """Delete the bytes under these names."""
    for lot in lots(sorted(names)):
        session.execute(delete(AuditSealed).where(col(AuditSealed.id).in_(lot)))


def lots(names: list[str]) -> Iterable[list[str]]:
    """The names, so many at a time as one query takes."""
    return (names[start : start + MAX_NAMES_PER_QUERY] for start in range(0, len(names), MAX_NAMES_PER_QUERY))
