"""Shell patterns as sets of repository names: whether everything that one takes is taken by others, and so whether it takes any."""

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import repeat
from typing import Final

_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
"""The characters of which names of accounts and repositories at GitHub are made, in lower case: patterns take any case."""
_SLASH: Final = frozenset("/")
_MAX_STEPS = 100_000  # A rulebook must not keep a worker busy.

Step = tuple[frozenset[str], bool]
"""The characters of which one place of a pattern takes one or, with True, any number."""

_SOME: Final[tuple[Step, ...]] = ((_LETTERS, False), (_LETTERS, True))
_NAMES: Final = (*_SOME, (_SLASH, False), *_SOME)
"""Every owner/name."""


def covered(pattern: str, others: Iterable[str]) -> bool:
    """Whether it is certain that each repository which the pattern takes is taken by one of the others.

    A pattern that takes none is covered by nothing at all. What would need too many steps to prove is not certain.
    """
    mine, others = _steps(pattern), tuple(others)
    # Most patterns take a name of their own or lie in one of the others: the long way through all is for the rest.
    if any(not any(_takes(other, name) for other in others) for name in _names(pattern)):
        return False
    theirs = tuple(_steps(other) for other in others)
    return any(_is_covered(mine, (steps,)) for steps in theirs) or _is_covered(mine, theirs)


def _names(pattern: str) -> Iterator[str]:
    """Some names that a pattern takes, if it takes any, by the letters that stand first and last in its places."""
    for pick in (min, max):
        for stars in (False, True):
            name = "".join(pick(taken, default="") for taken, star in _steps(pattern) if stars or not star)
            owner, slash, own = name.partition("/")
            if owner and slash and own and _LETTERS.issuperset(owner + own) and _takes(pattern, name):
                yield name


def _takes(pattern: str, name: str) -> bool:
    """Whether a pattern takes owner/name, as a rulebook does."""
    return fnmatchcase(name if "/" in pattern else name.rpartition("/")[2], pattern.casefold())


def _is_covered(mine: Sequence[Step], theirs: Sequence[Sequence[Step]]) -> bool:
    # One character for each kind that these patterns tell apart.
    steps = {taken for pattern in (*theirs, mine) for taken, _ in pattern}
    kinds = {tuple(letter in taken for taken in steps): letter for letter in sorted(_LETTERS)}
    letters = (*kinds.values(), "/")
    # All names at once: for what was read so far, the places that each pattern may have reached.
    waiting = [(_still(_NAMES, {0}), _still(mine, {0}), tuple(_still(other_steps, {0}) for other_steps in theirs))]
    seen = set(waiting)
    while waiting:
        name, ours, rest = waiting.pop()
        is_taken = any(len(steps) in places for steps, places in zip(theirs, rest, strict=True))
        # A whole name that the pattern takes and none of the others.
        if len(_NAMES) in name and len(mine) in ours and not is_taken:
            return False
        for letter in letters:
            still_name, still_ours = _after(_NAMES, name, letter), _after(mine, ours, letter)
            state = still_name, still_ours, tuple(map(_after, theirs, rest, repeat(letter)))
            if still_name and still_ours and state not in seen:
                seen.add(state)
                waiting.append(state)
        if len(seen) * len(letters) * (len(theirs) + 1) > _MAX_STEPS:
            return False
    return True


def is_plain(pattern: str) -> bool:
    """Whether the pattern is a name, without anything that stands for something else."""
    return not set(pattern) & set("*?[")


@lru_cache(maxsize=4096)
def _steps(pattern: str) -> tuple[Step, ...]:
    text = pattern.casefold()
    inner = _LETTERS | _SLASH if "/" in text else _LETTERS
    # A pattern without a slash takes its names under every owner.
    found: list[Step] = [] if "/" in text else [*_SOME, (_SLASH, False)]
    while text:
        end = 1
        if text[0] == "[":  # Brackets that have no end stand for themselves.
            end = text.find("]", 3 if text[1:2] == "!" else 2) + 1 or 1
        piece, text = text[:end], text[end:]
        taken = frozenset(letter for letter in inner if fnmatchcase(letter, piece))
        found.append((taken, piece == "*"))
    return tuple(found)


def _still(steps: Sequence[Step], places: Iterable[int]) -> frozenset[int]:
    """The places with those that are reached by taking nothing."""
    found = set(places)
    for place in sorted(found):
        following = place
        while following < len(steps) and steps[following][1]:
            following += 1
            found.add(following)
    return frozenset(found)


def _after(steps: Sequence[Step], places: frozenset[int], letter: str) -> frozenset[int]:
    """The places that are reached by that character."""
    taking = (place for place in places if place < len(steps) and letter in steps[place][0])
    return _still(steps, {place if steps[place][1] else place + 1 for place in taking})
