"""What the first line of a comment asks of us: look again, say why, count me in, exempt somebody, set the sign-off aside."""

import re
from dataclasses import dataclass
from typing import Literal

Command = Literal["check", "why", "me", "exempt", "override", "unknown"]
"""`me`: the writer takes part. `unknown`: it begins as a command of ours does, and is none."""

_CLA_CHECK = "/cla-check"
CHECKS = frozenset({_CLA_CHECK, "/check-cla", "/dco-check", "/recheck"})
"""What asks to judge again, in any case."""
EXEMPT, SET_ASIDE = "/cla exempt @login reason", "/dco override reason"
"""How the two overrides are written, as people are shown it."""
CHECK_AGAIN = "check-again"
"""What GitHub calls our button in its event; it takes 20 characters."""
_OVERRIDES: dict[tuple[str, ...], Command] = {("/cla", "exempt"): "exempt", ("/dco", "override"): "override"}
# Nobody else's words begin so. `/recheck` and what follows it may be meant for another App: only ours alone is answered.
_OURS = re.compile(r"/(?:check-cla|(?:cla|dco)(?:-.*)?)")
# GitHub's own rule, bots and managed users (`octo_acme`) included.
_LOGIN = re.compile(r"@([A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?)")
MAX_REASON_CHARACTERS = 1_000
"""Characters of a reason that are kept: it is one line for people to read later."""


@dataclass(frozen=True, slots=True)
class OverrideCommand:
    """An override as it was asked for: `login` is the account to be exempted from the CLA, None means the DCO."""

    login: str | None
    reason: str


def command(body: object) -> Command | None:
    """The command that a comment's first line gives; None for talk.

    An override counts as given by its first two words, so that a misshapen one gets an answer too, and so does a
    mistyped command: whoever waits for it learns that nothing happens.
    """
    words = _first_line(body).lower().split()
    if tuple(words[:2]) in _OVERRIDES:
        return _OVERRIDES[tuple(words[:2])]
    if words == [_CLA_CHECK, "me"]:  # for nobody else's App
        return "me"
    if words and words[0] in CHECKS and words[1:] in ([], ["why"]):
        return "why" if words[1:] else "check"
    return "unknown" if words and _OURS.fullmatch(words[0]) else None


def override_command(body: object) -> OverrideCommand | None:
    """The override that a comment's first line asks for; None when it is none, or lacks whom or the reason."""
    words = _first_line(body).split()
    kind = command(body)
    if kind == "override" and len(words) > 2:
        return OverrideCommand(None, _reason(words[2:]))
    if kind != "exempt" or len(words) < 4:
        return None
    named = _LOGIN.fullmatch(words[2])
    return OverrideCommand(named[1], _reason(words[3:])) if named else None


def _first_line(body: object) -> str:
    return body.partition("\n")[0] if isinstance(body, str) else ""


def _reason(words: list[str]) -> str:
    return " ".join(words)[:MAX_REASON_CHARACTERS]
