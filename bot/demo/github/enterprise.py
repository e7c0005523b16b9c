"""The small GitHub as an Enterprise Server: what a version does not have yet, in the words in which it says so."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from bot.github.permissions import in_manifest

Version = tuple[int, int]

# Paths of REST, and the version that brought them; None: none so far.
OPERATIONS: Final[Sequence[tuple[str, Version | None]]] = (
    (r"/repos/[^/]+/[^/]+/activity", (3, 11)),
    (r"/repos/[^/]+/[^/]+/rules/branches/[^/]+", (3, 11)),
    (r"/repos/[^/]+/[^/]+/dependency-graph/sbom", (3, 9)),
    (r"/repos/[^/]+/[^/]+/dependency-graph/sbom/.+", None),
)
# Fields of GraphQL, the type that has them, and the version that brought them.
FIELDS: Final[Mapping[str, tuple[str, Version]]] = {
    "mergeQueue": ("Repository", (3, 12)),
    "mergeQueueEntry": ("PullRequest", (3, 12)),
}
# Arguments of GraphQL, the field that takes them, and the version that brought them, or an earlier one.
ARGUMENTS: Final[Mapping[str, tuple[str, Version]]] = {"followRenames": ("repository", (3, 4))}
# Permissions that an App can have from a version on.
PERMISSIONS: Final[Mapping[str, Version]] = {"merge_queues": (3, 14), "email_addresses": (3, 8)}
# Events that an App can subscribe to from a version on; None: on no version that is described.
EVENTS: Final[Mapping[str, Version | None]] = {"merge_group": None}
# The first server that knows a version of the REST API; an older one looks at no such header.
API_VERSIONS: Final[Sequence[tuple[str, Version]]] = (("2022-11-28", (3, 9)), ("2026-03-10", (3, 21)))


def feature_version(version: str) -> Version:
    """`(3, 14)` for `3.14.2`."""
    major, minor, *_ = version.split(".")
    return int(major), int(minor)


def lacks_operation(version: str, path: str) -> bool:
    """Whether that version has nothing at this path of REST."""
    return any(re.fullmatch(pattern, path) and _is_later(since, version) for pattern, since in OPERATIONS)


def refuses(version: str, asked: Iterable[tuple[str, Collection[str]]]) -> list[dict[str, Any]]:
    """GraphQL's errors for fields and arguments that the schema of that version does not have; nothing is run then."""
    # Source of their form: an answer of an Enterprise Server 3.10 in issue 906 of facebook/sapling.
    errors: list[tuple[str, dict[str, str]]] = []
    for field, arguments in asked:
        of, since = FIELDS.get(field, ("", (0, 0)))
        if _is_later(since, version):
            message = f"Field '{field}' doesn't exist on type '{of}'"
            errors.append((message, {"code": "undefinedField", "typeName": of, "fieldName": field}))
        for name in set(arguments) & ARGUMENTS.keys():
            on, since = ARGUMENTS[name]
            if field == on and _is_later(since, version):
                message = f"Field '{on}' doesn't accept argument '{name}'"
                detail = {"code": "argumentNotAccepted", "name": on, "typeName": "Field", "argumentName": name}
                errors.append((message, detail))
    place = {"path": ["query"], "locations": [{"line": 1, "column": 1}]}
    return [{**place, "message": message, "extensions": detail} for message, detail in errors]


def unknown_in_manifest(version: str) -> frozenset[str]:
    """A manifest's permissions and events that this version does not know; none for "", which is github.com."""
    if not version:
        return frozenset()
    permissions = in_manifest({name: "" for name, since in PERMISSIONS.items() if _is_later(since, version)})
    return frozenset(permissions) | {name for name, since in EVENTS.items() if _is_later(since, version)}


def api_versions(version: str) -> list[str]:
    """The versions of the REST API that may be asked for; none where the header is not looked at. "" is github.com."""
    return [name for name, since in API_VERSIONS if not version or not _is_later(since, version)]


def _is_later(since: Version | None, version: str) -> bool:
    return since is None or feature_version(version) < since
