"""The OpenAPI description matches the API: every route, parameter and answer."""

import re

import jsonschema_rs
import pytest

from bot.portal.api.description import OPENAPI
from bot.portal.api.routes import ROUTES
from bot.portal.session.page_access import Audience


def described():
    """(path, method) of the description."""
    return {(path, method) for path, methods in OPENAPI["paths"].items() for method in methods}


def references(value):
    """Every $ref in it."""
    if isinstance(value, dict):
        yield from [value["$ref"]] if "$ref" in value else []
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from references(part)


def schema(name):
    """A schema of the description that can be used alone."""
    return {"$ref": f"#/components/schemas/{name}", "components": OPENAPI["components"]}


def test_the_description_names_every_route_and_no_other():
    routes = {
        (re.sub(r"<(\w+)>", r"{\1}", route.path), route.method.lower())
        for route in ROUTES
        if "<path:" not in route.path
    }
    assert routes == described()
    assert {route.who for route in ROUTES if not route.path.endswith("openapi.json")} == {Audience.TOKEN}


def test_the_schemas_references_and_path_parameters_are_valid():
    for name, definition in OPENAPI["components"]["schemas"].items():
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **definition})
        assert definition["type"] == "object", name
    for reference in references(OPENAPI):
        assert reference.removeprefix("#/components/schemas/") in OPENAPI["components"]["schemas"]
    for path, methods in OPENAPI["paths"].items():
        named = {parameter["name"] for parameter in methods["get"].get("parameters", ()) if parameter["in"] == "path"}
        assert named == set(re.findall(r"{(\w+)}", path))


@pytest.mark.parametrize(
    ("path", "scope", "name"),
    [
        ("/covered/11", "covered:read", "Covered"),
        ("/signatures", "signatures:read", "Signatures"),
        ("/companies", "companies:read", "Companies"),
        ("/companies/c1", "companies:read", "CompanyWithEntries"),
        ("/companies/none", "companies:read", "Problem"),
        ("/covered/0", "covered:read", "Problem"),
    ],
)
def test_every_answer_is_valid_under_its_schema(ask, records, path, scope, name):
    for scopes in ((scope,), (scope, "personal")):
        jsonschema_rs.validator_for(schema(name)).validate(ask(path, *scopes)[1])


def test_the_answer_on_a_restricted_signer_is_valid_under_its_schema(ask, restricted):
    for scopes in (("signatures:read",), ("signatures:read", "personal")):
        jsonschema_rs.validator_for(schema("Signatures")).validate(ask("/signatures", *scopes)[1])


def test_the_description_is_served_without_a_token(portal):
    assert portal.browser().get("/api/v1/openapi.json").json == OPENAPI


PARAMETERS = [
    (path, parameter)
    for path, methods in OPENAPI["paths"].items()
    for parameter in methods["get"].get("parameters", ())
    if parameter["in"] == "query"
]


@pytest.mark.parametrize(("path", "parameter"), PARAMETERS)
def test_a_parameter_that_its_schema_refuses_is_answered_with_400(ask, path, parameter):
    for value in ("", "x" * 201, "x" * 200, "a/b/c", "/", "icla", "7", "1000", "2026-01-31T12:00:00Z"):
        status, body = ask(
            path.removeprefix("/api/v1").format(account_id=11), "covered:read", "signatures:read", "companies:read",
            **{parameter["name"]: value},
        )  # fmt: skip
        kind = parameter["schema"].get("type")
        parsed = int(value) if kind == "integer" and value.isdecimal() else value
        is_valid = jsonschema_rs.is_valid(parameter["schema"], parsed, validate_formats=True)
        if not is_valid:
            assert status == 400, value
        elif status == 400:
            assert body["detail"] == "agreement: the rules ask for no such agreement", value
