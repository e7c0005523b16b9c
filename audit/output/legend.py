"""What each verdict looks like and means, in the same words on every page of a report."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from audit.facts import LicenseVerdict


class LegendEntry(NamedTuple):
    """A verdict's sign in Markdown, its sign in a square of the web page, its meaning, and its name in Chinese."""

    emoji: str
    sign: str
    meaning: str
    chinese: str


LEGEND: Final[Mapping[LicenseVerdict, LegendEntry]] = {
    LicenseVerdict.NOT_APPLICABLE: LegendEntry("–", "–", "the licence does not affect this use", "不适用"),
    LicenseVerdict.COMPATIBLE: LegendEntry("✅", "✓", "it fits; keep its notices", "兼容"),
    LicenseVerdict.OBLIGATIONS: LegendEntry("📋", "§", "it fits, with duties to follow", "有义务"),
    LicenseVerdict.CONDITIONAL: LegendEntry("⚠️", "△", "it fits if a condition is met", "有条件"),
    LicenseVerdict.REVIEW: LegendEntry("🔍", "◎", "someone must read it", "需审查"),
    LicenseVerdict.UNKNOWN_LICENSE: LegendEntry("❓", "?", "a licence is not known", "许可证未知"),
    LicenseVerdict.INCOMPATIBLE: LegendEntry("⛔", "✕", "the licences do not allow this use", "不兼容"),
}
"""Best to worst."""
