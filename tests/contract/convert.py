"""OpenAPI 3.0 schemas become JSON Schema 2020-12, and unknown fields are found in values."""

from collections.abc import Iterator
from dataclasses import dataclass

DIALECT = "https://json-schema.org/draft/2020-12/schema"
BRANCHES = ("allOf", "anyOf", "oneOf")


def converted(node: object) -> object:
    """The same schema in JSON Schema 2020-12: `nullable` becomes a type, boolean bounds become numbers."""
    if isinstance(node, list):
        return [converted(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}  # OpenAPI 3.0 ignores what stands beside a reference
    schema = {}
    for key, value in node.items():
        if key in {"properties", "patternProperties"}:
            schema[key] = {name: converted(child) for name, child in value.items()}
        elif key in {"enum", "required", "const"}:
            schema[key] = value
        else:
            schema[key] = converted(value)
    for bound, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if schema.get(bound) is True:
            schema[bound] = schema.pop(limit)
        elif schema.get(bound) is False:
            del schema[bound]
    return {"anyOf": [schema, {"type": "null"}]} if schema.pop("nullable", False) else schema


def needed(components: dict, schema: object) -> dict:
    """Of the components (kind, name, schema) those that the schema refers to, itself or by others: each copy of all takes 9 MB."""
    found: dict = {}
    todo = list(_references(schema))
    while todo:
        kind, name = todo.pop()
        if name not in found.setdefault(kind, {}):
            found[kind][name] = components[kind][name]
            todo += _references(components[kind][name])
    return found


def _references(node: object) -> Iterator[tuple[str, str]]:
    """Kind and name of each component that is referred to in there."""
    if isinstance(node, dict) and isinstance(node.get("$ref"), str):
        _, _, kind, name = node["$ref"].split("/")
        yield kind, name
    elif isinstance(node, dict | list):
        for child in node.values() if isinstance(node, dict) else node:
            yield from _references(child)


@dataclass(frozen=True, slots=True)
class _Place:
    """What may stand at one place of a value: in a list's items, under a name; None where anything may have any name.

    `schemas` are held so that their `id` stays theirs.
    """

    schemas: tuple[dict, ...]
    items: tuple[dict, ...]
    properties: dict[str, tuple[dict, ...]] | None


class Fields:
    """The fields that a document's schemas name. Each place is looked up once: payloads of a test come by the thousand."""

    def __init__(self, document: dict) -> None:
        self._document = document
        self._places: dict[tuple[int, ...], _Place] = {}

    def unknown(self, schema: dict, value: object) -> Iterator[str]:
        """JSON pointers of the fields that no branch of the schema names; maps and free objects may hold anything."""
        return self._unknown((schema,), value, "")

    def _unknown(self, schemas: tuple[dict, ...], value: object, at: str) -> Iterator[str]:
        if not isinstance(value, dict | list):
            return
        place = self._place(schemas)
        if isinstance(value, list):
            for number, item in enumerate(value if place.items else []):
                yield from self._unknown(place.items, item, f"{at}/{number}")
        elif place.properties is not None:
            for key, child in value.items():
                if key in place.properties:
                    yield from self._unknown(place.properties[key], child, f"{at}/{key}")
                else:
                    yield f"{at}/{key}"

    def _place(self, schemas: tuple[dict, ...]) -> _Place:
        key = tuple(map(id, schemas))
        if key not in self._places:
            branches = [branch for schema in schemas for branch in _branches(self._document, schema)]
            named = [branch["properties"] for branch in branches if branch.get("properties")]
            is_open = not named or any(
                branch.get("additionalProperties") not in (None, True, False) for branch in branches
            )
            names = {name for properties in named for name in properties}
            self._places[key] = _Place(
                schemas,
                tuple(branch["items"] for branch in branches if "items" in branch),
                None if is_open else {name: tuple(part[name] for part in named if name in part) for name in names},
            )
        return self._places[key]


def resolved(document: dict, node: dict) -> dict:
    """What a reference points to, or the node itself."""
    while "$ref" in node:
        _, *way = node["$ref"].split("/")
        node = document
        for part in way:
            node = node[part]
    return node


def _branches(document: dict, schema: dict) -> Iterator[dict]:
    """The schema and everything that it is combined of."""
    schema = resolved(document, schema)
    yield schema
    for keyword in BRANCHES:
        for branch in schema.get(keyword, []):
            yield from _branches(document, branch)
