"""What GitHub's GraphQL says where it gave no whole answer: each error stands in a known form, and where its null is."""

from collections.abc import Iterator, Mapping, Sequence

import graphql

TYPES = {
    "ARGUMENT_LIMIT": "more than 100 ids in one question: GitHub's answer in sourcecred/sourcecred#908",
    "FORBIDDEN": "SAML, an IP allow list, a permission that is lacking: GitHub's answers in fwouts/prmonitor#1042, facebook/sapling#993",
    "INSUFFICIENT_SCOPES": "a token without the scope that a field needs: GitHub's answer in raycast/extensions#3881",
    "MAX_NODE_LIMIT_EXCEEDED": "'Rate limits and query limits for the GraphQL API', Node limit; semantic-release/github#911",
    "NOT_FOUND": "recorded answer (PyGithub, tests/ReplayData/GraphQl.testNode.txt)",
    "RATE_LIMIT": "the primary limit, with a `code`: GitHub's answer of 2026-01 in yanyongyu/githubkit#271",
    "RATE_LIMITED": "'Rate limits and query limits for the GraphQL API', Exceeding the rate limit; github/docs#22607",
    "RESOURCE_LIMITS_EXCEEDED": "GitHub's answer of 2026-07 in yoshi389111/github-profile-3d-contrib#163",
    "SERVICE_UNAVAILABLE": "no public answer shows it; clients of GitHub's GraphQL API, ours too, take it for an outage",
    "UNPROCESSABLE": "recorded answer (PyGithub, tests/ReplayData/PullRequest.testEnableAutomergeError.txt)",
}
"""The `type` of an error, and what shows that GitHub gives it. An error of GraphQL's own has none."""

_KEYS = frozenset({"message", "type", "code", "path", "locations", "extensions"})


def check(schema: graphql.GraphQLSchema, document: graphql.DocumentNode, answer: Mapping[str, object]) -> Iterator[str]:
    """Findings about the errors of an answer: their form, and whether each leaves a null where its path leads."""
    errors = answer.get("errors", [])
    if not isinstance(errors, list) or ("errors" in answer and not errors):
        yield "errors is no list of errors"
        return
    for error in errors:
        if not isinstance(error, dict) or not isinstance(error.get("message"), str):
            yield "an error without a message"
            continue
        yield from _form(error)
        path = error.get("path")
        # What was refused as a whole has no data, and its path, if any, leads into the document.
        if "data" in answer and isinstance(path, list) and path:
            yield from _null(schema, document, answer["data"], path)


def _form(error: Mapping[str, object]) -> Iterator[str]:
    for key in sorted(error.keys() - _KEYS):
        yield f"an error has no {key}"
    if "type" in error and error["type"] not in TYPES:
        yield f"an error of type {error['type']} is unknown"
    path = error.get("path", [])
    if not isinstance(path, list) or not all(isinstance(part, str) or type(part) is int for part in path):
        yield f"an error's path is {path!r}"
    locations = error.get("locations", [])
    if not isinstance(locations, list) or not all(_is_location(location) for location in locations):
        yield f"an error's locations are {locations!r}"
    if not isinstance(error.get("extensions", {}), dict):
        yield "an error's extensions are no object"


def _is_location(location: object) -> bool:
    return (
        isinstance(location, dict)
        and location.keys() == {"line", "column"}
        and all(type(number) is int for number in location.values())
    )


def _null(
    schema: graphql.GraphQLSchema, document: graphql.DocumentNode, data: object, path: Sequence[str | int]
) -> Iterator[str]:
    """The path follows what was asked; a null is at its end, or where a null that may not be there has climbed to."""
    where = ".".join(map(str, path))
    kinds = _kinds(schema, document, path)
    if kinds is None:
        yield f"an error at {where}: the query did not ask for this"
        return
    value = data
    for place, part in enumerate([*path, None]):
        if value is None:
            # The null climbs from field to field as long as the schema does not allow it there.
            if not all(isinstance(kind, graphql.GraphQLNonNull) for kind in kinds[place:]):
                yield f"an error at {where}: the null stands higher than it may climb"
            return
        if part is None:
            yield f"an error at {where}: there is an answer"
        elif (isinstance(value, dict) and part in value) or (
            isinstance(value, list) and isinstance(part, int) and part < len(value)
        ):
            value = value[part]
        else:
            yield f"an error at {where}: the answer has no such place"
            return


def _kinds(
    schema: graphql.GraphQLSchema, document: graphql.DocumentNode, path: Sequence[str | int]
) -> list[graphql.GraphQLOutputType] | None:
    """The type at each part of the path; None where the document does not ask for it."""
    operation = graphql.get_operation_ast(document)
    assert operation is not None, "a document of one operation"
    root = schema.get_root_type(operation.operation)
    fragments = {
        definition.name.value: definition
        for definition in document.definitions
        if isinstance(definition, graphql.FragmentDefinitionNode)
    }
    places = [(root, operation.selection_set)]
    kinds: list[graphql.GraphQLOutputType] = []
    for part in path:
        if isinstance(part, int):
            found = [(kinds[-1], None)] if kinds else []
            nullable = graphql.get_nullable_type(kinds[-1]) if found else None
            if not isinstance(nullable, graphql.GraphQLList):
                return None
            kinds.append(nullable.of_type)
            continue
        fields = [pair for kind, selection in places for pair in _selected(schema, fragments, kind, selection, part)]
        if not fields:
            return None
        kinds.append(fields[0][0].type)
        places = [(graphql.get_named_type(field.type), node.selection_set) for field, node in fields]
    return kinds


def _selected(schema, fragments, kind, selection, key) -> Iterator[tuple[graphql.GraphQLField, graphql.FieldNode]]:
    """The fields with this response key, here or in fragments."""
    for node in selection.selections if selection else ():
        if isinstance(node, graphql.FieldNode):
            fields = getattr(kind, "fields", {})
            if (node.alias or node.name).value == key and node.name.value in fields:
                yield fields[node.name.value], node
            continue
        fragment = fragments[node.name.value] if isinstance(node, graphql.FragmentSpreadNode) else node
        condition = fragment.type_condition
        inner = schema.get_type(condition.name.value) if condition else kind
        yield from _selected(schema, fragments, inner, fragment.selection_set, key)
