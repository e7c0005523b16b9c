"""More comes in than GitHub lets us write: 80 writes a minute of what creates content, which it enforces here as it documents."""

import time

from figures import Figure, quantile
from front import webhook
from place import opened
from verdicts.verdict_cost import served

from bot.demo.github.rate_limit import ContentLimit

RATE = 10
"""Pull requests opened in a second."""
LATENCY = 0.05
"""Seconds that each call to the simulated GitHub takes."""


def measure(*, quick: bool) -> list[Figure]:
    """Each pull request is of a person who did not sign. Check runs go first, then labels; comments are left to come later."""
    count = 20 if quick else 150
    with opened(latency=LATENCY) as place:
        limit = place.world.content_limit = _Counted(place.world.content_limit.clock)
        limit.enforced = True
        sent = webhook.deliveries(place, count)
        pulls = list(place.repository.pulls.values())
        with served(place, "worker", (), "paced"):
            begun = time.perf_counter()
            webhook.load(place.stage.port, sent, RATE)
            waits: dict[int, float] = {}

            def all_shown() -> bool:
                for pull in pulls:
                    if pull.number not in waits and place.completed(pull):
                        waits[pull.number] = time.perf_counter() - begun
                return len(waits) == count

            place.until(all_shown, within=600, pause=0.2)
            place.until(lambda: all(pull.labels for pull in pulls), within=600, pause=0.2)
            labelled = time.perf_counter() - begun
    return [
        Figure(
            what=f"{count} pull requests opened at {RATE}/s, at most {limit.per_minute} writes a minute: refused by GitHub",
            value=limit.refused, unit="", target="≤ 0",
        ),
        Figure(what="the same: last check run", value=max(waits.values()), unit="s", baseline=(count / limit.per_minute - 1) * 60, beside="as many writes"),
        Figure(what="the same: last label", value=labelled, unit="s"),
        Figure(what="the same: half of the check runs", value=quantile(list(waits.values()), 0.5), unit="s"),
    ]  # fmt: skip


class _Counted(ContentLimit):
    refused = 0

    def is_exceeded(self, caller: str) -> bool:
        """Whether one write more would be too many."""
        is_exceeded = super().is_exceeded(caller)
        self.refused += is_exceeded
        return is_exceeded
