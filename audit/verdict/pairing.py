"""Pairs the uses of a package before a change with those after it: those that are alike in most things first."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeVar


class PairingKey(Protocol):
    """The properties that tell uses of one package apart; "" where one is not known."""

    @property
    def version(self) -> str:
        """The version."""

    @property
    def usage(self) -> str:
        """The usage."""

    @property
    def license(self) -> str:
        """The licence, as it was written."""

    @property
    def component(self) -> str:
        """The part of the repository that uses it."""


Use = TypeVar("Use", bound=PairingKey)
# From alike in all to merely the same package: each step pairs what the steps before it left over.
_LIKENESS: Final[tuple[Callable[[PairingKey], tuple[str, ...]], ...]] = (
    lambda key: (key.version, key.usage, key.license, key.component),
    lambda key: (key.version, key.usage),
    lambda key: (key.version,),
    lambda key: (key.usage,),
    lambda _: (),
)


def pairs(old: Iterable[Use], new: Iterable[Use]) -> Iterator[tuple[Use | None, Use | None]]:
    """The uses of one package, before and after: alike in most, then by version, by usage, then as they stand.

    None stands on the side where there is no such use.
    """
    left, right = list(old), list(new)
    for alike in _LIKENESS:
        waiting: dict[tuple[str, ...], list[Use]] = {}
        for use in right:
            waiting.setdefault(alike(use), []).append(use)
        rest = []
        for use in left:
            others = waiting.get(alike(use))
            if others:
                yield use, others.pop(0)  # In the order in which they stand.
            else:
                rest.append(use)
        left, right = rest, [use for others in waiting.values() for use in others]
    yield from ((use, None) for use in left)
    yield from ((None, use) for use in right)
