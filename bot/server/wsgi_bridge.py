"""Runs Flask behind the event loop: a few threads run the WSGI application, the loop reads and sends.

A thread is held by no client that sends or reads slowly: it gets a body that is there, and
makes an answer piece by piece, each when the piece before is on its way.
"""

import asyncio
import contextvars
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from bot.server import request_body
from bot.server.exchange import Disconnected, Exchange, Rejected
from bot.server.request_body import MemoryBudget

WORKER_THREADS: Final = 8
BUFFERED_BODY_BYTES: Final = 64 * 1024
"""Bytes of a body that are read before a thread is asked; a longer one is an upload, read by its thread as far as needed."""
FORMS_BUDGET_BYTES: Final = 16 * 1024 * 1024
"""Bytes of forms that may be arriving, or waiting for a thread, at once."""
UPLOAD_SECONDS: Final = 300.0
MAX_WAITING_REQUESTS: Final = 256
"""So many requests may wait for a thread: about a second's work. A further one is refused at once."""
SEND_CHUNK_BYTES: Final = 64 * 1024
"""An answer is sent in pieces of about so many bytes."""
READ_SECONDS: Final = 30.0
"""A reader that takes no piece for so long is cut off."""
RESPONSES_BUDGET_BYTES: Final = 48 * 1024 * 1024
"""Bytes of made answers that may wait for their readers at once; over it the one that has been read for longest is cut."""

_Given = TypeVar("_Given")
Application = Callable[[dict[str, Any], Callable[..., Callable[[bytes], None]]], Iterable[bytes]]


class WsgiBridge:
    """A WSGI application as an endpoint of the event loop."""

    def __init__(
        self,
        application: Application,
        *,
        threads: int = WORKER_THREADS,
        waiting: int = MAX_WAITING_REQUESTS,
        reader_seconds: float = READ_SECONDS,
        answers: int = RESPONSES_BUDGET_BYTES,
    ) -> None:
        self._application = application
        self._reader_seconds = reader_seconds
        self._forms, self._answers = MemoryBudget(FORMS_BUDGET_BYTES), MemoryBudget(answers)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="page")
        self._most = threads + waiting
        self._beginning = 0

    async def __call__(self, exchange: Exchange) -> None:
        """Answer by the application. Raises `Rejected` before the answer begins, anything when it breaks off."""
        body = await request_body.read(exchange, self._forms, limit=BUFFERED_BODY_BYTES)
        # While an upload is being read, only its reader can tell whether the client is there.
        gone = asyncio.create_task(exchange.gone()) if body.is_whole else asyncio.get_running_loop().create_future()
        stream = io.BytesIO(body.data) if body.is_whole else io.BufferedReader(_Upload(exchange, body.data))
        try:
            await self._answer(exchange, _Call(self._application, _environ(exchange, stream)), gone)
        finally:
            gone.cancel()
            body.give_back()

    async def _answer(self, exchange: Exchange, call: "_Call", gone: asyncio.Future[None]) -> None:
        piece = await self._begin(call, gone)
        try:
            await exchange.begin(call.status, call.headers)
            while not call.is_over:
                await self._send(exchange, piece, more=True)
                piece = await self._next(call, gone)
            await self._send(exchange, piece, more=False)
        except Exception:  # CancelledError is none: when the loop ends, its threads are left alone.
            if not call.is_over:
                await self._in_thread(call, call.close)
            raise

    async def _begin(self, call: "_Call", gone: asyncio.Future[None]) -> bytes:
        """The first piece, by the first thread that is free; no answer is begun for a client that has gone."""
        # A longer queue would only hold clients until their own timeout.
        if self._beginning >= self._most:
            raise Rejected(503, "the server is busy, please try again", ("Retry-After", "5"))
        self._beginning += 1
        try:
            made = self._pool.submit(call.context.run, call.begin)
            first = asyncio.wrap_future(made)
            await asyncio.wait((first, gone), return_when=asyncio.FIRST_COMPLETED)
            # A call that a thread has begun cannot be cancelled: it is awaited, and closed at its next piece.
            if not first.done() and made.cancel():
                raise Disconnected
            return await first
        finally:
            self._beginning -= 1

    async def _next(self, call: "_Call", gone: asyncio.Future[None]) -> bytes:
        if gone.done():
            raise Disconnected
        return await self._in_thread(call, call.next)

    async def _send(self, exchange: Exchange, piece: bytes, *, more: bool) -> None:
        """Send a piece in parts: those that the server has taken count no longer in the budget."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(None) as deadline:
            share = self._answers.share(deadline)
            try:
                share.take(min(len(piece), self._answers.limit))
                for start in range(0, len(piece) or 1, SEND_CHUNK_BYTES):
                    if share.is_dropped:
                        raise TimeoutError
                    # The deadline is for each part: a slow reader that reads on is not cut off.
                    deadline.reschedule(loop.time() + self._reader_seconds)
                    await exchange.send(
                        piece[start : start + SEND_CHUNK_BYTES], more=more or start + SEND_CHUNK_BYTES < len(piece)
                    )
            finally:
                share.give_back()

    def _in_thread(self, call: "_Call", make: Callable[[], _Given]) -> asyncio.Future[_Given]:
        # What Flask binds to a request stays with it, whichever thread makes its next piece.
        return asyncio.get_running_loop().run_in_executor(self._pool, call.context.run, make)


class _Call:
    """One call of the application: its answer, piece by piece, and its end."""

    def __init__(self, application: Application, environ: dict[str, Any]) -> None:
        # An empty context: nothing of another request can be seen in it.
        self.context = contextvars.Context()
        self.status = 500
        self.headers: list[tuple[str, str]] = []
        self.is_over = False
        self._application = application
        self._environ = environ
        self._made: Iterable[bytes] = ()
        self._rest: Iterator[bytes] = iter(())

    def begin(self) -> bytes:
        """Ask the application; gives the first piece. What fails is closed."""
        try:
            self._made = self._application(self._environ, self._start)
            self._rest = iter(self._made)
            return self.next()
        except BaseException:
            self.close()
            raise

    def next(self) -> bytes:
        """The next piece; with the last one the answer is over and closed."""
        parts, size = list[bytes](), 0
        for part in self._rest:
            parts.append(part)
            size += len(part)
            if size >= SEND_CHUNK_BYTES:
                break
        else:
            self.close()
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Let the application free what it held for the answer."""
        self.is_over = True
        if close := getattr(self._made, "close", None):
            close()

    def _start(self, status: str, headers: list[tuple[str, str]], _error: object = None) -> Callable[[bytes], None]:
        self.status, self.headers = int(status.partition(" ")[0]), headers
        return _no_write  # PEP 3333 asks for a callable; Flask never calls it.


