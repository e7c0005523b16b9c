"""Checks for deliveries that wait for a worker, and for deliveries that failed for good."""

from datetime import timedelta
from typing import Final

from bot.clock import Clock
from bot.db import Sessions
from bot.doctor import database
from bot.doctor.report import DoctorCheck, DoctorResult
from bot.store import inbox

_BACKLOG: Final = DoctorCheck("work.backlog", "high")
_FAILED: Final = DoctorCheck("work.failed", "medium")
_MAX_WAIT: Final = timedelta(minutes=10)
"""A delivery waits for seconds; for so long only when no worker runs, or GitHub does not answer."""


def judge(sessions: Sessions | None, clock: Clock) -> list[DoctorResult]:
    """`sessions` is None where the database cannot be used."""
    return database.read(sessions, lambda found: _judged(found, clock), _BACKLOG, _FAILED)


def _judged(sessions: Sessions, clock: Clock) -> list[DoctorResult]:
    with sessions() as session:
        backlog = inbox.backlog(session)
    failures = _FAILED.passed("No delivery has failed.")
    if failed := backlog.failed:
        failures = _FAILED.failed(
            f"{failed:,} deliver{'y' if failed == 1 else 'ies'} failed after a day of retries.",
            "See why with `countersign deliveries --state failed`, then check the pull requests again with "
            "`countersign recheck OWNER/REPO`.",
        )
    many, oldest = backlog.waiting, backlog.oldest
    if oldest is not None and clock() - oldest > _MAX_WAIT:
        minutes = int((clock() - oldest).total_seconds() // 60)
        return [
            _BACKLOG.failed(
                f"{many:,} deliver{'y is' if many == 1 else 'ies are'} waiting, the oldest for {minutes:,} minutes.",
                "Make sure that a worker is running (`countersign serve`, role all or worker), and see what its log says about GitHub.",
            ),
            failures,
        ]
    said = f"{many or 'No'} deliver{'y is' if many == 1 else 'ies are'} waiting{', none for long' if many else ''}."
    return [_BACKLOG.passed(said), failures]
