"""Stands between Countersign and its GitHub, lets everything through, and notes what GitHub would not do."""

import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from tests.contract.contract import Contract

Wsgi = Callable[..., Iterable[bytes]]
PREFIX = "/api/v3"  # as GitHub Enterprise Server has it; api.github.com has none
# 'Webhook events and payloads, delivery headers': name in WSGI, shape.
HEADERS = {
    "HTTP_X_GITHUB_DELIVERY": r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}",
    "HTTP_X_GITHUB_EVENT": r"[a-z_]+",
    "HTTP_X_GITHUB_HOOK_ID": r"\d+",
    "HTTP_X_GITHUB_HOOK_INSTALLATION_TARGET_ID": r"\d+",
    "HTTP_X_GITHUB_HOOK_INSTALLATION_TARGET_TYPE": r"[a-z]+",
    "HTTP_X_HUB_SIGNATURE_256": r"sha256=[0-9a-f]{64}",
    "HTTP_USER_AGENT": r"GitHub-Hookshot/\w+",
}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer as bytes; `target` is the raw path with its query, `status` None: no answer came."""

    method: str
    target: str
    sent: bytes
    status: int | None
    received: bytes
    media: str


@dataclass(slots=True)
class Watch:
    """Collects findings of any number of gates, recorded calls and webhooks; a test ends with `findings` empty."""

    contract: Contract
    prefix: str = PREFIX
    findings: list[str] = field(default_factory=list)
    seen: int = 0  # exchanges and webhooks judged, so that a test can show that anything was

    def wrap(self, app: Wsgi) -> "Gate":
        """The WSGI application with a gate before it that reports here."""
        return Gate(app, self.contract, prefix=self.prefix, watch=self)

    def calls(self, calls: Iterable[Any]) -> None:
        """Judge what the `responses` library recorded: `watch.calls(responses.calls)`."""
        for call in calls:
            parts = urlsplit(call.request.url)
            prefix = "" if parts.hostname == "api.github.com" else self.prefix
            body = call.request.body or b""
            answer = call.response if hasattr(call.response, "status_code") else None
            self.exchange(prefix=prefix, exchange=Exchange(
                method=call.request.method, target=parts.path + (f"?{parts.query}" if parts.query else ""),
                sent=body.encode() if isinstance(body, str) else body,
                status=answer.status_code if answer is not None else None,
                received=answer.content if answer is not None else b"",
                media=answer.headers.get("Content-Type", "") if answer is not None else "",
            ))  # fmt: skip

    def webhook(self, event: str, payload: Mapping[str, object]) -> None:
        """Judge a webhook; fits wherever a fake takes a hook that is told what it sends."""
        self.seen += 1
        self.findings += self.contract.check_webhook(event, payload)

    def delivery(self, environ: Mapping[str, Any], body: bytes) -> None:
        """Judge a webhook as it arrives: its headers and its payload."""
        for name, shape in HEADERS.items():
            if not re.fullmatch(shape, environ.get(name, "")):
                self.findings.append(f"webhook header {name}: {environ.get(name, 'missing')}")
        self.webhook(environ["HTTP_X_GITHUB_EVENT"], json.loads(body))

    def exchange(self, exchange: Exchange, prefix: str | None = None) -> None:
        """Judge one exchange; those outside the interface (web pages, git, OAuth) pass unjudged."""
        prefix = self.prefix if prefix is None else prefix
        path, _, query = exchange.target.partition("?")
        if exchange.method == "POST" and path == f"{prefix.removesuffix('/v3')}/graphql":
            self.seen += 1
            self.findings += list(self._graphql(exchange))
        elif path.startswith(f"{prefix}/"):
            self.seen += 1
            path = path.removeprefix(prefix)
            parameters = dict(parse_qsl(query, keep_blank_values=True))
            self.findings += self.contract.check_request(exchange.method, path, parameters, _json(exchange.sent))
            if exchange.status is not None and self.contract.operation(exchange.method, path):
                received = _json(exchange.received) if "json" in exchange.media else None
                self.findings += self.contract.check_response(exchange.method, path, exchange.status, received)

    def _graphql(self, exchange: Exchange) -> Iterable[str]:
        asked = _json(exchange.sent)
        if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
            yield "graphql: the body has no query"
            return
        variables = asked.get("variables") or {}
        findings = self.contract.check_graphql(asked["query"], variables)
        yield from findings
        if exchange.status == 200 and not findings:
            yield from self.contract.check_graphql_answer(asked["query"], variables, _json(exchange.received))


class Gate:
    """WSGI middleware: before the fake GitHub it judges REST and GraphQL, before Countersign it judges webhooks."""

    def __init__(self, app: Wsgi, contract: Contract, *, prefix: str = PREFIX, watch: Watch | None = None) -> None:
        self._app = app
        self.watch = watch or Watch(contract, prefix)

    @property
    def findings(self) -> list[str]:
        """What was wrong so far, in order."""
        return self.watch.findings

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        """Pass the request on, read the whole answer, judge both, give the answer back unchanged."""
        sent = _drained(environ)
        if len(sent) < int(
            environ.get("CONTENT_LENGTH") or 0
        ):  # whoever sent it was killed meanwhile: nobody acts on half of it
            start_response("400 Bad Request", [])
            return []
        begun: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> None:
            begun.append((status, headers))
            start_response(status, headers, *([exc_info] if exc_info else []))

        answer = self._app(environ, start)
        try:
            received = b"".join(answer)
        finally:
            getattr(answer, "close", lambda: None)()
        if "HTTP_X_GITHUB_EVENT" in environ:
            self.watch.delivery(environ, sent)
        else:
            status, headers = begun[-1]
            media = {name.lower(): value for name, value in headers}.get("content-type", "")
            self.watch.exchange(
                Exchange(environ["REQUEST_METHOD"], _target(environ), sent, int(status.split()[0]), received, media)
            )
        return [received]


def _drained(environ: dict[str, Any]) -> bytes:
    """The request's body, left in place for the application."""
    if environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked":
        body = environ["wsgi.input"].read()
        environ["CONTENT_LENGTH"] = str(len(body))
    else:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    return body


def _target(environ: Mapping[str, Any]) -> str:
    """The raw path and query; servers that hide the raw path get it quoted again."""
    raw = environ.get("REQUEST_URI") or environ.get("RAW_URI")
    if raw:
        parts = urlsplit(raw)
        return parts.path + (f"?{parts.query}" if parts.query else "")
    path = quote(environ.get("SCRIPT_NAME", "") + environ["PATH_INFO"].encode("latin-1").decode())
    return path + (f"?{environ['QUERY_STRING']}" if environ.get("QUERY_STRING") else "")


def _json(body: bytes) -> object:
    """The value of a JSON text; None for an empty one; anything else is passed on as text, which no schema takes."""
    try:
        return json.loads(body) if body.strip() else None
    except ValueError:
        return body.decode(errors="replace")
