"""What GitHub may withhold of a GraphQL answer: every field of a query by the schema, once null, once with each kind of error."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import graphql

FAULTS = ("null", "FORBIDDEN", "NOT_FOUND", "RESOURCE_LIMITS_EXCEEDED", "SERVICE_UNAVAILABLE", "untyped")
"""`null` is a null without any error; each other one is an error of that type."""
MESSAGES = {
    "FORBIDDEN": (
        "Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow "
        "list enabled, and your IP address is not permitted to access this resource."
    ),
    "NOT_FOUND": "Could not resolve to a node.",
    "untyped": "Resource limits for this query exceeded.",
}


@dataclass(frozen=True)
class FieldAt:
    """A field of a query, or an item of a list (`*`); `nullable` says of each part of the path whether it may be null."""

    path: tuple[str, ...]
    nullable: tuple[bool, ...]

    def __str__(self) -> str:
        return ".".join(self.path)


def fields_of(schema: graphql.GraphQLSchema, document: str) -> list[FieldAt]:
    """Every field that the document asks for, in its order, each once; a new one joins by itself."""
    parsed = graphql.parse(document)
    fragments = {
        definition.name.value: definition
        for definition in parsed.definitions
        if isinstance(definition, graphql.FragmentDefinitionNode)
    }
    operation = graphql.get_operation_ast(parsed)
    assert operation is not None

    def walk(selections, parent, above: FieldAt) -> Iterator[FieldAt]:
        for selection in selections.selections if selections else ():
            if isinstance(selection, graphql.FragmentSpreadNode):
                fragment = fragments[selection.name.value]
                yield from walk(fragment.selection_set, schema.get_type(fragment.type_condition.name.value), above)
            elif isinstance(selection, graphql.InlineFragmentNode):
                yield from walk(selection.selection_set, schema.get_type(selection.type_condition.name.value), above)
            elif selection.name.value != "__typename":
                yield from _field(selection, parent, above)

    def _field(field, parent, above: FieldAt) -> Iterator[FieldAt]:
        kind, name = parent.fields[field.name.value].type, (field.alias or field.name).value
        here = FieldAt((*above.path, name), (*above.nullable, not isinstance(kind, graphql.GraphQLNonNull)))
        yield here
        while isinstance(kind, (graphql.GraphQLNonNull, graphql.GraphQLList)):
            if isinstance(kind, graphql.GraphQLList):
                is_nullable = not isinstance(kind.of_type, graphql.GraphQLNonNull)
                here = FieldAt((*here.path, "*"), (*here.nullable, is_nullable))
                yield here
            kind = kind.of_type
        yield from walk(field.selection_set, kind, here)

    return list(dict.fromkeys(walk(operation.selection_set, schema.query_type, FieldAt((), ()))))


def withhold(data: dict, field: FieldAt, fault: str) -> tuple[dict | None, list[dict]] | None:
    """The answer without that field, of a list the last item, as GraphQL answers then: what may not be null takes with it what it is in.

    None where the answer does not have the field, or a field that may not be null would have to be null without an error.
    """
    if fault == "null" and not field.nullable[-1]:
        return None
    path: list[str | int] = []
    value: object = data
    for part in field.path:
        if part == "*":
            if not isinstance(value, list) or not value:
                return None
            path.append(len(value) - 1)
        elif not isinstance(value, dict) or part not in value:
            return None
        else:
            path.append(part)
        value = value[path[-1]]
    if value is None:
        return None
    depth = max((place for place, nullable in enumerate(field.nullable) if nullable), default=None)
    errors = [] if fault == "null" else [_error(fault, path)]
    if depth is None:
        return None, errors
    changed = json.loads(json.dumps(data))  # no part of it is two parts of the answer
    parent = changed
    for part in path[:depth]:
        parent = parent[part]
    parent[path[depth]] = None
    return changed, errors


def _error(fault: str, path: list[str | int]) -> dict:
    error = {"path": path, "locations": [], "message": MESSAGES.get(fault, "Something went wrong.")}
    return error if fault == "untyped" else {**error, "type": fault}
