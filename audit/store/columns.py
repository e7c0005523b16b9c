"""The column types of the audit's tables: a moment always knows its zone, a GitHub id always fits."""

from datetime import UTC, datetime
from typing import Final

from sqlalchemy import BigInteger, DateTime, Dialect, Integer
from sqlalchemy.types import TypeDecorator, TypeEngine


class Instant(TypeDecorator[datetime]):
    """A point in time, with its zone: UTC comes out, on SQLite (which keeps no zone) too."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        """The value in UTC."""
        # SQLite keeps a moment's digits without the zone: all are written in one.
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        """The stored moment in UTC."""
        return None if value is None else value.replace(tzinfo=value.tzinfo or UTC).astimezone(UTC)


# 64 bits; on SQLite an INTEGER, whose width is the same.
GitHubId: Final[TypeEngine[int]] = BigInteger().with_variant(Integer(), "sqlite")
