"""Errors for programs: RFC 9457 problem details that say what is wrong and repeat nothing that was sent."""

import json
import traceback
from pathlib import Path

import structlog
from flask import Blueprint, Response, request
from flask_limiter.errors import RateLimitExceeded
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException
from werkzeug.http import HTTP_STATUS_CODES

log = structlog.get_logger()

MEDIA_TYPE = "application/problem+json"
PREFIX = "/api/v1"

_DETAILS = {
    401: "a valid token is needed: Authorization: Bearer cst_…",
    404: "there is no such thing",
    405: "this can only be read",
    429: "too many requests: wait a minute",
    500: "something broke on our side; it is recorded",
    503: "the records cannot be reached at the moment",
}


class InvalidRequest(Exception):
    """A request that is not as the description says; `detail` is one line without anything of the request."""

    def __init__(self, detail: str, status: int = 400) -> None:
        self.detail = detail
        self.status = status
        super().__init__(detail)


def problem(status: int, detail: str = "") -> Response:
    """The answer for a status."""
    title = HTTP_STATUS_CODES.get(status, "Error")
    # RFC 9457, section 4.2.1: with `about:blank` the title is the phrase of the status.
    details = {"type": "about:blank", "title": title, "status": status, "detail": detail or _DETAILS.get(status, title)}
    response = Response(json.dumps(details, ensure_ascii=False), status, mimetype=MEDIA_TYPE)
    if status == 401:  # RFC 9110, section 15.5.2: it names the scheme.
        response.headers["WWW-Authenticate"] = 'Bearer realm="countersign"'
    if status == 405:  # RFC 9110, section 15.5.6: it lists the methods.
        response.headers["Allow"] = "GET"
    if status == 429:
        response.headers["Retry-After"] = "60"  # Limits are by the minute.
    return response


def is_for_api() -> bool:
    """Whether the request is a program's, also at an address or by a method that no route of the API has."""
    return request.path == PREFIX or request.path.startswith(f"{PREFIX}/")


def add_problems(blueprint: Blueprint) -> None:
    """Answer every error inside the blueprint this way."""
    blueprint.register_error_handler(InvalidRequest, lambda error: problem(error.status, error.detail))
    blueprint.register_error_handler(RateLimitExceeded, lambda _error: problem(429))
    blueprint.register_error_handler(HTTPException, lambda error: problem(error.code or 500))
    blueprint.register_error_handler(SQLAlchemyError, _no_records)
    blueprint.register_error_handler(Exception, _broken)


def _no_records(error: SQLAlchemyError) -> Response:
    log.error("api.no-records", why=type(error).__name__)  # Its message may hold values of a row.
    return problem(503)


def _broken(error: Exception) -> Response:
    # Places, not values.
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-4:]]
    log.error("api.broken", why=type(error).__name__, endpoint=request.endpoint, places=places)
    return problem(500)
