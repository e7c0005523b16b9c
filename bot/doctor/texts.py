"""Agreements that people are asked to sign although counsel has not reviewed them."""

from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from agreements.catalog import CatalogBroken
from bot import db, startup
from bot.doctor.report import Check, Item
from bot.settings import Settings

_REVIEWED: Final = Check("texts.reviewed", "medium")


def judge(settings: Settings, *, has_database: bool) -> list[Item]:
    """What is asked for stands in the rulebooks, which the database holds."""
    remedy = "Correct what is said about the database first."
    if not has_database:
        return [_REVIEWED.unknown("the rulebooks were not read", remedy)]
    try:
        found = startup.template_warnings(settings)
    except SQLAlchemyError as error:
        return [_REVIEWED.unknown(db.explain(error), remedy)]
    except (CatalogBroken, OSError, UnicodeDecodeError):
        return [_REVIEWED.unknown("rulebook or texts cannot be read", "Correct what is said about the settings first.")]
    if found:
        return [
            _REVIEWED.failed(
                "; ".join(found),
                "Have counsel review the text, and release it without the banner (docs/reference/rulebook.md).",
            )
        ]
    return [_REVIEWED.passed("no agreement that is asked for is a template")]
