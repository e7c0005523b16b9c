"""JSON whose objects know their line: read by the standard library, the lines found in one pass over the braces."""

import json
import re
from typing import Any, Final

from audit.ecosystems.parsed_file import ParseError, text

# Possessive: nothing is tried twice.
_BRACE: Final = re.compile(r'[^"{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}]*+)*+([{}])', re.DOTALL)
_TOKEN: Final = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"(\s*+:)?|[{}\[\]]', re.DOTALL)


class LocatedObject(dict[str, Any]):
    """An object of a JSON file, with the offset and the line at which it begins."""

    __slots__ = ("line", "source", "start")
    start: int
    line: int
    source: str

    def lines(self) -> dict[str, int]:
        """The line of each key, found by one pass over the object's text."""
        found: dict[str, int] = {}
        depth, line, seen = 0, self.line, self.start
        for token in _TOKEN.finditer(self.source, self.start):
            mark = token[0]
            if mark in "{[":
                depth += 1
            elif mark in "}]":
                depth -= 1
                if depth == 0:
                    break
            elif depth == 1 and token[2]:
                line += self.source.count("\n", seen, token.start())
                seen = token.start()
                key = json.loads(f'"{token[1]}"', strict=False) if "\\" in token[1] else token[1]
                found[str(key)] = line
        return found


def load(path_text: str) -> Any:
    """The value of a JSON text, its objects as `LocatedObject`; ParseError says why not, and at which line."""
    starts = _starts(path_text)

    def located(pairs: list[tuple[str, Any]]) -> LocatedObject:
        json_object = LocatedObject(pairs)
        json_object.start, json_object.line = next(starts)  # The hook is called in the order of the ends.
        json_object.source = path_text
        return json_object

    try:
        # A raw tab or line feed in a string is no reason to lose the file.
        return json.loads(path_text, object_pairs_hook=located, strict=False)
    except json.JSONDecodeError as error:
        raise ParseError(f"this is not JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        # The standard library's parser recurses once for each level.
        raise ParseError("nested too deeply", None, "file/refused") from None
    except (ValueError, StopIteration) as error:
        raise ParseError(f"this is not JSON: {error}") from None


def _starts(source: str) -> Any:
    opened: list[tuple[int, int]] = []
    line, seen = 1, 0
    for brace in _BRACE.finditer(source):
        at = brace.end() - 1
        if brace[1] == "{":
            # Counted on from the brace before, so that the time is linear.
            line += source.count("\n", seen, at)
            seen = at
            opened.append((at, line))
        elif opened:
            yield opened.pop()


def top(content: str) -> LocatedObject:
    """The object that a JSON file is; ParseError if it is something else."""
    value = load(content)
    if not isinstance(value, LocatedObject):
        raise ParseError("this is no object", 1)
    return value


def lines_of(value: object) -> dict[str, int]:
    """The line of each key of an object; none for anything else."""
    return value.lines() if isinstance(value, LocatedObject) else {}


def objects(value: object) -> dict[str, LocatedObject]:
    """The members of an object that are objects themselves."""
    found = value.items() if isinstance(value, dict) else ()
    return {text(key): member for key, member in found if isinstance(member, LocatedObject)}


def items(value: object) -> list[LocatedObject]:
    """The members of a list that are objects."""
    return [member for member in value if isinstance(member, LocatedObject)] if isinstance(value, list) else []
