"""Versions compare as numbers, part by part: 1.10 is above 1.9, and 2 is 2.0."""

from functools import lru_cache
from itertools import zip_longest

_LONGEST_PART = 9  # digits


def parts(text: str) -> tuple[int, ...] | None:
    """The numbers of a version such as `2.0`, or None when it is none."""
    pieces = text.split(".")
    if not all(piece.isascii() and piece.isdigit() and len(piece) <= _LONGEST_PART for piece in pieces):
        return None
    return tuple(int(piece) for piece in pieces)


def compare(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    """-1, 0 or 1; a missing part counts as 0."""
    for mine, other in zip_longest(left, right, fillvalue=0):
        if mine != other:
            return -1 if mine < other else 1
    return 0


@lru_cache(maxsize=4096)
def admits(pattern: str, version: str) -> bool:
    """Whether `2.0`, `1.x`, `>=2.0`, `>2.0`, `<=2.0`, `<2.0`, or several of them with commas, admit the version."""
    found = parts(version)
    return found is not None and is_pattern(pattern) and all(_one(piece.strip(), found) for piece in pattern.split(","))


def is_pattern(text: str) -> bool:
    """Whether the text is such a pattern."""
    return all(_wanted(piece.strip()) is not None for piece in text.split(","))


def is_empty(pattern: str) -> bool:
    """Whether no version can match the pattern, as none can be `>2.0, <1.0`.

    The versions of a pattern begin at 0, at a number in it, or right after one; right after has a part more than all.
    """
    bounds = [(0,), *(wanted[1] for piece in pattern.split(",") if (wanted := _wanted(piece.strip())))]
    longest = max(map(len, bounds))
    after = [(*bound, *[0] * (longest - len(bound)), 1) for bound in bounds]
    return not any(admits(pattern, ".".join(map(str, version))) for version in [*bounds, *after])


def _wanted(piece: str) -> tuple[str, tuple[int, ...]] | None:
    for sign in (">=", "<=", "==", ">", "<"):
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
        return compare(version[: len(numbers)], numbers) == 0
    order = compare(version, numbers)
    return {">=": order >= 0, "<=": order <= 0, "==": order == 0, ">": order > 0, "<": order < 0}[sign]
