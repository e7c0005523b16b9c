"""Patterns of paths as `REUSE.toml` and `.reuse/dep5` write them; matching is linear in the path, for every pattern."""

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final

_NAME: Final = "*"  # Any characters but a slash.
_PATH: Final = "**"  # Any characters.
_ONE: Final = "?"  # Any one character.
_WILD: Final = frozenset({_NAME, _PATH, _ONE})


@dataclass(frozen=True)
class PathPattern:
    """A pattern in `parts`: each is a character, or a wildcard, which its second value marks."""

    parts: tuple[tuple[str, bool], ...]

    @cached_property
    def beginning(self) -> str:
        """The characters before the first wildcard."""
        return "".join(said for said, _ in takewhile(lambda part: not part[1], self.parts))

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is one path, without a wildcard."""
        return not any(wild for _, wild in self.parts)

    @cached_property
    def is_everything(self) -> bool:
        """Whether it matches every path."""
        return self.parts == ((_PATH, True),)

    def matches(self, path: str) -> bool:
        """Whether the whole path, with slashes, fits."""
        if not path.startswith(self.beginning):
            return False
        if self.is_plain:
            return path == self.beginning
        if self.is_everything:
            return True
        # All ways through the pattern are followed at once, a bit for each: no pattern makes a path take long.
        steps, within, across, single = self._masks
        at = self._passed(1 << len(self.beginning))
        for character in path[len(self.beginning) :]:
            stay = at & (across if character == "/" else within | across)
            at = self._passed((at & (steps.get(character, 0) | single)) << 1 | stay)
            if not at:
                return False
        return bool(at >> len(self.parts) & 1)

    @cached_property
    def _masks(self) -> tuple[dict[str, int], int, int, int]:
        steps: dict[str, int] = {}
        wild = dict.fromkeys(_WILD, 0)
        for number, (said, is_wild) in enumerate(self.parts):
            kinds = wild if is_wild else steps
            kinds[said] = kinds.get(said, 0) | 1 << number
        return steps, wild[_NAME], wild[_PATH], wild[_ONE]

    def _passed(self, at: int) -> int:
        """The places in the pattern with those behind a wildcard that stands for nothing; no two are in a row."""
        _, within, across, _ = self._masks
        return at | (at & (within | across)) << 1


def of_reuse_toml(pattern: str) -> PathPattern:
    """A `path` of `REUSE.toml`: `*` stays within a name, `**` and `**/` do not, a backslash takes the next character as it is."""
    parts: list[tuple[str, bool]] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\" and at + 1 < len(pattern):
            parts.append((pattern[at + 1], False))
            at += 2
        elif character != "*":
            parts.append((character, False))
            at += 1
        else:
            stars = len(pattern[at:]) - len(pattern[at:].lstrip("*"))
            at += stars
            _add(parts, _PATH if stars > 1 else _NAME)
            if stars > 1 and pattern[at : at + 1] == "/":  # `**/` may be no folder.
                at += 1
    return PathPattern(tuple(parts))


def of_dep5(pattern: str) -> PathPattern:
    """A pattern of `Files:` in Debian's format: `*` is any characters, slashes too, `?` any one of them, a backslash escapes."""
    parts: list[tuple[str, bool]] = []
    characters = iter(pattern.removeprefix("./"))
    for character in characters:
        if character == "\\":
            parts.append((next(characters, "\\"), False))
        elif character == "*":
            _add(parts, _PATH)
        else:
            parts.append((character, character == "?"))
    return PathPattern(tuple(parts))


def _add(parts: list[tuple[str, bool]], wildcard: str) -> None:
    """Adds a wildcard; of two in a row the one that takes in more is left."""
    if parts and parts[-1] in {(_NAME, True), (_PATH, True)}:
        wildcard = _PATH if _PATH in {wildcard, parts[-1][0]} else _NAME
        parts.pop()
    parts.append((wildcard, True))
