"""What the first line of a comment asks of us: look again, say why, count me in, exempt, set the sign-off aside, vouch."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from agreements.domains.domains import canonical_address

Command = Literal["check", "why", "me", "exempt", "override", "vouch", "unknown"]
"""`me`: the writer takes part. `unknown`: it begins as a command of ours or of a tool that we replace, and is none."""


CHECK_AGAIN = "check-again"
"""What GitHub calls our button in its event; it takes 20 characters."""
RULES: Final[frozenset[Command]] = frozenset({"exempt", "override", "vouch"})
"""Commands that say something of one head: they need a reason and the right to it, and are recorded."""
_CHECK = ("/cla-check", "/check-cla", "/dco-check", "/check-dco", "/recheck", "/easycla")
COMMANDS: Final[Mapping[tuple[str, ...], Command]] = {
    **{(word,): "check" for word in _CHECK},
    **{(word, "why"): "why" for word in _CHECK},
    ("/cla-check", "me"): "me",  # for nobody else's App
    ("/cla", "exempt"): "exempt",
    ("/dco", "override"): "override",
    ("/cla", "vouch"): "vouch",
}
"""Every command, by the words with which the first line begins, in lower case."""
_BARE = "recheck"
"""A comment of this word alone asks to judge again, as in other tools."""
# Nobody else's words begin so. `/recheck` and what follows it may be meant for another App: only ours alone is answered.
_OURS = re.compile(r"/(?:check-(?:cla|dco)|(?:cla|dco)(?:-.*)?)")
_NEARLY_OURS = frozenset({"clacheck", "checkcla", "dcocheck", "checkdco"})
"""The letters of ours, which people also write with other signs between them, or without the stroke."""
_FOREIGN_NAMES = frozenset(
    {"@dcoapp", "@dco", "@cla-bot", "@claassistant", "@googlebot", "@easycla", "@linux-foundation-easycla"}
)
_FOREIGN_SENTENCE = "i have read the cla document and i hereby sign the cla"
"""What one of the replaced tools has people write to sign."""
# GitHub's own rule, bots and managed users (`octo_acme`) included.
_LOGIN = re.compile(r"@([A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?)")
MAX_REASON_CHARACTERS = 1_000
"""Characters of a reason that are kept: it is one line for people to read later."""


@dataclass(frozen=True, slots=True)
class OverrideCommand:
    """What is said of one head, as it was asked for: of an account, of an address without one, or of neither."""

    command: Command
    reason: str
    login: str | None = None
    email: str | None = None


def command(body: object) -> Command | None:
    """The command that a comment's first line gives; None for talk.

    A command with a reason counts as given by its first two words, so that a misshapen one gets an answer too, and so
    does a mistyped command or another tool's: whoever waits for it learns that nothing happens.
    """
    if isinstance(body, str) and body.strip().lower() == _BARE:
        return "check"
    words = tuple(_words(body, lower=True))
    found = COMMANDS.get(words) or (COMMANDS.get(words[:2]) if words[:1] in (("/cla",), ("/dco",)) else None)
    if found is not None:
        return found
    return "unknown" if words and (_OURS.fullmatch(words[0]) or _is_nearly_ours(words) or _is_foreign(words)) else None


def override_command(body: object) -> OverrideCommand | None:
    """What a comment's first line says of one head; None when it says nothing, or lacks of whom or the reason."""
    words, given = _words(body, lower=False), command(body)
    if given in ("override", "vouch") and len(words) > 2:
        return OverrideCommand(given, _reason(words[2:]))
    if given != "exempt" or len(words) < 4:
        return None
    named, address = _LOGIN.fullmatch(words[2]), canonical_address(words[2].strip("<>"))
    if named:
        return OverrideCommand("exempt", _reason(words[3:]), login=named[1])
    return OverrideCommand("exempt", _reason(words[3:]), email=address) if address else None


def _is_nearly_ours(words: tuple[str, ...]) -> bool:
    """Whether the line is a command of ours but for its signs: `/cla_check`, `/check cla`, `cla-check`."""
    letters = {"".join(filter(str.isalpha, text)) for text in (words[0], "".join(words[:2]))}
    return (words[0][0] == "/" or len(words) < 3) and not _NEARLY_OURS.isdisjoint(letters)


def _is_foreign(words: tuple[str, ...]) -> bool:
    """Whether a tool that we replace is spoken to: by its name and a word or two, or by its sentence."""
    named = words[0].rstrip(":,").removesuffix("[bot]") in _FOREIGN_NAMES and len(words) <= 4
    return named or " ".join(words).rstrip(".!") == _FOREIGN_SENTENCE


def _words(body: object, *, lower: bool) -> list[str]:
    """The words of the first line, without backticks around them; a fence of code begins no command."""
    line = body.partition("\n")[0].strip() if isinstance(body, str) else ""
    if line.startswith("```"):
        return []
    words = line.split()
    if line.startswith("`"):  # `/cla-check`, `/cla-check` why, `/cla-check why`
        words = [one for one in (word.strip("`") for word in words) if one]
    return [one.lower() for one in words] if lower else words


def _reason(words: list[str]) -> str:
    return " ".join(words)[:MAX_REASON_CHARACTERS]
