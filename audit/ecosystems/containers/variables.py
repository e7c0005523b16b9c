"""Variables of container files and of the commands in them, where a literal text stands for their value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_VARIABLE: Final = re.compile(r"\$(?:\{([A-Za-z_]\w{0,100})(?::?-([^{}]{0,1000}))?\}|([A-Za-z_]\w{0,100}))", re.ASCII)
_PAIR: Final = re.compile(r"([A-Za-z_]\w{0,100})(?:=(\"[^\"]*+\"|'[^']*+'|[^\s\"']*+))?(?=\s|$)", re.ASCII)
# The last alternative is a value that the shell computes.
_ASSIGNED: Final = re.compile(
    r"(?<![\w$\"'./=-])([A-Za-z_]\w{0,100})\+?=(?:\"([^\"$`]*+)\"(?=[\s;&|)]|$)|'([^']*+)'(?=[\s;&|)]|$)|([^\s;&|\"'$`()]*+)(?=[\s;&|)]|$)|)",
    re.ASCII,
)
_MAX_VALUE_CHARACTERS: Final = 2_000
_MAX_VALUES: Final = 200  # Of one stage, and of one instruction.
_MAX_GROWTH_CHARACTERS: Final = 100_000  # A small file may make a long text of variables.


def with_any(words: str) -> str:
    """The words as a pattern in which `*` stands for each variable."""
    return _VARIABLE.sub("*", words)


@dataclass
class Expansion:
    """Puts values in place of variables; `left` is by how many characters the texts of one file may still grow."""

    left: int = _MAX_GROWTH_CHARACTERS

    def expand(self, words: str, values: Mapping[str, str]) -> str:
        """The words with all values that are known; a variable without one stays as it is written."""

        def value(found: re.Match[str]) -> str:
            name, default = found[1] or found[3], found[2]
            known = values.get(name) or (default if default is not None else values.get(name))
            self.left -= len(known or "")
            return found[0] if known is None or self.left < 0 else known

        return _VARIABLE.sub(value, words) if "$" in words else words

    def define(self, verb: str, rest: str, values: dict[str, str], outer: Mapping[str, str]) -> None:
        """The values of one ARG or ENV; `outer` are those of the arguments before the first stage."""
        first = rest.split(None, 1)
        if verb == "ENV" and len(first) == 2 and "=" not in first[0]:
            pairs: list[tuple[str, str | None]] = [
                (first[0], first[1])
            ]  # An older form: all that follows is the value.
        else:
            pairs = [(pair[1], pair[2]) for pair in _PAIR.finditer(rest[:_MAX_GROWTH_CHARACTERS])]
        for name, written in pairs[:_MAX_VALUES]:
            inherited = values.get(name, outer.get(name))  # An ARG without a default has the one that is known.
            value = inherited if written is None else self.expand(written.strip("\"'"), values)
            if value is None or len(value) > _MAX_VALUE_CHARACTERS or len(values) >= _MAX_VALUES:
                values.pop(name, None)
            else:
                values[name] = value


def assigned(command: str, values: Mapping[str, str]) -> dict[str, str]:
    """The values, with those that a command of a shell assigns: all that one variable is ever given stand in a row."""
    found: dict[str, str | None] = {}
    for match in _ASSIGNED.finditer(command):
        name, value = match[1], next((text for text in match.groups()[1:] if text is not None), None)
        before = found.get(name, "")
        # One value that is computed leaves the variable open.
        found[name] = None if value is None or before is None else f"{before} {value}".strip()[:_MAX_VALUE_CHARACTERS]
        if len(found) >= _MAX_VALUES:
            break
    known = {**values, **{name: value for name, value in found.items() if value is not None}}
    return {name: value for name, value in known.items() if found.get(name, "") is not None}
