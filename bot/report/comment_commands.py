"""The answer to a comment that means to be a command and is none: which commands there are."""

from typing import Final

from bot.report import check_run
from bot.report.words.phrases import phrase
from bot.report.words.templates import Language

MARKER: Final = "countersign:commands"
SHOWN: Final = {
    "check": "/cla-check",
    "why": "/cla-check why",
    "me": "/cla-check me",
    "exempt": "/cla exempt @login reason",
    "address": "/cla exempt address reason",
    "override": "/dco override reason",
    "vouch": "/cla vouch reason",
}
"""Each command as people are shown it, by the name of its sentence in the `[commands]` part of the words."""


def body(language: check_run.Language) -> str:
    """The comment, known again by its marker."""
    return "\n\n".join([f"<!-- {MARKER} -->", *map(_in, check_run.languages_of(language))])


def _in(language: Language) -> str:
    def say(name: str) -> str:
        return phrase(language, "commands", name)

    rows = [f"| `{shown}` | {say(name)} |" for name, shown in SHOWN.items()]
    return "\n".join([say("intro"), "", f"| {say('comment')} | {say('effect')} |", "|---|---|", *rows])
