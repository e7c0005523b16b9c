"""What each verdict looks like and means, in the same words on every page of a report."""

from types import MappingProxyType
from typing import Final, NamedTuple

from audit.facts import Verdict


class Entry(NamedTuple):
    """A verdict's sign in Markdown, its sign in a square of the web page, its meaning, and its name in Chinese."""

    emoji: str
    sign: str
    meaning: str
    chinese: str


LEGEND: Final = MappingProxyType(
    {
        Verdict.NOT_APPLICABLE: Entry("–", "–", "the licence has no say in this use", "不适用"),
        Verdict.COMPATIBLE: Entry("✅", "✓", "it fits, with no duties but its notices", "兼容"),
        Verdict.OBLIGATIONS: Entry("📋", "§", "it fits, and there are duties to keep", "有义务"),
        Verdict.CONDITIONAL: Entry("⚠️", "△", "it fits under a condition", "有条件"),
        Verdict.REVIEW: Entry("🔍", "◎", "somebody must read it", "需审查"),
        Verdict.UNKNOWN_LICENSE: Entry("❓", "?", "a licence is not known", "许可证未知"),
        Verdict.INCOMPATIBLE: Entry("⛔", "✕", "the licences do not allow this use", "不兼容"),
    }
)
"""Best to worst."""
