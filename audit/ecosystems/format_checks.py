"""A file of which nothing was read, or not all: is it that it names nothing, or that it is not what its kind looks like?"""

import json
import re
from typing import Any, Final

from audit.ecosystems import shapes
from audit.ecosystems.formats import json_text, toml_text, yaml_text
from audit.ecosystems.npm import bun, yarn
from audit.ecosystems.parsed_file import ParsedFile, ParseError, finding, said
from audit.facts import Finding

_BEGINS: Final = re.compile(r"^<{7}(?= |\r?$)", re.MULTILINE)
_ENDS: Final = re.compile(r"^>{7}(?= |\r?$)", re.MULTILINE)
_YAML: Final = (".yaml", ".yml", "pubspec.lock", "pixi.lock", "Podfile.lock", "yarn.lock")
_COMMENTED: Final = ("bun.lock", "deno.json", "deno.jsonc", "import_map.json")
_JSON: Final = (".json", "Pipfile.lock", "conan.lock", "composer.lock", "deno.lock", "Package.resolved")


def passed_over(path: str, pattern: str, content: str, read: ParsedFile) -> tuple[Finding, ...]:
    """A finding for each key below which something stands that its reader could not take for what belongs there.

    The content was read before, so it is of its format. Raises ParseError for a lock file that has none of the keys of its kind.
    """
    if pattern not in shapes.SHAPES or (pattern == "yarn.lock" and not yarn.is_berry(content)):
        return ()
    data = _load(pattern, content)
    wrong: dict[tuple[str, ...], list[shapes.Wrong]] = {}
    for at, first in shapes.wrong(data, pattern):
        wrong.setdefault(at[:first], []).append((at, first))
    keys = shapes.LOCKS.get(pattern, {})
    is_of_npm_6 = "lockfileVersion" in data and data["lockfileVersion"] == 1  # it leaves out what is empty
    if keys and not any(key in data for key in keys) and not read.findings and not is_of_npm_6:
        raise ParseError(f"there is no {' or '.join(f'`{key}`' for key in keys)}: nothing was read of this file", 1)
    return tuple(
        finding("file/broken", path, _line(pattern, content, data, above), _message(above, found))
        for above, found in wrong.items()
    )


def _message(above: tuple[str, ...], found: list[shapes.Wrong]) -> str:
    """How many entries below these keys are amiss, and which is the first; or that what the keys lead to is."""
    named = f"`{said('.'.join(above))}`"
    path, first = found[0]
    if first is None:
        return f"{named} is not what is expected there: passed over"
    count = len({at[: first + 1] for at, _ in found})
    return (
        f"{count} of the entries of {named} {'is' if count == 1 else 'are'} not what is expected there "
        f"(the first: {said(' > '.join(path[first:]))}): passed over"
    )


def _line(pattern: str, content: str, data: Any, path: tuple[str, ...]) -> int | None:
    """The line of the value to which keys lead; that of the nearest one above it which has one."""
    if not pattern.endswith((*_YAML, *_JSON, *_COMMENTED)):
        lines = toml_text.TomlLines(content)
        named = (lines.key(".".join(path[: end - 1]), path[end - 1]) for end in range(len(path), 0, -1))
        return next(filter(None, named), 1)
    holder: Any = data if isinstance(data, yaml_text.YamlMapping | json_text.LocatedObject) else json_text.top(content)
    line = 1
    for key in path:
        lines_of = holder.lines() if isinstance(holder, json_text.LocatedObject) else holder.lines
        line, holder = lines_of.get(key, line), holder.get(key)
        if not isinstance(holder, yaml_text.YamlMapping | json_text.LocatedObject):
            break
    return line


def _load(pattern: str, content: str) -> Any:
    """The file's table; of JSON without lines, which takes a fraction of the reader's time."""
    if pattern in _COMMENTED:
        return bun.top(content)
    if pattern.endswith(_YAML):
        return yaml_text.top(content)
    if pattern.endswith(_JSON):
        return json.loads(content, strict=False)
    return toml_text.load(toml_text.without_files(content) if pattern in shapes.LOCKS else content)


def conflicts(path: str, content: str) -> tuple[Finding, ...]:
    """A finding where a merge was left half-done: a reader of lines reads on, and one side or what is around is lost."""
    begins = _BEGINS.search(content) if "<<<<<<<" in content else None
    if begins is None or not _ENDS.search(content, begins.end()):
        return ()
    line = content.count("\n", 0, begins.start()) + 1
    message = "holds the marks of a merge conflict: which of the two sides counts is not decided"
    return (finding("file/broken", path, line, message),)
