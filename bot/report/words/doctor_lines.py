"""What `doctor` finds, in Chinese where it is known; its own words are English."""

from functools import cache

from bot.report.words.templates import Language, entries
from bot.report.words.translation import Translation


def line(language: Language, english: str) -> str | None:
    """The message or remedy in that language; None where only its English words are known."""
    return english if language == "en" else chinese().of(english)


@cache
def chinese() -> Translation:
    """Every sentence of the checks in Chinese."""
    return Translation(entries("zh", part="doctor.")["line"])
