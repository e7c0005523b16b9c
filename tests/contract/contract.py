"""What GitHub published about its interface, as a judge: each check gives its findings as plain sentences."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self
from urllib.parse import unquote

import graphql
import jsonschema_rs

from tests.contract import graph, headers, statuses
from tests.contract.convert import DIALECT, Fields, converted, needed, resolved
from tests.contract.exceptions import allowed, departed

DATA = Path(__file__).resolve().parent / "data"
ERROR_FORMS = {
    "anyOf": [{"$ref": "#/components/schemas/basic-error"}, {"$ref": "#/components/schemas/validation-error"}]
}
"""Of an error that the description does not list: a message, and perhaps what is wrong with which field."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path template; `parameters` are resolved, `detail` is GitHub's description of the operation."""

    method: str
    template: str
    detail: dict
    parameters: tuple[dict, ...]
    pattern: re.Pattern

    def __str__(self) -> str:
        return f"{self.method} {self.template}"


class Contract:
    """GitHub's REST description, webhooks and GraphQL schema; knows nothing of Countersign."""

    def __init__(self, document: dict, schema: str) -> None:
        self._document = departed(document)
        self._schema = schema
        self._converted = converted(self._document["components"])
        self._validators: dict[str, jsonschema_rs.Validator] = {}
        self._fields = Fields(self._document)
        self.operations = sorted(_operations(self._document), key=_closest_first)

    @classmethod
    def load(cls) -> Self:
        """From the vendored files."""
        document = json.loads((DATA / "github-openapi.json").read_text(encoding="utf-8"))
        return cls(document, (DATA / "github.graphql").read_text(encoding="utf-8"))

    def operation(self, method: str, path: str) -> Operation | None:
        """The operation that answers this path (percent-encoded, without query), the most literal one first."""
        path = _by_name(path)
        for operation in self.operations:
            if operation.pattern.fullmatch(path):
                same = [other for other in self.operations if other.template == operation.template]
                return next((other for other in same if other.method == method.upper()), None)
        return None

    def check_request(self, method: str, path: str, query: Mapping[str, str], json: object) -> list[str]:
        """Findings about a request; `json` None means no body."""
        operation = self.operation(method, path)
        if operation is None:
            return [f"{method} {path}: GitHub has no such operation, or wanted/operations.txt lacks it"]
        findings = list(self._parameters(operation, path, query))
        body = resolved(self._document, operation.detail.get("requestBody", {}))
        schema = body.get("content", {}).get("application/json", {}).get("schema")
        if json is None:
            findings += ["a body is required"] if body.get("required") else []
        elif schema is None:
            findings += ["a body is sent where GitHub takes none"]
        else:
            findings += self._value(schema, json, "body")
        return [f"{operation} request: {finding}" for finding in findings]

    def check_response(
        self, method: str, path: str, status: int, json: object, *,
        sent: headers.Pairs = (), asked: Mapping[str, str] | None = None,
    ) -> list[str]:  # fmt: skip
        """Findings about an answer; `json` None means no body or one that is not JSON.

        `sent` are the answer's headers and `asked` the request's, by lower-case names: some statuses depend on them.
        """
        operation = self.operation(method, path)
        if operation is None:
            return [f"{method} {path}: GitHub has no such operation, or wanted/operations.txt lacks it"]
        answer = statuses.Answer(
            operation.method, operation.template, status, "requestBody" in operation.detail, _message(json),
            {name.lower(): value for name, value in sent}, asked or {},
        )  # fmt: skip
        return [f"{operation} answer {status}: {finding}" for finding in self._answer(operation, answer, json)]

    def check_headers(
        self, method: str, path: str, query: Mapping[str, str], status: int, sent: headers.Pairs, *,
        origin: str, prefix: str = "", whole: bool = False,
    ) -> list[str]:  # fmt: skip
        """Findings about the headers of an answer from that origin, whose API begins at `prefix`; see `headers.check`."""
        operation = self.operation(method, path)
        if operation is None or status in statuses.OUTAGES:
            return []
        known = resolved(self._document, operation.detail["responses"].get(str(status), {})).get("headers", {})
        asked = headers.Asked(operation.method, operation.template, origin, prefix + path, query)
        found = headers.check(asked, status, sent, known, whole=whole)
        return [f"{operation} answer {status}: {finding}" for finding in found]

    def check_webhook(self, event: str, payload: Mapping[str, object]) -> list[str]:
        """Findings about a webhook's payload; `event` as in X-GitHub-Event."""
        action = payload.get("action")
        name = "-".join([event, action] if isinstance(action, str) else [event]).replace("_", "-")
        known = self._document["x-webhooks"].get(name)
        if known is None:
            return [f"webhook {name}: GitHub has no such event, or wanted/webhooks.txt lacks it"]
        schema = known["post"]["requestBody"]["content"]["application/json"]["schema"]
        return [f"webhook {name}: {finding}" for finding in self._value(schema, payload, "payload")]

    def check_graphql(self, document: str, variables: Mapping[str, object] | None = None) -> list[str]:
        """Findings about a query or mutation: syntax, names of fields, arguments and types; variables if there are any."""
        return [f"graphql: {finding}" for finding in graph.check_query(self._graphql, document, variables)]

    def check_graphql_answer(self, document: str, variables: Mapping[str, object] | None, answer: object) -> list[str]:
        """Findings about GitHub's answer to that query."""
        return [
            f"graphql answer: {finding}" for finding in graph.check_answer(self._graphql, document, variables, answer)
        ]

    @cached_property
    def _graphql(self) -> graphql.GraphQLSchema:
        return graphql.build_schema(self._schema)

    def _answer(self, operation: Operation, answer: statuses.Answer, json: object) -> Iterator[str]:
        status = answer.status
        known = resolved(self._document, operation.detail["responses"].get(str(status), {"unknown": True}))
        if status in statuses.OUTAGES:
            return
        if known.get("unknown"):
            if not statuses.may_answer(answer):
                yield "GitHub does not answer so: " + (f"{answer.message[:80]!r}" if answer.message else "no message")
            elif status >= 400:
                yield from self._value(ERROR_FORMS, json, "body")
            return
        schema = known.get("content", {}).get("application/json", {}).get("schema")
        if json is None:
            # A redirect may have no body, and other media types have no schema of ours.
            if (
                schema is not None
                and set(known["content"]) == {"application/json"}
                and status not in statuses.REDIRECTS
            ):
                yield "the body is missing"
        elif schema is not None:
            yield from self._value(schema, json, "body")
        elif status in {204, 205, 304}:
            yield "a body where GitHub sends none"

    def _parameters(self, operation: Operation, path: str, query: Mapping[str, str]) -> Iterator[str]:
        matched = operation.pattern.fullmatch(_by_name(path))
        assert matched is not None, "the operation was found by this very pattern"
        in_path = {name: unquote(value) for name, value in matched.groupdict().items()}
        for kind, values in (("path", in_path), ("query", dict(query))):
            known = {parameter["name"]: parameter for parameter in operation.parameters if parameter["in"] == kind}
            for name, value in values.items():
                if name not in known:
                    yield f"{kind} parameter {name} is unknown"
                else:
                    yield from self._value(
                        known[name]["schema"], _typed(value, known[name]["schema"]), f"{kind} {name}"
                    )
            for name in known.keys() - values.keys():
                if known[name].get("required"):
                    yield f"{kind} parameter {name} is missing"

    def _value(self, schema: dict, value: object, what: str) -> Iterator[str]:
        for error in self._validator(schema).iter_errors(value):
            yield from (f"{what}{at}: {message}" for at, message in _innermost(error))
        for pointer in self._fields.unknown(schema, value):
            yield f"{what}{pointer}: GitHub has no such field here"

    def _validator(self, schema: dict) -> jsonschema_rs.Validator:
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            own = converted(schema)
            whole = {"$schema": DIALECT, "components": needed(self._converted, own), "allOf": [own]}
            self._validators[key] = jsonschema_rs.validator_for(whole, validate_formats=True)
        return self._validators[key]


