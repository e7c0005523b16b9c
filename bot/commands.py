"""What the first line of a comment asks of us: look again, say why, exempt somebody, set the sign-off aside."""

import re
from dataclasses import dataclass
from typing import Literal

Command = Literal["check", "why", "exempt", "override"]

CHECKS = frozenset({"/cla-check", "/check-cla", "/dco-check", "/recheck"})
"""What asks to judge again, in any case."""
_OVERRIDES: dict[tuple[str, ...], Command] = {("/cla", "exempt"): "exempt", ("/dco", "override"): "override"}
# GitHub's own rule, bots and managed users (`octo_acme`) included.
_LOGIN = re.compile(r"@([A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\[bot\])?)")
LONGEST = 1_000
"""Characters of a reason that are kept: it is one line for people to read later."""


@dataclass(frozen=True, slots=True)
class Wish:
    """An override as it was asked for: `login` is the account to be exempted from the CLA, None means the DCO."""

    login: str | None
    reason: str


def command(body: object) -> Command | None:
    """The command that a comment's first line gives; None for talk.

    An override counts as given by its first two words, so that a misshapen one gets an answer too.
    """
    words = _first_line(body).lower().split()
    if tuple(words[:2]) in _OVERRIDES:
        return _OVERRIDES[tuple(words[:2])]
    if not words or words[0] not in CHECKS:
        return None
    if words[1:] == ["why"]:
        return "why"
    return "check" if len(words) == 1 else None


def wish(body: object) -> Wish | None:
    """The override that a comment's first line asks for; None when it is none, or lacks whom or the reason."""
    words = _first_line(body).split()
    given = command(body)
    if given == "override" and len(words) > 2:
        return Wish(None, _reason(words[2:]))
    if given != "exempt" or len(words) < 4:
        return None
    named = _LOGIN.fullmatch(words[2])
    return Wish(named[1], _reason(words[3:])) if named else None


def _first_line(body: object) -> str:
    return body.partition("\n")[0] if isinstance(body, str) else ""


def _reason(words: list[str]) -> str:
    return " ".join(words)[:LONGEST]
