"""One HTTP request at the ASGI interface, and the answer to it."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

_DISCARD_SECONDS, _DISCARD_BYTES = 2.0, 32 * 1024 * 1024

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class Rejected(Exception):
    """The request is refused: `status` and the message are the answer, and the connection ends with it."""

    def __init__(self, status: int, message: str, *headers: tuple[str, str]) -> None:
        self.status: Final = status
        self.headers: Final = headers
        super().__init__(message)


class Disconnected(Exception):
    """The client has closed the connection: there is none to answer."""


class Exchange:
    """A request and the way to answer it, once."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, headers: Iterable[tuple[str, str]] = ()) -> None:
        """`headers` are those of every answer that is made here."""
        self.scope = scope
        self._always = tuple(headers)
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        # WSGI cannot tell `X_Forwarded_For` from `X-Forwarded-For`: a visitor might override what a proxy wrote.
        self.headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"] if b"_" not in name
        )
        self.status = 0
        self.is_begun = False
        self._is_read = False
        self._receive = receive
        self._send = send

    def header(self, name: str) -> str | None:
        """A header's value by its name in lower case; several of the name are joined by commas."""
        values = [value for found, value in self.headers if found == name]
        return ", ".join(values) if values else None

    @property
    def length(self) -> int:
        """The bytes of body that are announced. Raises `Rejected` for text that is no number."""
        announced = self.header("content-length") or "0"
        # `int` would also read signs, blanks, underscores and other scripts' digits.
        if not (announced.isascii() and announced.isdigit() and len(announced) <= 18):
            raise Rejected(400, "Content-Length is not a number")
        return int(announced)

    async def receive(self) -> tuple[bytes, bool]:
        """The next piece of the body, and whether more will come. Raises `Disconnected`."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        self._is_read = not message.get("more_body")
        return message.get("body", b""), not self._is_read

    async def gone(self) -> None:
        """Return when the client has gone, after its whole body came."""
        with contextlib.suppress(Disconnected):
            while True:
                await self.receive()

    async def begin(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Send the head of the answer, after what is left of the body has been read."""
        # With `Expect` the client sends no body before it is asked to (RFC 9110, section 10.1.1).
        if not self._is_read and self.header("content-length") not in (None, "0") and not self.header("expect"):
            await self._discard()
        # ASGI wants the names of headers in lower case.
        encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        self.is_begun, self.status = True, status
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def send(self, piece: bytes, *, more: bool) -> None:
        """Send a piece of the answer."""
        await self._send({"type": "http.response.body", "body": piece, "more_body": more})

    async def answer(self, status: int, body: Mapping[str, object], *headers: tuple[str, str]) -> None:
        """Send a whole answer as JSON."""
        text = (json.dumps(body) + "\n").encode()
        await self.answer_whole(status, "application/json", text, *self._always, *headers)

    async def answer_whole(self, status: int, kind: str, content: bytes, *headers: tuple[str, str]) -> None:
        """Send a whole answer of that media type, which no cache may store."""
        own = [("Content-Type", kind), ("Content-Length", str(len(content))), ("Cache-Control", "no-store")]
        await self.begin(status, [*own, *headers])
        # RFC 9110, section 9.3.2: HEAD gets the same headers and no content.
        await self.send(b"" if self.method == "HEAD" else content, more=False)

    async def reject(self, rejected: Rejected) -> None:
        """Say why the request is not taken, and end the connection."""
        await self.answer(rejected.status, {"message": str(rejected)}, ("Connection", "close"), *rejected.headers)

    async def _discard(self) -> None:
        """Read the rest of the body without keeping it."""
        size = 0
        # The connection ends with the answer: a client that still sent would never read why.
        with contextlib.suppress(TimeoutError, Disconnected):
            async with asyncio.timeout(_DISCARD_SECONDS):
                while not self._is_read and size < _DISCARD_BYTES:
                    size += len((await self.receive())[0])
