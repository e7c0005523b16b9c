"""Facts for an operator of a server that works: workers, backups, deliveries, the disk; and when each is a warning.

The thresholds are those of deploy/monitoring/rules.yaml, too: a test compares them.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Engine

from bot import db
from bot.db import Sessions
from bot.jobs.liveness import DEAD_AFTER
from bot.store import executors, service_record

BACKUP_DUE_AFTER: Final = timedelta(hours=36)
"""A backup a day is the advice; half a day more is for one that runs late or is repeated."""
SILENT_AFTER: Final = timedelta(days=5)
"""Four days in a row may be quiet where holidays meet a weekend; webhooks that GitHub sent in vain are noticed without waiting."""
LOST_AFTER: Final = timedelta(minutes=15)
"""A sweep has lost webhooks sent again at once: those that are still lost after so long do not get through."""
SCARCE_DISK_BYTES: Final = 256 << 20
DATABASES_ON_DISK: Final = 2
"""Rewriting the database may need so many times its size beside it (sqlite.org/lang_vacuum.html, "How VACUUM works")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingFacts:
    """The facts of one look, as of `at`; `workers` are the living ones, `database_bytes` is the database's size.

    `disk_free_bytes` is None where it cannot be read. `served_since`, `delivered_at`, `backed_up_at`, `lost_deliveries`,
    `lost_since` and `asked_at` are as in `ServiceRecord`.
    """

    at: datetime
    workers: int
    served_since: datetime | None
    delivered_at: datetime | None
    backed_up_at: datetime | None
    lost_deliveries: int
    lost_since: datetime | None
    asked_at: datetime | None
    database_bytes: int
    disk_free_bytes: int | None

    @property
    def is_backup_due(self) -> bool:
        """Whether the last backup is too old."""
        since = self.backed_up_at or self.served_since  # Without one: a new database may be too young for it.
        return since is not None and self.at - since > BACKUP_DUE_AFTER

    @property
    def is_silent(self) -> bool:
        """Whether no webhook has come for long."""
        # None: none ever came, as before the App is installed. Then silence is no sign.
        return self.delivered_at is not None and self.at - self.delivered_at > SILENT_AFTER

    @property
    def is_losing(self) -> bool:
        """Whether webhooks that GitHub sends do not arrive, also when they are sent again."""
        if not self.lost_deliveries or self.lost_since is None or self.asked_at is None:
            return False
        return self.asked_at - self.lost_since >= LOST_AFTER  # GitHub was asked again after that time.

    @property
    def is_disk_scarce(self) -> bool:
        """Whether the database may soon find no room, or has none to be rewritten."""
        # VACUUM writes the database a second time.
        needed = max(DATABASES_ON_DISK * self.database_bytes, SCARCE_DISK_BYTES)
        return self.disk_free_bytes is not None and self.disk_free_bytes < needed


def read(sessions: Sessions, database: Engine, *, at: datetime) -> OperatingFacts:
    """One look at the database and at its disk. Raises SQLAlchemyError."""
    with sessions() as session:
        known = service_record.state(session)
        workers = len(executors.alive(session, since=at - DEAD_AFTER))
    return OperatingFacts(
        at=at,
        workers=workers,
        served_since=known.served_since,
        delivered_at=known.delivered_at,
        backed_up_at=known.backed_up_at,
        lost_deliveries=known.lost_deliveries or 0,
        lost_since=known.lost_since,
        asked_at=known.asked_at,
        database_bytes=db.size(database),
        disk_free_bytes=db.disk_free(database),
    )


def duration(span: timedelta) -> str:
    """A span of time in words, rounded down: minutes below two hours, hours below two days (`30 hours`), else days."""
    minutes = max(int(span.total_seconds() // 60), 0)
    number, unit = (minutes, "minute") if minutes < 120 else (minutes // 60, "hour")
    number, unit = (number // 24, "day") if unit == "hour" and number >= 48 else (number, unit)
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
