"""Faults between the small GitHub and its clients: delays, refusals, outages, cut bodies, connections that are reset."""

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

_DOCS = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER, on, without waiting: closing sends RST instead of FIN.


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault of the next calls of `method` whose path has the pattern `path`, `times` of them.

    `delay` is in seconds. `status` is answered with `headers` and `body`, or the connection is `reset`: instead of the
    call, or with `after` once it has had its effect. `cut` ends the connection after that many bytes of the answer.
    """

    method: str = "*"
    path: str = "^/api/"
    times: float = 1
    delay: float = 0.0
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    after: bool = False
    cut: int | None = None
    reset: bool = False

    def is_about(self, method: str, path: str) -> bool:
        """Whether it happens to such a call."""
        return self.method in ("*", method) and re.search(self.path, path) is not None


def refusal(status: int, message: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> Fault:
    """An answer in GitHub's form of errors; `more` are fields of Fault."""
    body = json.dumps({"message": message, "documentation_url": _DOCS, "status": str(status)}).encode()
    return Fault(status=status, headers={"Content-Type": "application/json", **(headers or {})}, body=body, **more)


class Faults:
    """The faults to come, each used up after its `times`; of several that fit the oldest happens."""

    def __init__(self) -> None:
        self.happened: list[tuple[str, str, Fault]] = []
        self._coming: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, *faults: Fault) -> None:
        """Let these happen."""
        with self._lock:
            self._coming += faults

    def clear(self) -> None:
        """Let no more happen."""
        with self._lock:
            self._coming.clear()

    def wrap(self, app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
        """A WSGI layer before the application, in which they happen."""

        def layer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
            fault = self._next(environ["REQUEST_METHOD"], environ["PATH_INFO"])
            return app(environ, start) if fault is None else _happen(fault, app, environ, start)

        return layer

    def _next(self, method: str, path: str) -> Fault | None:
        with self._lock:
            for place, fault in enumerate(self._coming):
                if fault.is_about(method, path):
                    left = replace(fault, times=fault.times - 1)
                    self._coming[place : place + 1] = [left] if left.times > 0 else []
                    self.happened.append((method, path, fault))
                    return fault
        return None


def _happen(
    fault: Fault, app: Callable[..., Iterable[bytes]], environ: dict[str, Any], start: Callable[..., Any]
) -> Iterable[bytes]:
    time.sleep(fault.delay)
    replaced = fault.status is not None or fault.reset
    if replaced and not fault.after:
        # Closing with unread input would reset the connection: the client might never see the answer.
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    elif not replaced and fault.cut is None:
        return app(environ, start)
    else:
        status, headers, body = _answer(app, environ)
    if fault.reset:
        connection = environ["werkzeug.socket"]
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        connection.close()
        raise ConnectionResetError
    if fault.status is not None:
        words = f"{fault.status} {HTTPStatus(fault.status).phrase}"
        start(words, [*fault.headers.items(), ("Content-Length", str(len(fault.body)))])
        return [fault.body]
    start(status, headers)  # They announce the whole length, so that the client notices the cut.
    return _cut(body[: fault.cut])


def _answer(
    app: Callable[..., Iterable[bytes]], environ: dict[str, Any]
) -> tuple[str, Sequence[tuple[str, str]], bytes]:
    begun: list[tuple[str, Sequence[tuple[str, str]]]] = []
    parts = app(environ, lambda status, headers, *_: begun.append((status, headers)))
    body = b"".join(parts)
    getattr(parts, "close", lambda: None)()  # WSGI demands it (PEP 3333).
    return *begun[0], body


def _cut(part: bytes) -> Iterator[bytes]:
    yield part
    raise ConnectionResetError
