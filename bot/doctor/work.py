"""What waits: deliveries that nobody has acted on, and those that were given up."""

from datetime import timedelta
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from bot import db
from bot.clock import Clock
from bot.db import Sessions
from bot.doctor.report import Check, Item
from bot.store import inbox

_BACKLOG: Final = Check("work.backlog", "high")
_FAILED: Final = Check("work.failed", "medium")
_LATE: Final = timedelta(minutes=10)
"""A delivery waits for seconds; for so long only when nobody works, or GitHub is away."""


def judge(sessions: Sessions | None, clock: Clock) -> list[Item]:
    """`sessions` is None where the database cannot be used."""
    remedy = "Correct what is said about the database first."
    if sessions is None:
        return [check.unknown("the database was not asked", remedy) for check in (_BACKLOG, _FAILED)]
    try:
        with sessions() as session:
            many, oldest = inbox.waiting(session)
            failed = inbox.counts(session).get("failed", 0)
    except SQLAlchemyError as error:
        return [check.unknown(db.explain(error), remedy) for check in (_BACKLOG, _FAILED)]
    given_up = _FAILED.passed("no delivery was given up")
    if failed:
        given_up = _FAILED.failed(
            f"{failed} deliver{'y was' if failed == 1 else 'ies were'} given up",
            "`countersign deliveries --state failed` says why; then have the pull requests judged: `countersign recheck OWNER/REPO`.",
        )
    if oldest is not None and clock() - oldest > _LATE:
        minutes = int((clock() - oldest).total_seconds() // 60)
        return [
            _BACKLOG.failed(
                f"{many} deliver{'y waits' if many == 1 else 'ies wait'}, the oldest for {minutes} minutes",
                "Look whether a worker runs (`countersign serve`, role all or worker), and what its log says of GitHub.",
            ),
            given_up,
        ]
    return [_BACKLOG.passed(f"{many or 'no'} deliver{'y waits' if many == 1 else 'ies wait'}, none for long"), given_up]
