"""The small GitHub as one server on one port (and another host beside it): pages and git at `/`, REST at `/api/v3`, GraphQL at `/api/graphql`."""

import re
import secrets
import threading
from copy import copy
from functools import cache
from types import TracebackType
from typing import Any, ClassVar, Self

from flask import Flask, Response, jsonify, request
from flask.json.provider import DefaultJSONProvider
from werkzeug.exceptions import HTTPException
from werkzeug.serving import WSGIRequestHandler, make_server

from bot.demo.github import smart_http
from bot.demo.github.graphql import graphql_endpoint
from bot.demo.github.pages import app_settings, dns_records, email_addresses, forms, oauth, overview_page
from bot.demo.github.refusal import ErrorResponse
from bot.demo.github.rest import (
    apps,
    check_run_routes,
    dependency_graph_routes,
    git_database,
    issues,
    pull_request_routes,
    repository_routes,
    server_version,
    users,
)
from bot.demo.github.rest_request import holding
from bot.demo.github.rest_request import world as this_world
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.state import Call

_VARIABLE = re.compile(r"<(?:\w+:)?(\w+)>")
_REST = "/api/v3"


def create_app(world: SimulatedGitHub) -> Flask:
    """The whole as a WSGI application."""
    app = copy(_without_world())  # to take in some hundred routes takes longer than most tests have calls
    app.extensions = {"world": world}
    return app


@cache
def _without_world() -> Flask:
    app = Flask(__name__)
    assert isinstance(app.json, DefaultJSONProvider)
    app.json.sort_keys = False  # As at GitHub, whose log shows a webhook in the order in which it was signed
    # Cookies know no ports: Countersign's own on the same host must keep its name to itself.
    app.config.update(
        SECRET_KEY=secrets.token_bytes(32), SESSION_COOKIE_NAME="small_github", SESSION_COOKIE_SAMESITE="Lax"
    )
    for part in (
        apps, repository_routes, pull_request_routes, check_run_routes, issues, users, git_database,
        dependency_graph_routes, server_version,
    ):  # fmt: skip
        app.register_blueprint(part.routes, url_prefix=_REST)
    pages = (oauth, email_addresses, dns_records, app_settings, forms, overview_page)
    for other in (graphql_endpoint, smart_http, *pages):
        app.register_blueprint(other.routes)
    names = {page.routes.name for page in pages}
    # Pages take the lock here; REST and GraphQL do it by themselves, after the latency.
    app.view_functions |= {
        name: holding(view) for name, view in app.view_functions.items() if name.partition(".")[0] in names
    }
    app.add_url_rule(f"{_REST}/<path:path>", "unknown", _unknown, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
    app.register_error_handler(ErrorResponse, _refused)
    app.register_error_handler(HTTPException, _unserved)
    app.before_request(server_version.check)
    app.after_request(_finish)
    return app


def _unknown(path: str) -> Any:
    # A call that is not simulated is refused and remembered, so that tests notice it.
    this_world().refused.append(f"{request.method} /{path}")
    message = f"{request.method} /{path} is not known to this small GitHub"
    return jsonify({"message": message, "documentation_url": "https://docs.github.com/rest", "status": "501"}), 501


def _refused(refusal: ErrorResponse) -> Response:
    if request.path.startswith("/api/") or request.is_json:
        answer = jsonify(refusal.body())
    elif ".git/" in request.path:  # Git shows plain text to the person.
        answer = Response(refusal.message + "\n", mimetype="text/plain")
    else:
        answer = Response(overview_page.error_page(refusal.status, refusal.message), mimetype="text/html")
    answer.status_code = refusal.status
    answer.headers.update(refusal.headers)
    return answer


def _unserved(error: HTTPException) -> Any:
    # Within the API a method that a known address does not take is unknown, too.
    if error.code in (404, 405) and request.path.startswith(_REST + "/"):
        return _unknown(request.path.removeprefix(_REST + "/"))
    return _refused(ErrorResponse(error.code or 500, error.description or error.name))


def _finish(answer: Response) -> Response:
    if not request.path.startswith("/api/"):
        return answer
    world = this_world()
    rule = request.url_rule.rule if request.url_rule else request.path
    template = _VARIABLE.sub(r"{\1}", rule).removeprefix(_REST).removeprefix("/api")
    if template == "/{path}":  # Not simulated: the rule would tell nothing.
        template = request.path.removeprefix(_REST)
    world.calls.append(Call(request.method, template, answer.status_code))
    return server_version.finish(answer)


class _QuietHandler(WSGIRequestHandler):
    """HTTP/1.1 without a line for each request; the Date of its answers is that of the world's clock."""

    protocol_version = "HTTP/1.1"
    world: ClassVar[SimulatedGitHub]
    _is_dated = False

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The present moment where none is given."""
        return super().date_time_string(self.world.clock().timestamp() if timestamp is None else timestamp)

    def send_response(self, code: int, message: str | None = None) -> None:
        """Begin an answer; the server's own Date is its first header."""
        self._is_dated = False
        super().send_response(code, message)

    def send_header(self, keyword: str, value: str) -> None:
        """Leave out a second Date, which the application has set for those who call it without a server."""
        is_date = keyword.lower() == "date"
        if not (is_date and self._is_dated):
            super().send_header(keyword, value)
        self._is_dated = self._is_dated or is_date

    def connection_dropped(self, *_: object) -> None:
        """Go no further on a connection that a fault has ended."""
        self.close_connection = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


class SimulatedGitHubServer:
    """The application on a loopback port; use it in a `with`. `latency` is what each API call takes longer, in seconds; `wrap` may put a WSGI layer around it."""

    def __init__(self, world: SimulatedGitHub, port: int = 0, *, latency: float = 0.0, wrap: Any = None) -> None:
        self.world = world
        world.latency = latency
        app = create_app(world)
        inner = app.wsgi_app if wrap is None else wrap(app.wsgi_app)
        app.wsgi_app = world.faults.wrap(inner)  # type: ignore[method-assign]  # Flask's own way to put a layer around
        handler = type("Handler", (_QuietHandler,), {"world": world})
        self._server = make_server("127.0.0.1", port, app, threaded=True, request_handler=handler)
        elsewhere = dependency_graph_routes.storage_host(world)
        self._storage = make_server("127.0.0.1", 0, elsewhere, threaded=True, request_handler=handler)
        self._threads = [
            # `serve_forever` looks for its end this often; by its default, to stop would take half a second.
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, name="github", daemon=True)
            for server in (self._server, self._storage)
        ]
        self.port = self._server.server_port
        world.url = self.url
        world.storage_url = f"http://127.0.0.1:{self._storage.server_port}"

    @property
    def url(self) -> str:
        """The address for people and git."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        """The address at which the REST API begins; PyGithub's `base_url`."""
        return self.url + _REST

    def start(self) -> Self:
        """Begin to serve."""
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        """Stop serving and sending webhooks."""
        serving = list(zip((self._server, self._storage), self._threads, strict=True))
        for server, thread in serving:
            if thread.is_alive():
                # On a thread of its own: `shutdown` waits for ever when the server's thread has just ended by itself.
                threading.Thread(target=server.shutdown, name="github-stop", daemon=True).start()
        for server, thread in serving:
            if thread.is_alive():
                thread.join(timeout=5)
            server.server_close()
        self.world.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
