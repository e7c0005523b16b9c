"""The API's own description, OpenAPI 3.1: every route, every parameter, every field of every answer."""

from typing import Any

from bot.portal.api.api_answers import DEFAULT_LIMIT, MAX_ID, MAX_LIMIT, MAX_VALUE_CHARACTERS

Json = dict[str, Any]

_MOMENT: Json = {"type": "string", "format": "date-time"}
_MAYBE_MOMENT: Json = {"type": ["string", "null"], "format": "date-time"}
_TEXT: Json = {"type": "string"}
_VALUE: Json = {"type": "string", "minLength": 1, "maxLength": MAX_VALUE_CHARACTERS}
"""A parameter: printable characters. An empty one is refused, since it may be a variable that a script did not set."""
_REPOSITORY: Json = {**_VALUE, "pattern": "^[^/]+/[^/]+$"}
_MAYBE_TEXT: Json = {"type": ["string", "null"]}
_YES: Json = {"type": "boolean"}
_ACCOUNT: Json = {"type": "integer", "minimum": 1, "maximum": MAX_ID}


def _told(schema: Json, about: str) -> Json:
    return {**schema, "description": about}


def _object(properties: Json, *, optional: tuple[str, ...] = ()) -> Json:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def _page(of: str) -> Json:
    cursor = _told(_MAYBE_TEXT, "The cursor of the next page; null on the last one.")
    return _object({"items": {"type": "array", "items": {"$ref": f"#/components/schemas/{of}"}}, "next": cursor})


def _parameter(name: str, schema: Json, about: str, *, where: str = "query") -> Json:
    return {"name": name, "in": where, "required": where == "path", "schema": schema, "description": about}


def _read(scope: str, about: str, answer: str, parameters: list[Json]) -> Json:
    """One address that is read with a token of that scope."""
    refused = {"content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    words = {
        "400": "A parameter is unknown, empty or misshapen.",
        "401": "No token, or one that is unknown, expired or revoked.",
        "403": f"The token lacks the scope {scope}.",
        "404": "There is no such thing.",
        "429": "Too many requests: 600 a minute with one token.",
    }
    found = {"application/json": {"schema": {"$ref": f"#/components/schemas/{answer}"}}}
    responses = {code: {"description": said, **refused} for code, said in words.items()}
    return {
        "get": {
            "summary": about,
            "description": f"Needs the scope `{scope}`.",
            "security": [{"token": []}],
            "parameters": parameters,
            "responses": {"200": {"description": "The answer.", "content": found}, **responses},
        }
    }


_CURSOR = _parameter("cursor", _VALUE, "`next` of the page before; left out for the first page.")
_LIMIT = _parameter(
    "limit", {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT}, "How many a page has."
)

_COVERED = _object({
    "account_id": _ACCOUNT,
    "at": _MOMENT,
    "agreement": _told(_MAYBE_TEXT, "The one that was asked about; null: as the rules ask."),
    "covered": _YES,
    "reason": _told(_TEXT, "`cla/covered` or `cla/uncovered`; with the scope `personal` the reason's code (see 'Reasons' in the documentation)."),
    "until": _told(_MAYBE_MOMENT, "When a period of grace ends; null: it has no end, or nothing covers."),
    "required": {
        "enum": ["cla", "dco", "both", "either", "none", None],
        "description": "What the organisation's rulebook requires in that repository, whose own file may require more; null when none was named, or `rules` is `broken` or `unread`.",
    },
    "rules": {
        "enum": ["valid", "outdated", "broken", "unread"],
        "description": "The organisation's rulebook. `outdated`: it has mistakes, so checks fail, and the answer is by the last one without any. `broken`: there is none without any; `unread`: it was not read yet. Then the answer is by the defaults.",
    },
})  # fmt: skip

_PARTY: Json = _told(
    _MAYBE_TEXT,
    "With whom: the rulebook's organization, else `github:` and the owner's account. Null: not known, so it counts nowhere.",
)

