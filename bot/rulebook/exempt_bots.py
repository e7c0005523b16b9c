"""Bots that many organisations run: proposed for `people.exempt` where a CLA is required, never exempt by themselves."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agreements.github_server import GitHubServer
from agreements.rulebook.rules import ExemptAccount, Rules

# The numbers are those of their no-reply addresses in public commits on github.com, read on 2026-11-22.
BOTS: Final = (
    ExemptAccount(49699333, "dependabot[bot]"),
    ExemptAccount(29139614, "renovate[bot]"),
    ExemptAccount(41898282, "github-actions[bot]"),
    ExemptAccount(66853113, "pre-commit-ci[bot]"),
)
"""An exempt account counts only as opener or pusher: a commit that merely names one of them still does not pass."""


def proposed(rules: Rules, server: GitHubServer) -> tuple[ExemptAccount, ...]:
    """The known bots that the rulebook does not exempt though a CLA is required; none for a sign-off."""
    # On another server the same number is another account's.
    if not server.is_github_com or all(rule.require in ("dco", "none") for rule in rules.repositories):
        return ()
    exempt = {entry.id for entry in rules.people.exempt}
    return tuple(bot for bot in BOTS if bot.id not in exempt)


def advice(bots: tuple[ExemptAccount, ...], data: object) -> Iterator[str]:
    """The lines that let these bots off, to paste into the rulebook with that data; none without bots."""
    if not bots:
        return
    people: Any = data.get("people") if isinstance(data, Mapping) else None
    yield ""
    yield "Bots cannot sign an agreement. If you use any of these bots, add them to people.exempt"
    yield "in the organisation's rulebook:"
    yield ""
    # A key that is there already would stand in it twice.
    if not people:
        yield "people:"
    if not (isinstance(people, Mapping) and people.get("exempt")):
        yield "  exempt:"
    for bot in bots:
        yield f'    - {{id: {bot.id}, login: "{bot.login}"}}'
