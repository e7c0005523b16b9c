"""Judges GraphQL: a query by the schema, an answer by running the query over it."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import graphql
from graphql.execution.values import get_variable_values

from tests.contract import graphql_errors


def check_query(schema: graphql.GraphQLSchema, document: str, variables: Mapping[str, object] | None) -> Iterator[str]:
    """Findings about a query or mutation; its variables are checked when given."""
    try:
        parsed = _parsed(document)
    except graphql.GraphQLSyntaxError as error:
        yield error.message
        return
    yield from _invalid(schema, document)
    operation = graphql.get_operation_ast(parsed)
    if variables is None or operation is None:
        return
    coerced = get_variable_values(schema, operation.variable_definitions or (), dict(variables))
    if isinstance(coerced, list):
        yield from (error.message for error in coerced)
    for name in sorted(
        set(variables) - {definition.variable.name.value for definition in operation.variable_definitions or ()}
    ):
        yield f"variable {name} is not in the query"


# The product sends few texts, many times each.
_parsed = lru_cache(graphql.parse)


@lru_cache
def _invalid(schema: graphql.GraphQLSchema, document: str) -> tuple[str, ...]:
    """What the schema has against a query, with any variables."""
    return tuple(error.message for error in graphql.validate(schema, _parsed(document)))


def check_answer(
    schema: graphql.GraphQLSchema, document: str, variables: Mapping[str, object] | None, answer: object
) -> Iterator[str]:
    """Findings about an answer: the query is run with the answer as the world, and must give it back unchanged."""
    if not isinstance(answer, dict) or not {"data", "errors"} & set(answer):
        yield "neither data nor errors"
        return
    yield from graphql_errors.check(schema, _parsed(document), answer)
    if answer.get("data") is None:
        if "data" in answer and not answer.get("errors"):
            yield "no data, and no error that says why"
        return
    shape = (id(schema), document, _shape(variables), _shape(answer["data"]))
    if shape in _RIGHT:
        return
    again = graphql.execute_sync(
        schema, _parsed(document), root_value=answer["data"], variable_values=dict(variables or {}),
        field_resolver=_answered, type_resolver=_kind,
    )  # fmt: skip
    for error in again.errors or ():
        yield f"{'/'.join(map(str, error.path or ()))}: {error.message}"
    differences = [] if again.errors else list(_differences(again.data, answer["data"], "data"))
    yield from differences
    if not again.errors and not differences:
        _RIGHT.add(shape)


_RIGHT: set[object] = set()
"""Shapes of answers without a finding: running a query over thousands of equal commits takes longer than judging them."""


def _shape(value: object) -> object:
    """What the schema can judge of a value: fields, types, words of an enumeration, each once in a list."""
    if isinstance(value, dict):
        return frozenset(
            (key, part if key == "__typename" and isinstance(part, str) else _shape(part))
            for key, part in value.items()
        )
    if isinstance(value, list):
        return (list, frozenset(map(_shape, value)))
    is_plain = (isinstance(value, str) and not value.isupper()) or (type(value) is int and abs(value) < _GREATEST_INT)
    return type(value) if is_plain else (type(value), value)


_GREATEST_INT = 2**31


def _answered(source: object, info: graphql.GraphQLResolveInfo, **_: object) -> object:
    """What the answer has under this name or alias."""
    key = info.path.key
    if not isinstance(source, Mapping) or key not in source:
        raise graphql.GraphQLError(f"{key} is missing")
    return source[key]


def _kind(value: object, info: graphql.GraphQLResolveInfo, kind: graphql.GraphQLAbstractType) -> str:
    """The type that an answer means: by `__typename`, or the one whose fields of the query are exactly these."""
    assert isinstance(value, Mapping), "an object was expected"
    if isinstance(value.get("__typename"), str):
        return value["__typename"]
    possible = info.schema.get_possible_types(kind)
    fitting = [object_type.name for object_type in possible if _asked(info, object_type) == set(value)]
    return (fitting or [possible[0].name])[0]


def _asked(info: graphql.GraphQLResolveInfo, kind: graphql.GraphQLObjectType) -> set[str]:
    """The response keys that the query asks of this type at this place."""
    found: set[str] = set()

    def walk(selections: graphql.SelectionSetNode | None) -> None:
        for selection in selections.selections if selections else ():
            if isinstance(selection, graphql.FieldNode):
                found.add((selection.alias or selection.name).value)
            elif isinstance(selection, graphql.FragmentSpreadNode):
                fragment = info.fragments[selection.name.value]
                if _covers(info, fragment.type_condition.name.value, kind):
                    walk(fragment.selection_set)
            elif selection.type_condition is None or _covers(info, selection.type_condition.name.value, kind):
                walk(selection.selection_set)

    for node in info.field_nodes:
        walk(node.selection_set)
    return found


def _covers(info: graphql.GraphQLResolveInfo, condition: str, kind: graphql.GraphQLObjectType) -> bool:
    """Whether `... on condition` applies to an object of this type."""
    wider = info.schema.get_type(condition)
    return wider is kind or (graphql.is_abstract_type(wider) and info.schema.is_sub_type(wider, kind))


def _differences(right: object, answer: object, at: str) -> Iterator[str]:
    """Where the answer says more, or in another type, than the query and the schema give."""
    if isinstance(right, dict) and isinstance(answer, dict):
        yield from (f"{at}/{key}: the query did not ask for this" for key in answer.keys() - right.keys())
        for key in right:
            yield from _differences(right[key], answer[key], f"{at}/{key}")
    elif isinstance(right, list) and isinstance(answer, list):
        for number, (part, other) in enumerate(zip(right, answer, strict=True)):
            yield from _differences(part, other, f"{at}/{number}")
    elif type(right) is not type(answer) or right != answer:
        yield f"{at}: {type(answer).__name__} where {type(right).__name__} is right"
