"""Agreements that people are asked to sign although counsel has not reviewed them."""

from typing import Final

from agreements.catalog import CatalogBroken
from bot import startup
from bot.db import Sessions
from bot.doctor import database
from bot.doctor.report import DoctorCheck, DoctorResult
from bot.settings import Settings
from bot.store import owners

CHECK: Final = DoctorCheck("texts.reviewed", "medium")


def judge(settings: Settings, sessions: Sessions | None) -> list[DoctorResult]:
    """Which ones people are asked to sign, the rulebooks say, which are in the database (None: it cannot be used)."""
    return database.read(sessions, lambda found: [_judged(settings, found)], CHECK, what="database with the rulebooks")


def _judged(settings: Settings, sessions: Sessions) -> DoctorResult:
    try:
        found, has_rules = startup.template_warnings(settings), _has_rules(settings, sessions)
    except (CatalogBroken, OSError, UnicodeDecodeError):
        return CHECK.unknown(
            "The rulebook or its agreements cannot be read.", "Fix the settings first: see settings.valid."
        )
    if found:
        return CHECK.failed(
            f"{'; '.join(found)}.",
            "Have counsel review the text, then release a version without the template banner (docs/reference/rulebook.md).",
        )
    if not has_rules:
        return CHECK.not_applicable("No rulebook has been read yet: run this again after the first pull request.")
    return CHECK.passed("No agreement that people are asked to sign is a template.")


def _has_rules(settings: Settings, sessions: Sessions) -> bool:
    """Whether it is known what people are asked to sign. Raises SQLAlchemyError."""
    if settings.rulebook_path is not None:
        return True
    with sessions() as session:
        return bool(owners.all_rules(session))