class _Upload(io.RawIOBase):
    """The body of an upload as a file for a thread: what was read, then what still comes."""

    def __init__(self, exchange: Exchange, read: bytes) -> None:
        self._exchange = exchange
        self._rest = read
        self._loop = asyncio.get_running_loop()
        self._end = self._loop.time() + UPLOAD_SECONDS
        self._more = True

    def readable(self) -> bool:
        """True: the body can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes; none at the end, also if the client ends early or is too slow: Flask sees that."""
        while not self._rest and self._more:
            self._rest, self._more = asyncio.run_coroutine_threadsafe(self._next(), self._loop).result()
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count

    async def _next(self) -> tuple[bytes, bool]:
        # Two limits: for each part, and for the whole upload, which could else last for ever byte by byte.
        within = min(request_body.TIMEOUT_SECONDS, self._end - self._loop.time())
        try:
            return await asyncio.wait_for(self._exchange.receive(), within)
        except (TimeoutError, Disconnected):
            return b"", False


def _no_write(_piece: bytes) -> None:
    raise NotImplementedError("answers are given back, never written")


def _environ(exchange: Exchange, stream: Any) -> dict[str, Any]:
    """The request as WSGI has it (PEP 3333); several headers of one name are joined."""
    scope: Mapping[str, Any] = exchange.scope
    environ: dict[str, Any] = {
        "REQUEST_METHOD": exchange.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": exchange.path.encode().decode("latin-1"),  # PEP 3333: bytes in Latin-1
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REQUEST_URI": (scope.get("raw_path") or b"").decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "REMOTE_ADDR": scope["client"][0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": stream,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in exchange.headers:
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        # RFC 6265 joins cookies by a semicolon, all other headers are joined by a comma.
        glue = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{glue}{value}" if key in environ else value
    return environ
