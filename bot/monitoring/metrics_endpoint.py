"""GET /metrics: the numbers of this process, read from memory, for whoever may have them."""

import hmac
import ipaddress
from typing import Final

from prometheus_client.registry import Collector

from bot.server.exchange import Exchange, Rejected
from bot.telemetry import metrics

_FORWARDED: Final = frozenset(
    {"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"}
)
"""What a reverse proxy adds: whoever asks through one may be anybody."""


class MetricsEndpoint:
    """With a token: for whoever brings it. Without: for private addresses that ask directly, such as Prometheus' own."""

    def __init__(self, token: str, *more: Collector) -> None:
        """`more` know numbers of their own."""
        self._more = more
        self._token = token.encode()

    async def __call__(self, exchange: Exchange) -> None:
        """200 with Prometheus' text format. Raises `Rejected`."""
        if exchange.method not in ("GET", "HEAD"):
            raise Rejected(405, "only to be read", ("Allow", "GET, HEAD"))
        if self._token:
            given = (exchange.header("authorization") or "").encode("latin-1")
            if not hmac.compare_digest(given, b"Bearer " + self._token):
                raise Rejected(401, "send COUNTERSIGN_METRICS_TOKEN as a bearer token", ("WWW-Authenticate", "Bearer"))
        elif not _is_private(exchange):
            raise Rejected(
                403, "only for private addresses that ask directly; set COUNTERSIGN_METRICS_TOKEN for others"
            )
        await exchange.answer_whole(200, metrics.CONTENT_TYPE, metrics.exposition(*self._more))


def _is_private(exchange: Exchange) -> bool:
    if any(name in _FORWARDED for name, _ in exchange.headers):
        return False
    try:
        address = ipaddress.ip_address((exchange.scope.get("client") or ("",))[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_private
