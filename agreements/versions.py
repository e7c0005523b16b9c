"""Versions compare as numbers, part by part: 1.10 is above 1.9, and 2 is 2.0."""

from functools import lru_cache
from operator import eq, ge, gt, le, lt

_MAX_PART_DIGITS = 9  # Longer numbers are dates or mistakes; int() is slow for thousands of digits.
_COMPARISONS = {">=": ge, "<=": le, "==": eq, ">": gt, "<": lt}


def parts(text: str) -> tuple[int, ...] | None:
    """The numbers of a version such as `2.0`, or None when it is none."""
    pieces = text.split(".")
    if not all(piece.isascii() and piece.isdigit() and len(piece) <= _MAX_PART_DIGITS for piece in pieces):
        return None
    return tuple(int(piece) for piece in pieces)


def sort_key(text: str) -> tuple[int, ...]:
    """The key by which versions are compared: a missing part counts as 0, a text that is no version as the lowest."""
    return _without_zeros(parts(text) or ())


def _without_zeros(numbers: tuple[int, ...]) -> tuple[int, ...]:
    while numbers and numbers[-1] == 0:  # So 2 is 2.0.
        numbers = numbers[:-1]
    return numbers


@lru_cache(maxsize=4096)  # A verdict asks the same few for every signature.
def admits(pattern: str, version: str) -> bool:
    """Whether `2.0`, `1.x`, `>=2.0`, `>2.0`, `<=2.0`, `<2.0`, or several of them with commas, admit the version."""
    found = parts(version)
    return found is not None and is_pattern(pattern) and all(_one(piece.strip(), found) for piece in pattern.split(","))


def is_pattern(text: str) -> bool:
    """Whether the text is such a pattern."""
    return all(_wanted(piece.strip()) is not None for piece in text.split(","))


def is_empty(pattern: str) -> bool:
    """Whether no version can match the pattern, as none can match `>2.0, <1.0`."""
    # Ranges begin at 0, at a number in the pattern, or right after one, which is that number with one part more.
    bounds = [(0,), *(wanted[1] for piece in pattern.split(",") if (wanted := _wanted(piece.strip())))]
    longest = max(map(len, bounds))
    after = [(*bound, *[0] * (longest - len(bound)), 1) for bound in bounds]
    return not any(admits(pattern, ".".join(map(str, version))) for version in [*bounds, *after])


def _wanted(piece: str) -> tuple[str, tuple[int, ...]] | None:
    for sign in _COMPARISONS:  # The longer ones first: `>` begins `>=`.
        if piece.startswith(sign):
            numbers = parts(piece.removeprefix(sign).strip())
            return None if numbers is None else (sign, numbers)
    family = piece.removesuffix(".x").removesuffix(".*")
    numbers = parts(family)
    return None if numbers is None else ("==" if family == piece else "family", numbers)


def _one(piece: str, version: tuple[int, ...]) -> bool:
    wanted = _wanted(piece)
    if wanted is None:
        return False
    sign, numbers = wanted
    if sign == "family":
        version, sign = version[: len(numbers)], "=="
    return bool(_COMPARISONS[sign](_without_zeros(version), _without_zeros(numbers)))
