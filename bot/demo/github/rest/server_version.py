"""REST for the server itself: what it says of itself, the version of the API in which it answers, and the headers of each answer."""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response, g, jsonify, request
from flask.typing import ResponseReturnValue
from werkzeug.http import http_date

from bot.demo.github import enterprise
from bot.demo.github.refusal import ErrorResponse, not_found
from bot.demo.github.rest_request import count_call, route, world

routes = Blueprint("server_version", __name__)

_DEFAULT: Final = "2022-11-28"  # For callers that name none.
_NEWEST: Final = "2026-03-10"  # The one that removes fields.
_REQUEST_ID_BYTES = (2, 3, 3, 3, 4)  # GitHub's ids have five groups of digits.
_UNTAGGED = ("/rate_limit", "/graphql")  # They change all the time: no ETag.
# Fields that the newest version has no more. Source: GitHub's page "Breaking changes" of the REST API.
_REMOVED: Final = frozenset({"assignee", "has_downloads", "merge_commit_sha", "use_squash_pr_title_as_default"})


@route(routes, "GET", "/meta")
def meta() -> ResponseReturnValue:
    """The addresses that webhooks come from; an Enterprise Server tells its version instead."""
    version = world().enterprise
    told = {"installed_version": version} if world().tells_version else {}
    beside = told if version else {"hooks": ["192.0.2.0/24"]}  # A range for examples (RFC 5737).
    return jsonify({"verifiable_password_authentication": bool(version), **beside})


def check() -> None:
    """Refuse what this server does not have: paths (404), versions of the API (400, 410). Raises ErrorResponse."""
    if not request.path.startswith("/api/v3/"):
        return
    version = world().enterprise
    # Source: GitHub's page "API versions".
    known, asked = enterprise.api_versions(version), request.headers.get("X-GitHub-Api-Version", _DEFAULT)
    if known and asked not in known:
        raise ErrorResponse(400, f"{asked} is not a supported API version. Supported: {', '.join(known)}.")
    if (end := world().sunsets.get(asked)) and end <= world().now():
        raise ErrorResponse(410, f"Version {asked} of the REST API is no longer supported.")
    if version and enterprise.lacks_operation(version, request.path.removeprefix("/api/v3")):
        raise not_found()


def finish(answer: Response) -> Response:
    """The answer in the version that was asked for, with GitHub's headers."""
    _tell_versions(answer)
    headers, is_graphql = answer.headers, request.path.endswith("/graphql")
    if answer.mimetype == "application/json":
        headers["Content-Type"] = "application/json; charset=utf-8"
    if answer.status_code == 201 and (place := (answer.get_json(silent=True) or {}).get("url")):
        headers["Location"] = place
    if answer.status_code in (200, 201) and not request.path.endswith(_UNTAGGED):
        answer.set_etag(hashlib.sha256(answer.get_data()).hexdigest(), weak=True)
        headers["Cache-Control"] = "private, max-age=60, s-maxage=60"
        answer.make_conditional(request)
    if answer.status_code == 304:  # GitHub counts it against no limit.
        count_call("core", calls=-1)
    if answer.status_code not in (302, 304):
        headers["X-GitHub-Media-Type"] = f"github.{'v4' if is_graphql else 'v3'}; format=json"
    # What an App asks by its JWT has no limit that is told.
    if not request.path.removeprefix("/api/v3").startswith("/app"):
        if "usage" not in g:  # An anonymous caller is counted by its address
            g.usage = world().rate_limit.usage(request.remote_addr or "", "core", world().now(), calls=1)
        headers.update(g.usage.headers)
    headers["X-GitHub-Request-Id"] = ":".join(secrets.token_hex(size).upper() for size in _REQUEST_ID_BYTES)
    headers["Date"] = http_date(world().clock())
    return answer


def _tell_versions(answer: Response) -> None:
    version = world().enterprise
    if version and world().tells_version:
        answer.headers["X-GitHub-Enterprise-Version"] = version
    known, asked = enterprise.api_versions(version), request.headers.get("X-GitHub-Api-Version", _DEFAULT)
    if asked not in known:
        return
    answer.headers["X-GitHub-Api-Version-Selected"] = asked
    if end := world().sunsets.get(asked):
        answer.headers["Sunset"] = http_date(end)
    if asked == _NEWEST and answer.is_json and not request.path.endswith("/graphql"):
        answer.set_data(jsonify(_newest(answer.get_json())).get_data())


def _newest(value: Any) -> Any:
    if isinstance(value, list):
        return [_newest(child) for child in value]
    if not isinstance(value, Mapping):
        return value
    without = _REMOVED | ({"rate"} if "resources" in value else set())  # /rate_limit loses this one.
    return {key: _newest(child) for key, child in value.items() if key not in without}
