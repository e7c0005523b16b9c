"""The column types that every table shares: a moment always knows its zone, a GitHub id always fits."""

from datetime import UTC, datetime

from sqlalchemy import BigInteger, DateTime, Dialect, Integer
from sqlalchemy.types import TypeDecorator, TypeEngine


class Moment(TypeDecorator[datetime]):
    """A point in time: only zone-aware values go in, UTC comes out, on SQLite (which keeps no zone) too."""

    impl = DateTime(timezone=True)  # `timestamptz` on PostgreSQL
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        """The value in UTC; a naive one raises ValueError."""
        if value is None:
            return None
        if value.utcoffset() is None:  # Which moment it means would be a guess.
            raise ValueError("a moment needs a time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        """The stored moment in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)  # SQLite gave a naive one.


class BigId(TypeDecorator[int]):
    """A GitHub id of 64 bits; on SQLite an INTEGER, whose width is the same and which may be a row id."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[int]:
        """INTEGER on SQLite, BIGINT elsewhere."""
        # On SQLite only an INTEGER primary key is the row id.
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else BigInteger())
