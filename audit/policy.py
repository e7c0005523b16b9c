"""The `licenses:` part of the rulebook: what it may hold, and that this version does not act on it yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

KEYS = ("delivery", "repositories", "dependencies", "waivers", "fail_on")
"""The keys of the part: delivery, overrides for repositories, curated dependencies, waivers, what fails a check."""


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
    if key in KEYS:
        return "not available in this version"
    near = get_close_matches(key, KEYS, n=1, cutoff=0.6)
    return f"unknown key, did you mean {near[0]}?" if near else f"unknown key, known here: {', '.join(sorted(KEYS))}"
