"""YAML that others wrote: plain data and the line of every key, or one sentence about what is wrong and where."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NoReturn

from ruamel.yaml import YAML, events
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from agreements.domains.masking import masked_text, visible
from bot.github.ports import UNREADABLE

Path = tuple[str | int, ...]

MAX_DOCUMENT_CHARACTERS: Final = 128 * 1024
"""Characters of a rule file; a rulebook for thousands of repositories stays far below."""
_MAX_DEPTH = 20
_MAX_ALIASES = 50  # An alias within an alias multiplies.
_MAX_VALUES = 10_000
_TAG = "tag:yaml.org,2002:"
_PLAIN = frozenset({f"{_TAG}{name}" for name in ("str", "int", "float", "bool", "null", "timestamp")})
_MAX_QUOTED_CHARACTERS = 80
_MAX_NUMBER = 2**64  # All real numbers here are smaller; a number of a thousand digits is dear to print.
_DECIMAL: Final = re.compile("-?(?:0|[1-9][0-9]*)")
_HINTS: Final = (
    ("scanning an alias", "text that begins with * must be in quotes"),
    ("found undefined alias", "text that begins with * must be in quotes"),
    ("scanning an anchor", "text that begins with & must be in quotes"),
    (r"'\t' that cannot start any token", "write spaces, not tabs"),
    ("that cannot start any token", "text that begins with this character must be in quotes"),
)
"""The meaning that people mostly had, by the parser's own words."""
_NO_DIRECTIVES: Final = "lines that begin with %YAML or %TAG are not allowed"


