"""The blueprint of the API: a token before anything else, its scope before the answer, no cookie in or out."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, g, request
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from werkzeug.sansio.utils import host_is_trusted

from agreements import moments
from bot.portal.api import answers, description
from bot.portal.api.problems import PREFIX, InvalidRequest, add_problems, problem
from bot.portal.portal_services import PortalServices, portal_services
from bot.portal.session.page_access import Audience, Route, open_routes
from bot.store import tokens
from bot.telemetry import security_log
from bot.telemetry.security_log import Event

NAME = "api"
RATE_LIMIT = "600 per minute"
"""Requests with one token."""
UNAUTHENTICATED_RATE_LIMIT = "60 per minute"
"""Requests without a valid token from one address."""

Answer = Callable[..., Mapping[str, Any]]
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def make_api(limiter: Limiter, services: PortalServices) -> Blueprint:
    """The blueprint with `/api/v1/…`."""
    api = Blueprint(NAME, __name__)
    host = urlsplit(services.settings.url).hostname or "localhost"

    @api.before_request
    def _ask_for_the_token() -> ResponseReturnValue | None:
        if not host_is_trusted(request.host, [host]):
            return problem(400, "this is another host")
        if request.endpoint == f"{NAME}.{openapi.__name__}":
            return _only_read()
        words = _words()
        found = None if words is None else _holder(words)
        if found is None:
            with limiter.limit(UNAUTHENTICATED_RATE_LIMIT, key_func=get_remote_address):
                _tell_refused(words)
                return problem(401)
        with limiter.limit(RATE_LIMIT, key_func=lambda: f"token {found.id}"):
            g.token = found
            security_log.tell(Event.TOKEN_USED, token=found.id, endpoint=request.endpoint)
        return _only_read()

    add_problems(api)
    open_routes(api, limiter, ROUTES, merge_slashes=False)
    return api


def _only_read() -> Response | None:
    """405 for OPTIONS: Flask's own answer would name the methods that are there to be refused."""
    return problem(405) if request.method == "OPTIONS" else None


def openapi() -> Response:
    """What there is to ask, for everybody to read."""
    return _json(description.OPENAPI)


def _holder(words: str) -> tokens.Holder | None:
    with portal_services().sessions() as records:
        return tokens.holder(records, words, at=portal_services().clock())


def _words() -> str | None:
    """The token that the request carries; the header alone counts."""
    kind, _, words = request.headers.get("Authorization", "").partition(" ")
    return words.strip() if kind.lower() == "bearer" else None


def _tell_refused(words: str | None) -> None:
    """A token that has ended is named by its id; of other words nothing is written."""
    known = None
    if words is not None:
        with portal_services().sessions() as records:
            known = tokens.ended(records, words)
    why = "missing" if words is None else "unknown" if known is None else "ended"
    security_log.tell(Event.TOKEN_REFUSED, token=known, endpoint=request.endpoint, why=why)


def _route(path: str, name: str, scope: str, answer: Answer) -> Route:
    """A route that answers JSON to tokens with that scope."""

    def view(**values: str) -> ResponseReturnValue:
        token: tokens.Holder = g.token
        if scope not in token.scopes:
            security_log.tell(Event.TOKEN_REFUSED, token=token.id, endpoint=request.endpoint, why="scope")
            raise InvalidRequest(f"this token lacks the scope {scope}", 403)
        return _json(answer(personal="personal" in token.scopes, **values))

    view.__name__ = name
    return Route(PREFIX + path, view, Audience.TOKEN)


def _nothing(method: str) -> Route:
    """What is at no address of the description."""

    def view(rest: str) -> ResponseReturnValue:  # noqa: ARG001 - Flask hands the path over
        return problem(404 if method == "GET" else 405)

    view.__name__ = f"nothing_to_{method.lower()}"
    return Route(f"{PREFIX}/<path:rest>", view, Audience.TOKEN, method)


ROUTES = (
    Route(f"{PREFIX}/openapi.json", openapi, Audience.EVERYBODY),
    _route("/covered/<account_id>", "covered", "covered:read", answers.covered),
    _route("/signatures", "signatures", "signatures:read", answers.signatures),
    _route("/companies", "companies", "companies:read", answers.companies),
    _route("/companies/<company_id>", "company", "companies:read", answers.company),
    *map(_nothing, METHODS),
)


def _json(answer: Mapping[str, Any]) -> Response:
    return Response(json.dumps(answer, ensure_ascii=False, default=_plain), mimetype="application/json")


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return moments.text(value)
    raise TypeError(f"{type(value).__name__} has no place in an answer")
