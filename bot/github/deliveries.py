"""The App's webhook log at GitHub: which deliveries we did not take, and having them sent again."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from bot.github.client.transport import Json
from bot.github.ports import FailedDelivery, Missing, Refused
from bot.github.reading import moment, understanding
from bot.github.renames import RepositoryClient

_LOG = "/app/hook/deliveries"


class GitHubDeliveries(RepositoryClient):
    """Fulfils Deliveries."""

    def failed_deliveries(self, since: datetime) -> tuple[FailedDelivery, ...]:
        """Read back to `since`; none where this GitHub has no such log (an older GitHub Enterprise Server)."""
        try:
            return _by_guid(_failures(self._pool.app().pages(_LOG, {"status": "failure"}, by_cursor=True), since))
        except Missing:
            return ()

    def redeliver(self, delivery_id: int) -> bool:
        """GitHub refuses what is older than three days."""
        try:
            self._pool.app().write("POST", f"{_LOG}/{delivery_id}/attempts")
        except (Missing, Refused):
            return False
        return True


def _failures(items: Iterable[Json], since: datetime) -> Iterable[FailedDelivery]:
    """Newest first, until one is older; an older server ignores `status`, so each status code is looked at."""
    for item in items:
        with understanding():
            found = FailedDelivery(
                id=int(item["id"]),
                guid=str(item["guid"]),
                event=str(item["event"]),
                repository_id=item["repository_id"],
                at=moment(item["delivered_at"]),
            )
            failed = not 200 <= int(item["status_code"]) < 300
        if found.at < since:
            return
        if failed:
            yield found


def _by_guid(failures: Iterable[FailedDelivery]) -> tuple[FailedDelivery, ...]:
    found: dict[str, FailedDelivery] = {}
    for one in failures:
        newest = found.get(one.guid)
        found[one.guid] = one if newest is None else replace(newest, attempts=newest.attempts + 1)
    return tuple(sorted(found.values(), key=lambda one: one.at))