def _operations(document: dict) -> Iterator[Operation]:
    for template, methods in document["paths"].items():
        for method, detail in methods.items():
            if method == "parameters":
                continue
            described = [*methods.get("parameters", []), *detail.get("parameters", [])]
            parameters = tuple(resolved(document, parameter) for parameter in described)
            whole = {parameter["name"] for parameter in parameters if parameter.get("x-multi-segment")}
            yield Operation(method.upper(), template, detail, parameters, _pattern(template, whole))


def _message(json: object) -> str:
    return str(json.get("message") or "") if isinstance(json, dict) else ""


def _by_name(path: str) -> str:
    """Repositories and teams have their addresses by id, too: `/repositories/7/pulls` is `/repos/OWNER/REPO/pulls`."""
    if allowed("repositories by id"):
        path = re.sub(r"^/repositories/\d+(?=/|$)", "/repos/owner/repo", path)
    if allowed("teams by id"):
        path = re.sub(r"^/organizations/\d+/team/\d+(?=/|$)", "/orgs/org/teams/team", path)
    return path


def _pattern(template: str, whole: set[str]) -> re.Pattern:
    """A parameter is one segment of the path, those of `whole` may be several."""
    parts = re.split(r"\{(\w+)\}", template)
    names = [f"(?P<{name}>{'.+' if name in whole else '[^/]+'})" for name in parts[1::2]]
    texts = [re.escape(text) for text in parts[::2]]
    return re.compile("".join(text + name for text, name in zip(texts, [*names, ""], strict=True)))


def _closest_first(operation: Operation) -> tuple[int, int, str]:
    """Longer templates first, then those with fewer parameters: `/user/emails` before `/user/{account_id}`."""
    return -operation.template.count("/"), operation.template.count("{"), operation.template


def _typed(value: str, schema: dict) -> object:
    """A parameter's text as the value that it stands for; left alone when it stands for nothing."""
    kind = schema.get("type")
    if kind == "integer" and re.fullmatch(r"-?\d+", value):
        return int(value)
    if kind == "boolean" and value in {"true", "false"}:
        return value == "true"
    return value.split(",") if kind == "array" else value


def _innermost(error: jsonschema_rs.ValidationError) -> Iterator[tuple[str, str]]:
    """Where and what: of alternatives, the one that comes nearest tells more than `none fits`."""
    context = [branch for branch in getattr(error.kind, "context", []) if branch]
    if not context:
        yield "".join(f"/{part}" for part in error.instance_path), error.message[-200:]
        return
    depth = len(error.instance_path)

    def nearness(branch: list[jsonschema_rs.ValidationError]) -> tuple[bool, int, int]:
        wrong_kind = any(
            validation_error.kind.name == "type" and len(validation_error.instance_path) == depth
            for validation_error in branch
        )
        return not wrong_kind, max(len(validation_error.instance_path) for validation_error in branch), -len(branch)

    for inner in max(context, key=nearness):
        yield from _innermost(inner)
