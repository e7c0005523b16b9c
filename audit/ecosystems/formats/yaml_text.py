"""YAML as plain texts with lines: read event by event, so that no alias, tag or depth can do harm."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import yaml

from audit.ecosystems.parsed_file import ParseError, text

MAX_DEPTH: Final = 100  # No real manifest is nested like this.


class YamlMapping(dict[str, Any]):
    """A mapping of YAML, with the `lines` of its keys; values are such mappings, lists or texts (`true` is a text)."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


@lru_cache(maxsize=1)  # A file is read, then looked at again.
def documents(content: str) -> tuple[tuple[int, Any], ...]:
    """The line and the value of each document that holds anything; ParseError says why not and at which line. Aliases are refused."""
    try:
        # Events only: no tag makes an object.
        return tuple(document for document in _build(yaml.parse(content, Loader=yaml.CSafeLoader)) if document[1] != "")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "characters that are not allowed"
        raise ParseError(f"this is not YAML: {problem}", mark.line + 1 if mark else None) from None
    except (UnicodeError, ValueError) as error:
        raise ParseError(f"this is not YAML: {error}") from None


def load(content: str) -> Any:
    """The value of the one document; ParseError for several."""
    found = documents(content)
    if len(found) > 1:  # The tools that take such a file refuse it, or lose what follows.
        raise ParseError("a second document begins here, and a file of this kind has one", found[1][0])
    return found[0][1] if found else ""


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _build(events: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    stack: list[Any] = []
    keys: list[str | None] = []
    begun = 1
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            # Aliases of aliases grow exponentially.
            raise ParseError("an alias, which lock files have no need of", _line(event), "file/refused")
        if isinstance(event, yaml.CollectionEndEvent):
            value = stack.pop()
            keys.pop()
        elif isinstance(event, yaml.CollectionStartEvent):
            if len(stack) >= MAX_DEPTH:
                raise ParseError("nested too deeply", _line(event), "file/refused")
            line = _line(event)
            stack.append(YamlMapping(line) if isinstance(event, yaml.MappingStartEvent) else [])
            keys.append(None)
            continue
        elif isinstance(event, yaml.ScalarEvent):
            value = text(event.value)
        else:
            begun = _line(event) if isinstance(event, yaml.DocumentStartEvent) else begun
            continue
        if stack:
            _put(stack, keys, value, _line(event))
        else:
            yield begun, value


def _put(stack: list[Any], keys: list[str | None], value: Any, line: int) -> None:
    holder = stack[-1]
    if isinstance(holder, list):
        holder.append(value)
    elif keys[-1] is None:
        keys[-1] = value if isinstance(value, str) else ""  # YAML lets a list be a key: it names nothing.
        holder.lines.setdefault(keys[-1], line)
    else:
        holder[keys[-1]] = value
        keys[-1] = None


def top(content: str) -> YamlMapping:
    """The mapping that a YAML file is; ParseError if it is something else."""
    value = load(content)
    if not isinstance(value, YamlMapping):
        raise ParseError("this is no mapping", 1)
    return value


def merged(content: str) -> YamlMapping:
    """The mappings that all documents are, as one; ParseError if one is something else."""
    whole = YamlMapping(1)
    for line, value in documents(content) or ((1, ""),):
        if not isinstance(value, YamlMapping):
            raise ParseError("this is no mapping", line)
        whole = _both(whole, value)
    return whole


def _both(first: YamlMapping, last: YamlMapping) -> YamlMapping:
    """Mappings below the same key are put together; of other values the last counts."""
    found = YamlMapping(last.line)
    found |= first
    found.lines = first.lines | last.lines
    for key, value in last.items():
        before = first.get(key)
        are_both = isinstance(before, YamlMapping) and isinstance(value, YamlMapping)
        found[key] = _both(mapped(before), value) if are_both else value
    return found


def mapped(value: object) -> YamlMapping:
    """The mapping that it is, else an empty one."""
    return value if isinstance(value, YamlMapping) else YamlMapping(0)


def items(value: object) -> list[YamlMapping]:
    """The members of a list that are mappings."""
    return [member for member in value if isinstance(member, YamlMapping)] if isinstance(value, list) else []
