"""How GitHub answers, as Prometheus reads it: the state of each breaker and what is left of each limit, from memory."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.github.availability import GitHubState

_STATES: Final = {"healthy": 0, "failing": 1, "open": 2}


class GitHubNumbers(Collector):
    """Reads what the breakers know when it is asked; GitHub itself is not."""

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
