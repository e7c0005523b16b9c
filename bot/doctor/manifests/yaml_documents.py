"""Reads YAML of unknown origin: its size, depth and what its aliases expand to are bounded, and an error is one line."""

from typing import Any, Final

import yaml

_MAX_VALUES: Final = 500_000
"""So many values one file may have with its aliases expanded. What is rendered for a large cluster has a tenth."""
_MAX_DEPTH: Final = 100
_MERGE: Final = "tag:yaml.org,2002:merge"


class YAMLInvalid(Exception):
    """It is no YAML that can be taken: one line that says where and why."""


class _Loader(yaml.CSafeLoader):
    """As Kubernetes reads it: YAML 1.1, where `yes` is true."""


def _once(loader: yaml.CSafeLoader, node: yaml.MappingNode) -> Any:
    """A mapping. A key that stands twice is refused, since tools differ in which one counts."""
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise YAMLInvalid(f"line {key.start_mark.line + 1}: a key that is no text")
        if key.value in seen and key.tag != _MERGE:
            raise YAMLInvalid(f"line {key.start_mark.line + 1}: the key {key.value!r} stands twice")
        seen.add(key.value)
    return loader.construct_yaml_map(node)


_Loader.add_constructor("tag:yaml.org,2002:map", _once)


def documents(text: str) -> list[Any]:
    """The documents of a YAML text, empty ones left out. Raises YAMLInvalid."""
    try:
        _bounded(text)
        return [one for one in yaml.load_all(text, _Loader) if one is not None]
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise YAMLInvalid(f"{where}{' '.join((error.problem or 'it is not valid YAML').split())}") from None
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        raise YAMLInvalid(f"it is not valid YAML: {' '.join(str(error).split())}") from None


def _bounded(text: str) -> None:
    """Raises YAMLInvalid when the text, with every alias replaced by what it means, is too large or endless."""
    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    size = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        where = f"line {event.start_mark.line + 1}" if event.start_mark else "somewhere"
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise YAMLInvalid(f"{where}: *{event.anchor} stands inside what it means, or means nothing")
            size += sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            size += 1
            sizes |= {event.anchor: 1} if event.anchor else {}
        elif isinstance(event, yaml.CollectionStartEvent):
            size += 1
            open_nodes.append((event.anchor, size))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            sizes |= {anchor: size - before + 1} if anchor else {}
        if len(open_nodes) > _MAX_DEPTH:
            raise YAMLInvalid(f"{where}: nested deeper than {_MAX_DEPTH} levels")
        if size > _MAX_VALUES:
            raise YAMLInvalid(f"{where}: more than {_MAX_VALUES} values with all aliases")
