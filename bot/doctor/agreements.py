"""Agreements: those that people are asked to sign although counsel has not reviewed them, and those that cover no person."""

from typing import Final

from agreements.catalog import CatalogBroken
from agreements.store import parties
from bot import startup
from bot.db import Sessions
from bot.doctor import database_checks
from bot.doctor.doctor_report import DoctorCheck, DoctorResult
from bot.settings import Settings
from bot.store import owners

_REVIEWED: Final = DoctorCheck("texts.reviewed", "medium")
_PARTIES: Final = DoctorCheck("database.parties", "medium")
CHECKS: Final = (_REVIEWED, _PARTIES)


def judge(settings: Settings, sessions: Sessions | None) -> list[DoctorResult]:
    """The results about what people are asked to sign, and with whom; None: the database cannot be used."""
    what = "database with the rulebooks"
    reviewed = database_checks.read(sessions, lambda found: [_reviewed(settings, found)], _REVIEWED, what=what)
    return [*reviewed, *judge_parties(sessions)]


def judge_parties(sessions: Sessions | None) -> list[DoctorResult]:
    """Whether the party of every agreement is known."""
    return database_checks.read(sessions, lambda found: [_parties(found)], _PARTIES)


def _parties(sessions: Sessions) -> DoctorResult:
    with sessions() as session:
        count = parties.count(session)
    if not count:
        return _PARTIES.passed("The party of every agreement is known.")
    many = (
        "1 agreement has no known party: it counts"
        if count == 1
        else f"{count} agreements have no known party: they count"
    )
    return _PARTIES.failed(
        f"{many} for nobody.",
        "Decide at /admin/parties with whom they were made (see 'Administer' in the documentation).",
    )


def _reviewed(settings: Settings, sessions: Sessions) -> DoctorResult:
    try:
        found = startup.template_warnings(settings)
        with sessions() as session:
            has_rules = settings.rulebook_path is not None or bool(owners.all_rules(session))
    except (CatalogBroken, OSError, UnicodeDecodeError):
        return _REVIEWED.unknown(
            "The rulebook or its agreements cannot be read.", "Fix the settings first: see settings.valid."
        )
    if found:
        return _REVIEWED.failed(
            f"{'; '.join(found)}.",
            "Have counsel review the text, then release a version without the template banner (see 'Which texts can be named' in the documentation).",
        )
    if not has_rules:  # Before a rulebook was read, nothing found means nothing.
        return _REVIEWED.not_applicable("No rulebook has been read yet: run this again after the first pull request.")
    return _REVIEWED.passed("No agreement that people are asked to sign is a template.")
