"""The `licenses:` part of the rulebook: what it may hold, and that this version does not act on it yet."""

from collections.abc import Mapping
from dataclasses import dataclass

KEYS = ("delivery", "repositories", "dependencies", "waivers", "fail_on")
"""The keys of the part: delivery, overrides for repositories, curated dependencies, waivers, what fails a check."""
_NOT_YET = "not available in this version"


@dataclass(frozen=True, slots=True)
class PolicyError:
    """One mistake: where below `licenses`, and what."""

    path: tuple[str, ...]
    message: str


def mistakes(part: object) -> tuple[PolicyError, ...]:
    """What is wrong with the value of `licenses`; an empty mapping, or none at all, is right.

    A documented key is refused too, never silently ignored: nothing acts on it in this version.
    """
    if part is None:
        return ()
    if not isinstance(part, Mapping):
        return (PolicyError((), "must be a mapping"),)
    return tuple(PolicyError((str(key)[:60],), _message(str(key)[:60])) for key in part)


def _message(key: str) -> str:
    """No suggestion: what it would name is refused, too."""
    return _NOT_YET if key in KEYS else f"unknown key; whatever stands under licenses is {_NOT_YET}"
