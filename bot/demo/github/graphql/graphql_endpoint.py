"""GraphQL over HTTP: runs a query against the types served here, and refuses all else."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from bot.demo.github import enterprise
from bot.demo.github.authentication import Caller
from bot.demo.github.graphql.query import (
    Fragment,
    QueryDocument,
    QueryInvalid,
    Selected,
    SelectedField,
    Spread,
    Variable,
    parse,
)
from bot.demo.github.graphql.types import ABSTRACT, TYPES, NodeNotFound, TypedValue
from bot.demo.github.refusal import ErrorResponse
from bot.demo.github.rest_request import body, count_call, me, world

routes = Blueprint("graphql", __name__)


@routes.post("/api/graphql")
def answer() -> ResponseReturnValue:
    """HTTP 200 with data and errors, also for documents that are refused; 401 without a token."""
    time.sleep(world().latency)  # Outside the lock: slow calls wait beside each other.
    fields = body()
    with world().lock:
        caller = me()
        if caller.actor is None:  # GraphQL takes no call without a token.
            raise ErrorResponse(401, "This endpoint requires you to be authenticated.")
        count_call("graphql")
        try:
            document = parse(str(fields.get("query") or ""))
            asked = [(field.name, field.arguments) for field in document.fields()] if world().enterprise else []
            if unknown := enterprise.refuses(world().enterprise, asked):
                world().undefined += [error["message"] for error in unknown]
                return jsonify({"errors": unknown})  # Nothing is run then.
            run = _Execution(caller, document, _declared(document, fields.get("variables") or {}))
            data = run.select(TypedValue("Query", None), document.selection, ())
        except (QueryInvalid, KeyError) as why:
            world().refused.append(f"POST /graphql: {why}")  # Tests look that there are none.
            return jsonify({"errors": [{"message": str(why), "locations": [], "path": []}]})
    return jsonify({"data": data, "errors": run.errors} if run.errors else {"data": data})


def _declared(document: QueryDocument, sent: Mapping[str, Any]) -> Mapping[str, Any]:
    missing = [name for name, is_required in document.variables.items() if is_required and sent.get(name) is None]
    # GraphQL ignores values that are not declared; here they are a mistake of the client's.
    unknown = set(sent) - set(document.variables)
    if missing or unknown:
        raise QueryInvalid(f"Variables missing: {sorted(missing)}, not declared: {sorted(unknown)}")
    return sent


class _Execution:
    def __init__(self, caller: Caller, document: QueryDocument, values: Mapping[str, Any]) -> None:
        self._caller = caller
        self._document = document
        self._values = values
        self.errors: list[dict[str, Any]] = []

    def select(self, node: TypedValue, selection: Sequence[Selected], path: tuple[str | int, ...]) -> dict[str, Any]:
        """The chosen fields of an object."""
        result: dict[str, Any] = {}
        for choice in selection:
            if isinstance(choice, SelectedField):
                found = self._field(node, choice, (*path, choice.key))
                # The same key may be asked for twice, in fragments: both selections count.
                old = result.get(choice.key)
                result[choice.key] = {**old, **found} if isinstance(old, dict) and isinstance(found, dict) else found
                continue
            fragment = self._fragment(choice)
            if fragment.on not in TYPES and fragment.on not in ABSTRACT:
                raise QueryInvalid(f"No such type {fragment.on}, so it can't be a fragment condition")
            if node.type == fragment.on or node.type in ABSTRACT.get(fragment.on, frozenset()):
                result.update(self.select(node, fragment.selection, path))
        return result

    def _fragment(self, fragment: Fragment | Spread) -> Fragment:
        if isinstance(fragment, Fragment):
            return fragment
        if fragment.name not in self._document.fragments:
            raise QueryInvalid(f"Fragment {fragment.name} was used, but not defined")
        return self._document.fragments[fragment.name]

    def _field(self, node: TypedValue, field: SelectedField, path: tuple[str | int, ...]) -> Any:
        if field.name == "__typename":
            return node.type
        resolver = TYPES[node.type].get(field.name)
        if resolver is None:
            raise QueryInvalid(f"Field '{field.name}' doesn't exist on type '{node.type}' of this small GitHub")
        arguments = {
            name: self._values.get(value.name) if isinstance(value, Variable) else value
            for name, value in field.arguments.items()
        }
        try:
            return self._complete(resolver(self._caller, node.value, arguments), field, path)
        except NodeNotFound as why:
            self._wrong("NOT_FOUND", str(why), path)
        except ErrorResponse as why:  # GitHub withholds the field and answers the rest.
            self._wrong("FORBIDDEN", why.message, path)
        return None

    def _complete(self, value: Any, field: SelectedField, path: tuple[str | int, ...]) -> Any:
        if isinstance(value, NodeNotFound):
            return self._wrong("NOT_FOUND", str(value), path)
        if isinstance(value, list):
            return [self._complete(item, field, (*path, place)) for place, item in enumerate(value)]
        if isinstance(value, TypedValue):
            if not field.selection:
                raise QueryInvalid(f"Field '{field.name}' must have selections")
            return self.select(value, field.selection, path)
        if field.selection and value is not None:
            raise QueryInvalid(f"Selections can't be made on scalars (field '{field.name}')")
        return value

    def _wrong(self, kind: str, message: str, path: tuple[str | int, ...]) -> None:
        self.errors.append({"type": kind, "path": list(path), "locations": [], "message": message})
