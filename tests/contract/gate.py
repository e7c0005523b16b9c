"""Stands between Countersign and its GitHub, lets everything through, and notes what GitHub would not do."""

import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from tests.contract import oauth
from tests.contract.contract import Contract
from tests.contract.headers import Pairs

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
    """One request and its answer as bytes; `target` is the raw path with its query, `status` None: no answer came.

    `asked` are the request's headers by lower-case names, `headers` the answer's as they came. `is_whole`: GitHub itself
    seems to have answered, so that all its headers have to be there.
    """

    method: str
    target: str
    sent: bytes
    status: int | None
    received: bytes
    origin: str
    asked: Mapping[str, str] = field(default_factory=dict)
    headers: Pairs = ()
    is_whole: bool = False

    @property
    def media(self) -> str:
        """The Content-Type of the answer."""
        return next((value for name, value in self.headers if name.lower() == "content-type"), "")


@dataclass(slots=True)
class Watch:
    """Collects findings of any number of gates, recorded calls and webhooks; a test ends with `findings` empty."""

    contract: Contract
    prefix: str = PREFIX
    findings: list[str] = field(default_factory=list)
    absent: frozenset[str] = frozenset()  # headers that this server does not send yet: an old Enterprise Server
    seen: int = 0  # exchanges and webhooks judged, so that a test can show that anything was
    _shown: set[tuple[str | None, ...]] = field(default_factory=set)

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
                received=answer.content if answer is not None else b"", origin=f"{parts.scheme}://{parts.netloc}",
                asked={name.lower(): str(value) for name, value in call.request.headers.items()},
                headers=tuple(answer.headers.items()) if answer is not None else (),
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
        """Judge one exchange; what is neither the interface nor signing in (other pages, git) passes unjudged."""
        prefix = self.prefix if prefix is None else prefix
        path, _, query = exchange.target.partition("?")
        if exchange.method == "POST" and path == f"{prefix.removesuffix('/v3')}/graphql":
            self.seen += 1
            self.findings += list(self._graphql(exchange))
        elif oauth.is_described(path):
            self.seen += 1
            self.findings += oauth.check(oauth.Page(
                exchange.method, path, dict(parse_qsl(query, keep_blank_values=True)), exchange.asked,
                exchange.sent.decode(errors="replace"), exchange.status,
                {name.lower(): value for name, value in exchange.headers}, exchange.received.decode(errors="replace"),
            ))  # fmt: skip
        elif path.startswith(f"{prefix}/"):
            self.seen += 1
            path = path.removeprefix(prefix)
            parameters = dict(parse_qsl(query, keep_blank_values=True))
            self.findings += self.contract.check_request(exchange.method, path, parameters, _json(exchange.sent))
            if exchange.status is not None and self.contract.operation(exchange.method, path):
                received = _json(exchange.received) if "json" in exchange.media else None
                self.findings += self.contract.check_response(
                    exchange.method, path, exchange.status, received, sent=exchange.headers, asked=exchange.asked
                )
                found = self.contract.check_headers(
                    exchange.method, path, parameters, exchange.status, exchange.headers,
                    origin=exchange.origin, prefix=prefix, whole=exchange.is_whole,
                )  # fmt: skip
                without = tuple(f"header {name} is missing" for name in self.absent)
                self.findings += [finding for finding in found if not finding.endswith(without)]
                self.findings += list(self._counted(exchange))

    def _counted(self, exchange: Exchange) -> Iterable[str]:
        """What is left of a limit falls with each call: none that counts shows what another has shown."""
        shown = {name.lower(): value for name, value in exchange.headers}
        key = tuple(shown.get(f"x-ratelimit-{part}") for part in ("resource", "reset", "remaining"))
        if not exchange.is_whole or None in key or key[2] == "0" or exchange.status not in range(200, 300):
            return  # what is refused may be counted for the address
        if exchange.target.partition("?")[0].endswith("/rate_limit"):
            return
        key = (exchange.asked.get("authorization"), *key)
        if key in self._shown:
            yield f"{exchange.method} {exchange.target}: x-ratelimit-remaining {key[3]} was shown before"
        self._shown.add(key)

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
        # The sender was killed meanwhile: no server acts on half a request.
        if len(sent) < int(environ.get("CONTENT_LENGTH") or 0):
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
            status, answered = begun[-1]
            self.watch.exchange(Exchange(
                environ["REQUEST_METHOD"], _target(environ), sent, int(status.split()[0]), received,
                origin=f"{environ['wsgi.url_scheme']}://{environ.get('HTTP_HOST', '')}", asked=_asked(environ),
                headers=tuple(answered), is_whole=True,
            ))  # fmt: skip
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


def _asked(environ: Mapping[str, Any]) -> dict[str, str]:
    """The request's headers by lower-case names."""
    return {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_") or name == "CONTENT_TYPE"
    }


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
