"""Agreements that count for nobody because nobody knows with whom they were made."""

from typing import Final

from agreements.store import parties
from bot.db import Sessions
from bot.doctor import database
from bot.doctor.report import DoctorCheck, DoctorResult

CHECK: Final = DoctorCheck("database.parties", "medium")


def judge(sessions: Sessions | None) -> list[DoctorResult]:
    """Whether the party of every agreement is known; None: the database cannot be used."""
    return database.read(sessions, lambda found: [_judged(found)], CHECK)


def _judged(sessions: Sessions) -> DoctorResult:
    with sessions() as session:
        count = parties.count(session)
    if not count:
        return CHECK.passed("The party of every agreement is known.")
    who = (
        "1 agreement has no known party: it counts"
        if count == 1
        else f"{count} agreements have no known party: they count"
    )
    return CHECK.failed(
        f"{who} for nobody.",
        "Decide at /admin/parties with whom they were made (docs/how-to/administration.md).",
    )
