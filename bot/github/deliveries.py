"""The App's webhook log at GitHub: which deliveries we did not take, and having them sent again."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from bot.github.client.transport import Json
from bot.github.ports import DeliveryAttempt, FailedDelivery, Missing, Refused
from bot.github.reading import moment, understanding
from bot.github.renames import RepositoryClient

_LOG = "/app/hook/deliveries"
MAX_TAKEN: Final = 1000
"""Ten pages: what we took before is sent once more, which does no harm."""


class GitHubDeliveries(RepositoryClient):
    """Fulfils Deliveries."""

    def failed_deliveries(self, since: datetime) -> tuple[FailedDelivery, ...]:
        """Read back to `since`; none where this GitHub has no such log (an older GitHub Enterprise Server)."""
        try:
            return _by_guid(_failures(self._pool.app().pages(_LOG, {"status": "failure"}, by_cursor=True), since))
        except Missing:
            return ()

    def taken_deliveries(self, since: datetime) -> frozenset[str]:
        """Read back to `since` or for `MAX_TAKEN` of them, whichever comes first."""
        try:
            items = self._pool.app().pages(_LOG, {"status": "success"}, by_cursor=True)
            found = list(islice(_attempts(items, since), MAX_TAKEN))
        except Missing:
            return frozenset()
        return frozenset(one.guid for one, status in found if 200 <= status < 300)

    def newest_deliveries(self) -> tuple[DeliveryAttempt, ...]:
        """The first page of the log."""
        items = self._pool.app().read(_LOG, {"per_page": 100})
        with understanding():
            return tuple(
                DeliveryAttempt(
                    id=int(item["id"]),
                    guid=str(item["guid"]),
                    event=str(item["event"]),
                    at=moment(item["delivered_at"]),
                    status=int(item["status_code"]),
                )
                for item in items
            )

    def redeliver(self, delivery_id: int) -> bool:
        """GitHub refuses what is older than three days."""
        try:
            self._pool.app().write("POST", f"{_LOG}/{delivery_id}/attempts")
        except (Missing, Refused):
            return False
        return True


def _failures(items: Iterable[Json], since: datetime) -> Iterable[FailedDelivery]:
    """An older server ignores `status`, so each status code is looked at."""
    return (one for one, status in _attempts(items, since) if not 200 <= status < 300)


def _attempts(items: Iterable[Json], since: datetime) -> Iterator[tuple[FailedDelivery, int]]:
    """Each attempt to send one with the status that it was answered with, newest first, until one is older."""
    for item in items:
        with understanding():
            found = FailedDelivery(
                id=int(item["id"]),
                guid=str(item["guid"]),
                event=str(item["event"]),
                repository_id=item["repository_id"],
                at=moment(item["delivered_at"]),
            )
            status = int(item["status_code"])
        if found.at < since:
            return
        yield found, status


def _by_guid(failures: Iterable[FailedDelivery]) -> tuple[FailedDelivery, ...]:
    found: dict[str, FailedDelivery] = {}
    for one in failures:
        newest = found.get(one.guid)
        found[one.guid] = one if newest is None else replace(newest, attempts=newest.attempts + 1)
    return tuple(sorted(found.values(), key=lambda one: one.at))
