"""The commands that people give in comments: their words, how they are shown, and what becomes of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bot.report import check_run
from bot.report.words.phrases import phrase
from bot.report.words.templates import Language

MARKER: Final = "countersign:commands"
"""The mark by which the answer to a mistyped command is found again."""
PRESS_MARKER: Final = "countersign:press"
"""The mark by which the answer to a button that may not be pressed is found again."""
Handling = Literal["judge", "explain", "join", "record", "reply"]
"""The handling of a command: the pull request is judged again, `explain` also says why, `join` also has the writer take part.

`record`: it takes further words and the right to it, and is recorded. `reply`: it is answered alone.
"""


@dataclass(frozen=True, slots=True)
class CommentCommand:
    """A command: its `handling`, and the `words` with which the first line of the comment begins, in lower case.

    `shown`: as people are shown it, by the name of its sentence in the `[commands]` part of the words, where the words for
    the blanks stand, too.
    """

    handling: Handling
    words: tuple[tuple[str, ...], ...] = ()
    shown: Mapping[str, str] | None = None


# Commands of other tools work, too: `/easycla` is EasyCLA's.
_CHECK: Final = ("/cla-check", "/check-cla", "/dco-check", "/check-dco", "/recheck", "/easycla")
COMMANDS: Final[Mapping[str, CommentCommand]] = {
    "check": CommentCommand("judge", tuple((word,) for word in _CHECK), {"check": "/cla-check"}),
    "why": CommentCommand("explain", tuple((word, "why") for word in _CHECK), {"why": "/cla-check why"}),
    "me": CommentCommand("join", (("/cla-check", "me"),), {"me": "/cla-check me"}),  # No other App answers it.
    "exempt": CommentCommand(
        "record",
        (("/cla", "exempt"),),
        {"exempt": "/cla exempt @{login} {reason}", "address": "/cla exempt {address} {reason}"},
    ),
    "override": CommentCommand("record", (("/dco", "override"),), {"override": "/dco override {reason}"}),
    "vouch": CommentCommand("record", (("/cla", "vouch"),), {"vouch": "/cla vouch {reason}"}),
    "for": CommentCommand("record", (("/cla", "for"),), {"for-me": "/cla for me", "for-company": "/cla for {domain}"}),
    # It begins as a command of ours or of a tool that we replace, and is none.
    "unknown": CommentCommand("reply"),
}
"""Every command, by the name under which its event is stored."""


def shown(language: Language) -> dict[str, str]:
    """The commands as people are shown them, by the names of their sentences."""
    blanks = {name: phrase(language, "commands", f"word-{name}") for name in ("login", "address", "reason", "domain")}
    return {
        name: text.format(**blanks) for command in COMMANDS.values() for name, text in (command.shown or {}).items()
    }


def body(language: check_run.Language) -> str:
    """The answer to a comment that means to be a command and is none; it is known again by its marker."""
    # Markdown shows no HTML comment.
    return f"<!-- {MARKER} -->\n\n{check_run.folded(language, _in)}"


def refused_press(language: check_run.Language, *, is_too_old: bool) -> str:
    """The answer to a press of "I answer for this" that does not count; `is_too_old`: a newer commit came."""
    name = "press-old" if is_too_old else "press-refused"
    return f"<!-- {PRESS_MARKER} -->\n\n{check_run.folded(language, lambda each: phrase(each, 'commands', name))}"


def _in(language: Language) -> str:
    def say(name: str) -> str:
        return phrase(language, "commands", name)

    rows = [f"| `{text}` | {say(name)} |" for name, text in shown(language).items()]
    return "\n".join([say("intro"), "", f"| {say('comment')} | {say('effect')} |", "|---|---|", *rows])
