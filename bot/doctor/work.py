"""Checks for deliveries that wait for a worker or failed for good, and for what somebody else keeps reversing at GitHub."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot.clock import Clock
from bot.db import Sessions
from bot.doctor import database
from bot.doctor.report import DoctorCheck, DoctorResult
from bot.store import inbox
from bot.store.pulls import paused_items
from bot.store.pulls.paused_items import ReversedItem

_BACKLOG: Final = DoctorCheck("work.backlog", "high")
_FAILED: Final = DoctorCheck("work.failed", "medium")
_REVERSED: Final = DoctorCheck("work.reversed", "medium")
CHECKS: Final = (_BACKLOG, _FAILED, _REVERSED)
_MAX_SHOWN: Final = 5
"""Pull requests that are named; one cause is behind them mostly."""
_MAX_WAIT: Final = timedelta(minutes=10)
"""A delivery waits for seconds; for so long only when no worker runs, or GitHub does not answer."""

_ITEMS: Final = {"check": "check run", "comment": "comment (it is deleted)", "label": "label"}
_REVERSERS: Final = {
    paused_items.OWN_APP: "another server of the same App",
    paused_items.PERSON: "a person or a workflow with a person's token",
    paused_items.UNKNOWN: "somebody",
}
_RESUME: Final = "Countersign writes again at the next push, or after a comment `/cla-check`."
_OTHER_APP: Final = f"Give the two Apps different labels (`labels` in the rulebook), or remove one of them. {_RESUME}"
_REMEDIES: Final = {
    paused_items.OWN_APP: "Stop the other server, or give it an App of its own: see docs/how-to/moving.md. " + _RESUME,
    paused_items.PERSON: "Ask in the repository why. " + _RESUME,
    paused_items.UNKNOWN: "See in the pull request's timeline who it was: a maintainer, another App, or another server "
    "of this App. " + _RESUME,
}


def judge(sessions: Sessions | None, clock: Clock) -> list[DoctorResult]:
    """`sessions` is None where the database cannot be used."""
    return database.read(sessions, lambda found: _judged(found, clock), *CHECKS)


def _judged(sessions: Sessions, clock: Clock) -> list[DoctorResult]:
    with sessions() as session:
        backlog = inbox.backlog(session)
        reversal = _reversal(paused_items.stopped(session, at=clock()))
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
            reversal,
        ]
    said = f"{many or 'No'} deliver{'y is' if many == 1 else 'ies are'} waiting{', none for long' if many else ''}."
    return [_BACKLOG.passed(said), failures, reversal]


def _reversal(items: Sequence[ReversedItem]) -> DoctorResult:
    """Names repositories and numbers, the cause of each, and what to do about each cause."""
    if not items:
        return _REVERSED.passed("Nobody keeps reversing what is written at GitHub.")
    shown = [
        f"{one.repository}#{one.number}: {_REVERSERS.get(one.reversed_by, f'the App {one.reversed_by}')} keeps "
        f"reversing the {_ITEMS[one.kind]}"
        for one in items[:_MAX_SHOWN]
    ]
    more = [f"{len(items) - _MAX_SHOWN:,} more"] if len(items) > _MAX_SHOWN else []
    remedies = dict.fromkeys(_REMEDIES.get(one.reversed_by, _OTHER_APP) for one in items)
    return _REVERSED.failed(f"{'; '.join(shown + more)}.", " ".join(remedies))
