"""Agreements that people are asked to sign although counsel has not reviewed them."""

from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from agreements.catalog import CatalogBroken
from bot import db, startup
from bot.doctor.report import DATABASE_FIRST, Check, Item
from bot.settings import Settings
from bot.store import owners

_REVIEWED: Final = Check("texts.reviewed", "medium")


def judge(settings: Settings, *, has_database: bool) -> list[Item]:
    """Which ones people are asked to sign, the rulebooks say, which are in the database."""
    if not has_database:
        return [_REVIEWED.unknown("Not checked: the database with the rulebooks could not be read.", DATABASE_FIRST)]
    try:
        found, has_rules = startup.template_warnings(settings), _has_rules(settings)
    except SQLAlchemyError as error:
        return [_REVIEWED.unknown(f"The database could not be read: {db.explain(error)}.", DATABASE_FIRST)]
    except (CatalogBroken, OSError, UnicodeDecodeError):
        return [
            _REVIEWED.unknown(
                "The rulebook or its agreements cannot be read.", "Fix the settings first: see settings.valid."
            )
        ]
    if found:
        return [
            _REVIEWED.failed(
                f"{'; '.join(found)}.",
                "Have counsel review the text, then release a version without the template banner (docs/reference/rulebook.md).",
            )
        ]
    if not has_rules:
        return [_REVIEWED.not_applicable("No rulebook has been read yet: run this again after the first pull request.")]
    return [_REVIEWED.passed("No agreement that people are asked to sign is a template.")]


def _has_rules(settings: Settings) -> bool:
    """Whether it is known what people are asked to sign. Raises SQLAlchemyError."""
    if settings.rulebook_path is not None:
        return True
    with db.opened(settings.database_url) as engine, db.sessions(engine)() as session:
        return bool(owners.all_rules(session))
