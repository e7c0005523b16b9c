"""The headers of the API's answers, as api.github.com sends them."""

import hashlib
import secrets

from flask import Response, g, request
from werkzeug.http import http_date

from bot.demo.github.rest.request import count_call, world

_REQUEST_ID_BYTES = (2, 3, 3, 3, 4)
_UNTAGGED = ("/rate_limit", "/graphql")
"""Answers of the moment: nobody is told that one has not changed."""


def added(answer: Response) -> Response:
    """The same answer with GitHub's headers; a GET whose ETag the caller knows becomes 304, which counts against no limit."""
    headers, is_graphql = answer.headers, request.path.endswith("/graphql")
    if answer.mimetype == "application/json":
        headers["Content-Type"] = "application/json; charset=utf-8"
    if answer.status_code == 201 and (place := (answer.get_json(silent=True) or {}).get("url")):
        headers["Location"] = place
    if answer.status_code in (200, 201) and not request.path.endswith(_UNTAGGED):
        answer.set_etag(hashlib.sha256(answer.get_data()).hexdigest(), weak=True)
        headers["Cache-Control"] = "private, max-age=60, s-maxage=60"
        answer.make_conditional(request)
    if answer.status_code == 304:
        count_call("core", calls=-1)
    if answer.status_code not in (302, 304):
        headers["X-GitHub-Media-Type"] = f"github.{'v4' if is_graphql else 'v3'}; format=json"
    if not request.path.removeprefix("/api/v3").startswith(
        "/app"
    ):  # what an App asks by its JWT has no limit that is told
        if "usage" not in g:  # nobody, as far as GitHub knows: it counts by address
            g.usage = world().rate_limit.usage(request.remote_addr or "", "core", world().now(), calls=1)
        headers.update(g.usage.headers)
    headers["X-GitHub-Request-Id"] = ":".join(secrets.token_hex(size).upper() for size in _REQUEST_ID_BYTES)
    headers["Date"] = http_date(world().clock())
    return answer
