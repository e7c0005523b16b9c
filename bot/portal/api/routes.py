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
from agreements.store.ledger.transient_rows import RowRefused
from bot.portal.api import api_answers, description
from bot.portal.api.problems import PREFIX, InvalidRequest, add_problems, problem
from bot.portal.portal_services import PortalServices, portal_services, reading
from bot.portal.session.page_access import Audience, Route, open_routes
from bot.records import row_codes
from bot.store import tokens
from bot.store.tokens import TokenRefused
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
    host = urlsplit(services.url).hostname or "localhost"

    @api.before_request
    def _ask_for_the_token() -> ResponseReturnValue | None:
        if not host_is_trusted(request.host, [host]):  # A forged Host is refused, as on pages.
            return problem(400, "this is another host")
        if request.endpoint == f"{NAME}.{openapi.__name__}":
            return _only_read()
        kind, _, words = request.headers.get("Authorization", "").partition(" ")  # The header alone counts.
        try:
            found = _holder(words.strip() if kind.lower() == "bearer" else None)
        except (TokenRefused, RowRefused) as refused:
            # By address: no token is known.
            with limiter.limit(UNAUTHENTICATED_RATE_LIMIT, key_func=get_remote_address):
                # A token of ours is named by its id; of other words nothing is written.
                if isinstance(refused, RowRefused):
                    security_log.tell(Event.ROW_REFUSED, table=refused.table, row=refused.row, why=refused.why)
                else:
                    security_log.tell(
                        Event.TOKEN_REFUSED, token=refused.token_id, endpoint=request.endpoint, why=refused.why
                    )
                return problem(401)
        with limiter.limit(RATE_LIMIT, key_func=lambda: f"token {found.id}"):  # By token: programs share addresses.
            g.token = found
            security_log.tell(Event.TOKEN_USED, token=found.id, endpoint=request.endpoint)
        return _only_read()

    add_problems(api)
    # A redirect for `//` would be answered before the token is looked at.
    open_routes(api, limiter, ROUTES, merge_slashes=False)
    return api


def _only_read() -> Response | None:
    # Flask's own answer to OPTIONS would name the methods that are there to be refused.
    return problem(405) if request.method == "OPTIONS" else None


def openapi() -> Response:
    """The description of the API; it needs no token."""
    return _json(description.OPENAPI)


def _holder(words: str | None) -> tokens.Holder:
    """The holder of the token; the log gets an entry about its first use today. Raises TokenRefused, RowRefused."""
    if words is None:
        raise TokenRefused("missing")
    services = portal_services()
    try:
        found = _find(words)
    except RowRefused:
        # A process of the release before may have written the newest entry on it, without a code of it.
        if not row_codes.made(services.sessions, services.vault):
            raise
        found = _find(words)
    if not found.logged:  # Once a day: the log must not grow with each request.
        with services.change(None) as context:
            tokens.log_use(context, found.id, (request.endpoint or "").removeprefix(f"{NAME}."))
    return found


def _find(words: str) -> tokens.Holder:
    with reading() as (records, vault, at):
        return tokens.holder(records, vault, words, at=at)


def _route(path: str, name: str, scope: str, answer: Answer) -> Route:
    def view(**values: str) -> ResponseReturnValue:
        token: tokens.Holder = g.token
        if scope not in token.scopes:
            security_log.tell(Event.TOKEN_REFUSED, token=token.id, endpoint=request.endpoint, why="scope")
            raise InvalidRequest(f"this token lacks the scope {scope}", 403)
        return _json(answer(personal="personal" in token.scopes, **values))

    view.__name__ = name  # The endpoint is named after it.
    return Route(PREFIX + path, view, Audience.TOKEN)


def _nothing(method: str) -> Route:
    def view(rest: str) -> ResponseReturnValue:  # noqa: ARG001 - Flask hands the path over
        return problem(404 if method == "GET" else 405)

    view.__name__ = f"nothing_to_{method.lower()}"
    return Route(f"{PREFIX}/<path:rest>", view, Audience.TOKEN, method)


ROUTES = (
    Route(f"{PREFIX}/openapi.json", openapi, Audience.PUBLIC),
    _route("/covered/<account_id>", "covered", "covered:read", api_answers.covered),
    _route("/signatures", "signatures", "signatures:read", api_answers.signatures),
    _route("/companies", "companies", "companies:read", api_answers.companies),
    _route("/companies/<company_id>", "company", "companies:read", api_answers.company),
    *map(_nothing, METHODS),  # Else Flask answers outside the blueprint, with a page and without asking for a token.
)


def _json(answer: Mapping[str, Any]) -> Response:
    return Response(json.dumps(answer, ensure_ascii=False, default=_plain), mimetype="application/json")


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return moments.text(value)
    raise TypeError(f"{type(value).__name__} has no place in an answer")
