"""Agreements that people are asked to sign although counsel has not reviewed them."""

from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from agreements.catalog import CatalogBroken
from bot import db, startup
from bot.doctor.report import DATABASE_FIRST, Check, Item
from bot.settings import Settings

_REVIEWED: Final = Check("texts.reviewed", "medium")


def judge(settings: Settings, *, has_database: bool) -> list[Item]:
    """Which ones people are asked to sign, the rulebooks say, which are in the database."""
    if not has_database:
        return [_REVIEWED.unknown("Not checked: the database with the rulebooks could not be read.", DATABASE_FIRST)]
    try:
        found = startup.template_warnings(settings)
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
    return [_REVIEWED.passed("No agreement that people are asked to sign is a template.")]
