"""GET /metrics: the numbers of this process and how GitHub answers, read from memory, for callers who may have them."""

import hmac
import ipaddress
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.github.availability import GitHubState
from bot.server.exchange import Exchange, Rejected
from bot.telemetry import metrics

_STATES: Final = {"healthy": 0, "failing": 1, "open": 2}


class GitHubNumbers(Collector):
    """Reads the state of the circuit breakers at each scrape; GitHub is not asked."""

    def __init__(self, states: Callable[[], Sequence[GitHubState]]) -> None:
        self._states = states

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Both families; an installation is there from its first call on."""
        circuits = GaugeMetricFamily(
            "countersign_github_circuit_state",
            "Whether calls are sent: 0 healthy, 1 failing, 2 open (GitHub is left alone).",
            labels=("scope", "installation"),
        )
        remaining = GaugeMetricFamily(
            "countersign_github_rate_limit_remaining",
            "Calls that the installation has left in this hour, as GitHub said last.",
            labels=("installation",),
        )
        for state in self._states():
            number = "" if state.installation is None else str(state.installation)
            circuits.add_metric((state.scope, number), _STATES[state.condition])
            if number and state.remaining is not None:
                remaining.add_metric((number,), state.remaining)
        yield circuits
        yield remaining


_FORWARDED: Final = frozenset(
    {"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"}
)
"""The headers that a reverse proxy adds: the caller behind a proxy is not known."""


class MetricsEndpoint:
    """Answers callers who bring the token; without one, private addresses that ask directly, such as Prometheus' own."""

    def __init__(self, token: str, *more: Collector) -> None:
        """`more` are further collectors."""
        self._more = more
        self._token = token.encode()

    async def __call__(self, exchange: Exchange) -> None:
        """Answer 200 with Prometheus' text format. Raises `Rejected`."""
        if exchange.method not in ("GET", "HEAD"):
            raise Rejected(405, "only to be read", ("Allow", "GET, HEAD"))
        if self._token:
            scheme, _, given = (exchange.header("authorization") or "").partition(" ")
            # In constant time: an early end would tell how much of a guess is right.
            is_right = hmac.compare_digest(given.strip().encode("latin-1"), self._token)
            if not is_right or scheme.lower() != "bearer":  # A scheme's case does not count (RFC 9110, section 11.1).
                raise Rejected(401, "send COUNTERSIGN_METRICS_TOKEN as a bearer token", ("WWW-Authenticate", "Bearer"))
        elif not _is_private(exchange):
            raise Rejected(
                403, "only for private addresses that ask directly; set COUNTERSIGN_METRICS_TOKEN for others"
            )
        await exchange.answer_whole(200, metrics.CONTENT_TYPE, metrics.exposition(*self._more))


def _is_private(exchange: Exchange) -> bool:
    if any(name in _FORWARDED for name, _ in exchange.headers):
        return False  # The address is the proxy's, not the caller's.
    try:
        address = ipaddress.ip_address((exchange.scope.get("client") or ("",))[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)  # A socket for IPv6 shows 10.0.0.1 as `::ffff:10.0.0.1`.
    return (mapped or address).is_private