class DocumentInvalid(Exception):
    """The text is no document that we take; `errors` are lines like `line 7: found twice: people`."""

    def __init__(self, errors: tuple[str, ...]) -> None:
        self.errors = errors
        super().__init__("; ".join(errors))


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """Plain `data` (mappings, lists, texts, numbers, dates as they were written) and in `lines` the line of every key path."""

    data: Any
    lines: Mapping[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """The line of the path, or of the nearest part of it that is there."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def error(self, path: Path, said: str) -> str:
        """`line 7: …`, on one line even if a key holds a line break."""
        return f"line {self.line(path)}: {visible(said)}"


@lru_cache(maxsize=128)
def read(text: str) -> YamlDocument:
    """The document in the text, read once; an empty text is the data None. Raises `DocumentInvalid`."""
    # Safe for hostile input: size, depth, aliases and their expansion are limited, only plain types are taken, a key
    # and an anchor may stand only once, nothing changes what the words of YAML 1.2 mean.
    if text == UNREADABLE:
        raise DocumentInvalid(("line 1: the file is too large, or is not UTF-8 text",))
    if len(text) > MAX_DOCUMENT_CHARACTERS:
        raise DocumentInvalid((f"line 1: the file is larger than {MAX_DOCUMENT_CHARACTERS // 1024} KB",))
    loader = YAML(typ="safe", pure=True)  # libyaml reads YAML 1.1.
    try:
        # What would be dear to build is refused before it is built; events need no recursion.
        _measure(loader, text)
        root = loader.compose(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        words = f"{error.context or ''}: {error.problem or ''}"
        hint = next((f", {hint}" for part, hint in _HINTS if part in words), "")
        said = visible(f"{_short(error.problem or error.context)}{hint}")
        raise DocumentInvalid((f"line {line}: not valid YAML: {said}",)) from None
    except YAMLError:
        raise DocumentInvalid(("line 1: not valid YAML: a character that YAML does not allow",)) from None
    except (ValueError, AssertionError):  # A version in a %YAML line that the parser did not expect.
        raise DocumentInvalid((f"line 1: {_NO_DIRECTIVES}",)) from None
    walk = _DocumentWalk(loader)
    data = None if root is None else walk.value(root, (), 0)
    if walk.errors:
        raise DocumentInvalid(tuple(walk.errors))
    return YamlDocument(data, walk.lines)


def _short(found: object) -> str:
    """The file's own words, as far as a line about them may repeat them."""
    return " ".join(masked_text(str(found)).split())[:_MAX_QUOTED_CHARACTERS]


def _measure(loader: YAML, text: str) -> None:
    depth = aliases = values = documents = 0
    anchors: set[str] = set()
    for event in loader.parse(text):
        depth += isinstance(event, events.CollectionStartEvent) - isinstance(event, events.CollectionEndEvent)
        aliases += isinstance(event, events.AliasEvent)
        values += isinstance(event, events.AliasEvent | events.ScalarEvent | events.CollectionStartEvent)
        documents += isinstance(event, events.DocumentStartEvent)
        if depth > _MAX_DEPTH:
            _refuse(event, f"nested deeper than {_MAX_DEPTH} levels")
        if aliases > _MAX_ALIASES:
            _refuse(event, f"more than {_MAX_ALIASES} aliases")
        if values > _MAX_VALUES:
            _refuse(event, f"more than {_MAX_VALUES} values")
        if documents > 1:
            _refuse(event, "a second document begins here; a file can contain only one")
        # Under YAML 1.1 `no` would be false.
        if isinstance(event, events.DocumentStartEvent) and (event.version or event.tags):
            _refuse(event, _NO_DIRECTIVES)
        # YAML allows an anchor twice; then the same alias means two things.
        if isinstance(event, events.ScalarEvent | events.CollectionStartEvent) and event.anchor is not None:
            if event.anchor in anchors:
                _refuse(event, f"the anchor {_short(event.anchor)!r} appears twice")
            anchors.add(event.anchor)


def _refuse(event: events.Event, what: str) -> NoReturn:
    raise DocumentInvalid((f"line {event.start_mark.line + 1}: {what}",))


class _DocumentWalk:
    """Turns nodes into plain data; mistakes are collected, so that one look shows them all."""

    def __init__(self, loader: YAML) -> None:
        self.loader = loader
        self.lines: dict[Path, int] = {}
        self.errors: list[str] = []
        self.nodes = 0

    def value(self, node: Node, path: Path, depth: int) -> Any:
        self.nodes += 1
        self.lines.setdefault(path, node.start_mark.line + 1)
        if depth > _MAX_DEPTH or self.nodes > _MAX_VALUES:
            # Only aliases can get here: what was written out has been measured.
            said = "aliases make the document too large, or refer to themselves"
            raise DocumentInvalid((f"line {node.start_mark.line + 1}: {said}",))
        if not isinstance(node, ScalarNode) and node.tag not in (f"{_TAG}map", f"{_TAG}seq"):
            return self._tagged(node)
        if isinstance(node, MappingNode):
            return self._mapping(node, path, depth)
        if isinstance(node, SequenceNode):
            return [self.value(child, (*path, index), depth + 1) for index, child in enumerate(node.value)]
        assert isinstance(node, ScalarNode)  # The composer makes no fourth kind.
        return self._scalar(node)

    def _mapping(self, node: MappingNode, path: Path, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, child in node.value:
            line = key.start_mark.line + 1
            if key.tag == f"{_TAG}merge":
                self._wrong(key, "merging with << is not allowed; write the keys out")
                continue
            if not isinstance(key, ScalarNode) or key.tag != f"{_TAG}str":
                self._wrong(key, "a key must be text; put it in quotes")
                continue
            if key.value in found:
                self._wrong(key, f"the key {_short(key.value)!r} appears twice")
                continue
            self.lines[*path, key.value] = line
            # As `agreements.rulebook.grammar` names the key in a mistake.
            named = "".join(char if char.isprintable() else "?" for char in key.value[:60])
            self.lines.setdefault((*path, named), line)
            found[key.value] = self.value(child, (*path, key.value), depth + 1)
        return found

    def _scalar(self, node: ScalarNode) -> Any:
        if node.tag not in _PLAIN:
            return self._tagged(node)
        # Dates stay as they were written: YAML's own reading would drop their zone.
        if node.tag == f"{_TAG}timestamp":
            return node.value
        try:
            found = self.loader.constructor.construct_object(node)
        except (ValueError, LookupError, YAMLError):  # LookupError: `!!bool maybe`, `!!int ''`.
            return self._wrong(node, "not a valid value")
        if isinstance(found, int) and abs(found) > _MAX_NUMBER:
            return self._wrong(node, "not a valid value: the number is too large")
        # Readers of YAML differ: 010 is ten or eight, and 1_000 a number or text. An account's id must not be either.
        if isinstance(found, int) and not isinstance(found, bool) and not _DECIMAL.fullmatch(node.value):
            return self._wrong(node, f"{_short(node.value)}: write a number in decimal digits alone, or text in quotes")
        return found

    def _tagged(self, node: Node) -> None:
        tag = _short(node.tag)
        hint = "; text that begins with ! must be in quotes" if tag.startswith("!") else ""
        self._wrong(node, f"the tag {tag!r} is not allowed{hint}")

    def _wrong(self, node: Node, said: str) -> None:
        self.errors.append(f"line {node.start_mark.line + 1}: {said}")
