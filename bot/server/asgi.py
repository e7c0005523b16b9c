"""The ASGI application: what is wrong by its head is refused, health and webhook are answered here, the rest by Flask."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

import structlog

from bot.clock import monotonic
from bot.server.exchange import Disconnected, Exchange, Receive, Rejected, Scope, Send
from bot.telemetry import logs, metrics

Endpoint = Callable[[Exchange], Awaitable[None]]

log = structlog.get_logger()


class AsgiApplication:
    """Passes each request to the endpoint of its path; knows how many are being answered."""

    def __init__(
        self, endpoints: Mapping[str, Endpoint], otherwise: Endpoint, headers: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """`headers` are those of every answer that Flask does not make."""
        self._headers = tuple(headers.items())
        self._endpoints = endpoints
        self._otherwise = otherwise
        self._running = 0
        self._idle = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises the error that ends an answer midway."""
        exchange = Exchange(scope, receive, send, self._headers)
        self._running += 1
        try:
            with contextlib.suppress(Disconnected):
                await self._answer(exchange)
        finally:
            self._running -= 1
            if self.is_idle:
                self._idle.set()

    @property
    def is_idle(self) -> bool:
        """True while nothing is being answered."""
        return not self._running

    async def idle(self) -> None:
        """Return when nothing is, or was for a moment, being answered."""
        if not self.is_idle:
            # An earlier request that ended may have set it.
            self._idle.clear()
            await self._idle.wait()

    async def drained(self) -> None:
        """Return when nothing is being answered."""
        while not self.is_idle:
            await self.idle()

    async def _answer(self, exchange: Exchange) -> None:
        is_known = exchange.path in self._endpoints
        # Labels of metrics stay few: the path of a page names a repository or a company.
        name, begun = exchange.path[1:] if is_known else "page", monotonic()
        try:
            await self._examined(exchange)
        finally:
            if exchange.status:  # 0: the client left before its answer began
                metrics.HTTP_REQUESTS.labels(name, f"{exchange.status // 100}xx").inc()
                metrics.HTTP_SECONDS.labels(name).observe(monotonic() - begun)

    async def _examined(self, exchange: Exchange) -> None:
        try:
            _examine(exchange)
            await self._endpoints.get(exchange.path, self._otherwise)(exchange)
        except Rejected as rejected:
            if exchange.is_begun:  # A second head cannot be sent: the server cuts the connection
                raise
            await exchange.reject(rejected)
        except Disconnected:  # The client's doing, no failure of the server.
            raise
        except Exception as error:
            log.error("server.failed", why=type(error).__name__, at=logs.where(error))  # noqa: TRY400 - a trace may hold values
            # The server cuts the connection, so that no client takes half an answer for the whole.
            if exchange.is_begun:
                raise
            await exchange.reject(Rejected(500, "this server failed, please try again"))


async def not_here(_exchange: Exchange) -> None:
    """The answer of a process that has no pages. Raises `Rejected`."""
    raise Rejected(404, "there are no pages here")


def _examine(exchange: Exchange) -> None:
    """Refuse a request that a proxy and this server could read in two ways. Raises `Rejected`."""
    # Beside Transfer-Encoding the HTTP parser drops Content-Length; neither browsers nor GitHub send the former here.
    if exchange.header("transfer-encoding") is not None:
        raise Rejected(400, "Transfer-Encoding is not supported: send the body with Content-Length")
    # RFC 9112, section 3.2: a request with more than one Host is answered 400.
    if sum(name == "host" for name, _ in exchange.headers) > 1:
        raise Rejected(400, "more than one Host")
