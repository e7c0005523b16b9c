"""The words that people read behind every code, in English and Simplified Chinese.

Reports, pages and commands come in here; it knows none of them.
"""

from bot.report.words.git_commands import CommandContext, PullBranch, PushDestination
from bot.report.words.phrases import Explanation, fixes, minute, person, phrase, render, set_aside, short, text
from bot.report.words.templates import Language

__all__ = [
    "CommandContext",
    "Explanation",
    "Language",
    "PullBranch",
    "PushDestination",
    "fixes",
    "minute",
    "person",
    "phrase",
    "render",
    "set_aside",
    "short",
    "text",
]