_SIGNATURE = _object(
    {
        "id": _TEXT,
        "account_id": _ACCOUNT,
        "login": _told(_MAYBE_TEXT, "Null while restricted."),
        "agreement": _TEXT,
        "version": _TEXT,
        "language": _TEXT,
        "source_sha256": _told(_TEXT, "Of the text; `external`: a text that another tool, or paper, holds."),
        "identity_proof": _TEXT,
        "party": _PARTY,
        "signed_at": _MOMENT,
        "withdrawn_at": _MAYBE_MOMENT,
        "for_company": _told(_YES, "It was signed for a company and covers no person."),
        "restricted": _told(
            _YES, "Who signed asked to be erased and the evidence is kept: no login, name or address is told."
        ),
        "name": _told(_MAYBE_TEXT, "With the scope `personal`; null while restricted, and once erased."),
        "email": _told(_MAYBE_TEXT, "With the scope `personal`; null while restricted, and once erased."),
    },
    optional=("name", "email"),
)

_COMPANY_FIELDS: Json = {
    "id": _TEXT,
    "name": _TEXT,
    "agreement": _TEXT,
    "version": _TEXT,
    "signed_at": _MOMENT,
    "countersigned_at": _told(_MAYBE_MOMENT, "Null: it covers nobody yet."),
    "ended_at": _MAYBE_MOMENT,
    "domains": {"enum": ["linked", "enrolled", None], "description": "Null: as the rulebook says."},
    "party": _PARTY,
    "text_missing": _told(
        _YES, "The text that was signed is not in the catalog of agreements: the agreement covers nobody."
    ),
}

_ENTRY = _object(
    {
        "id": _TEXT,
        "kind": {"enum": ["domain", "email", "account"]},
        "excluded": _YES,
        "domain": _MAYBE_TEXT,
        "subdomains": _YES,
        "account_id": {"type": ["integer", "null"]},
        "since": _MAYBE_MOMENT,
        "until": _MAYBE_MOMENT,
        "email": _told(_MAYBE_TEXT, "With the scope `personal`."),
    },
    optional=("email",),
)

_PROBLEM = _object({"type": _TEXT, "title": _TEXT, "status": {"type": "integer"}, "detail": _TEXT})

OPENAPI: Json = {
    "openapi": "3.1.0",
    "info": {
        "title": "Countersign",
        "version": "1",  # Of the API, not of the release.
        "description": "Who is covered, and what is recorded. Tokens are made by administrators at `/admin/tokens`.",
    },
    "paths": {
        "/api/v1/covered/{account_id}": _read(
            "covered:read", "Is this account covered?", "Covered",
            [
                _parameter("account_id", _ACCOUNT, "GitHub's number of the account.", where="path"),
                _parameter("agreement", _VALUE, "Only by this agreement, such as `icla`; without it as the rules ask."),
                _parameter("at", _MOMENT, "At this moment; now when it is left out."),
                _parameter("repository", _REPOSITORY, "By the rules of its owner: `owner/name`."),
            ],
        ),
        "/api/v1/signatures": _read(
            "signatures:read", "Signatures, page by page, in the order of their ids", "Signatures",
            [
                _parameter("account", _ACCOUNT, "Of this account."),
                _parameter("agreement", _VALUE, "Of this agreement, such as `icla`."),
                _parameter("since", _MOMENT, "Recorded or ended at or after this moment, whenever they were signed."),
                _CURSOR, _LIMIT,
            ],
        ),
        "/api/v1/companies": _read(
            "companies:read", "Companies, page by page, in the order of their ids", "Companies", [_CURSOR, _LIMIT]
        ),
        "/api/v1/companies/{company_id}": _read(
            "companies:read", "One company and whom it names", "CompanyWithEntries",
            [_parameter("company_id", _TEXT, "Its id.", where="path")],
        ),
        "/api/v1/openapi.json": {
            "get": {
                "summary": "This description",
                "security": [],
                "responses": {
                    "200": {
                        "description": "OpenAPI 3.1.",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                    }
                },
            }
        },
    },
    "components": {
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        "schemas": {
            "Covered": _COVERED,
            "Signature": _SIGNATURE,
            "Signatures": _page("Signature"),
            "Company": _object(_COMPANY_FIELDS),
            "Companies": _page("Company"),
            "Entry": _ENTRY,
            "CompanyWithEntries": _object({
                **_COMPANY_FIELDS, "entries": {"type": "array", "items": {"$ref": "#/components/schemas/Entry"}},
            }),
            "Problem": _PROBLEM,
        },
    },
}  # fmt: skip
"""The whole description, as it is answered."""
