"""Reads the first line of a comment: look again, say why, count me in, exempt, set the sign-off aside, vouch, or for whom."""

import re
from dataclasses import dataclass
from typing import Final

from agreements.domains.canonical_form import canonical_address, canonical_domain
from agreements.github_server import is_login
from bot.report.comment_commands import COMMANDS

# GitHub calls our buttons so in its event; it takes 20 characters.
CHECK_AGAIN = "check-again"
ANSWER_FOR_AGENTS = "answer-for-agents"
_BY_WORDS: Final = {words: name for name, comment_command in COMMANDS.items() for words in comment_command.words}
_BARE = "recheck"  # A comment of this word alone asks to judge again, as in other tools.
# No other App's commands begin so. `/recheck` with further words may be meant for another App: it is answered only alone.
_OURS = re.compile(r"/(?:check-(?:cla|dco)|(?:cla|dco)(?:-.*)?)")
# The letters of ours, which people also write with other signs between them, or without the stroke.
_NEARLY_OURS = frozenset({"clacheck", "checkcla", "dcocheck", "checkdco"})
# Accounts of tools that Countersign replaces: people may still speak to them.
_FOREIGN_NAMES = frozenset(
    {"@dcoapp", "@dco", "@cla-bot", "@claassistant", "@googlebot", "@easycla", "@linux-foundation-easycla"}
)
# One of the replaced tools has people write this to sign.
_FOREIGN_SENTENCE = "i have read the cla document and i hereby sign the cla"
_SELF = frozenset({"me", "myself"})
MAX_REASON_CHARACTERS = 1_000  # It is one line for people to read later.


@dataclass(frozen=True, slots=True)
class OverrideCommand:
    """An override of one head (`command`, `reason`): of an account (`login`), an `email` without one, or neither."""

    command: str
    reason: str
    login: str | None = None
    email: str | None = None


@dataclass(frozen=True, slots=True)
class WantedCover:
    """For whom a person contributes: the company with the `domain`; "": for themselves."""

    domain: str = ""


def command(body: object) -> str | None:
    """The name of the command that a comment's first line gives; None for talk."""
    if isinstance(body, str) and body.strip().lower() == _BARE:
        return "check"
    words = tuple(_words(body, lower=True))
    if words in _BY_WORDS:
        return _BY_WORDS[words]
    begun = _BY_WORDS.get(words[:2])
    # By its first two words, so that a misshapen command gets an answer, too.
    if begun is not None and COMMANDS[begun].handling == "record":
        return begun
    # A mistyped command, or another tool's: the person who waits for it learns that nothing happens.
    return "unknown" if words and _means_a_command(words) else None


def override_command(body: object) -> OverrideCommand | None:
    """The override in a comment's first line; None when there is none, or it lacks the account or the reason."""
    words, given = _words(body, lower=False), command(body)
    if given in ("override", "vouch") and len(words) > 2:
        return OverrideCommand(given, _reason(words[2:]))
    if given != "exempt" or len(words) < 4:
        return None
    login, address = words[2].removeprefix("@"), canonical_address(words[2].strip("<>"))
    if login != words[2] and is_login(login):
        return OverrideCommand("exempt", _reason(words[3:]), login=login)
    return OverrideCommand("exempt", _reason(words[3:]), email=address) if address else None


def wanted_cover(body: object) -> WantedCover | None:
    """For whom the person contributes by a comment's first line; None when it does not say so, or names no domain."""
    words = _words(body, lower=True)
    if command(body) != "for" or len(words) != 3:
        return None
    if words[2] in _SELF:
        return WantedCover()
    domain = canonical_domain(words[2].removeprefix("@"))
    return WantedCover(domain) if domain else None


def _means_a_command(words: tuple[str, ...]) -> bool:
    """Whether the line is a command of ours, maybe with other signs (`/cla_check`), or of a tool that we replace."""
    letters = {"".join(filter(str.isalpha, text)) for text in (words[0], "".join(words[:2]))}
    is_nearly_ours = (words[0][0] == "/" or len(words) < 3) and not _NEARLY_OURS.isdisjoint(letters)
    is_foreign = words[0].rstrip(":,").removesuffix("[bot]") in _FOREIGN_NAMES and len(words) <= 4
    is_foreign = is_foreign or " ".join(words).rstrip(".!") == _FOREIGN_SENTENCE
    return bool(_OURS.fullmatch(words[0])) or is_nearly_ours or is_foreign


def _words(body: object, *, lower: bool) -> list[str]:
    """The words of the first line, without backticks around them; a fence of code or a quote begins no command."""
    line = body.partition("\n")[0].strip() if isinstance(body, str) else ""
    if line.startswith(("```", ">")):  # People quote a comment that they answer.
        return []
    words = line.split()
    if line.startswith("`"):  # `/cla-check`, `/cla-check` why, `/cla-check why`
        words = [bare_word for bare_word in (word.strip("`") for word in words) if bare_word]
    return [word.lower() for word in words] if lower else words


def _reason(words: list[str]) -> str:
    return " ".join(words)[:MAX_REASON_CHARACTERS]
