"""Asks GitHub to send failed deliveries again, which it never does by itself."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from bot.db import Sessions
from bot.flows.flow_services import Services
from bot.github.deliveries import Deliveries, DeliveryAttempt
from bot.github.ports import RepositoryPlace
from bot.store import inbox
from bot.webhook.event_parser import ROUTED

GITHUB_RETENTION: Final = timedelta(days=3)
"""How far back GitHub keeps deliveries."""
MAX_ATTEMPTS: Final = 5
"""A delivery that we refused so often will be refused again: sending it is given up."""
MAX_REDELIVERED: Final = 500
"""Deliveries sent again in one go; the sweep that follows takes the others."""
_MAX_PER_REPOSITORY: Final = 20


def redeliver(hub: Deliveries, sessions: Sessions, *, since: datetime, at: datetime) -> tuple[int, int]:
    """Send again what failed since then and did not arrive later: how many GitHub takes up, of how many that failed.

    Raises HubError.
    """
    failed = hub.failed_deliveries(max(since, at - GITHUB_RETENTION))
    return _send(failed, hub, sessions, most=MAX_REDELIVERED), len(failed)


def redeliver_of(place: RepositoryPlace, services: Services) -> int:
    """The same for the pull requests of one repository. Raises HubError."""
    failed = services.hub.failed_deliveries(services.clock() - GITHUB_RETENTION)
    mine = [one for one in failed if one.repository_id == place.repository_id and one.event == "pull_request"]
    return _send(mine, services.hub, services.sessions, most=_MAX_PER_REPOSITORY)


def _send(failed: Iterable[DeliveryAttempt], hub: Deliveries, sessions: Sessions, *, most: int) -> int:
    wanted = [one for one in failed if one.event in ROUTED and one.attempts < MAX_ATTEMPTS]
    with sessions() as session:
        arrived = inbox.arrived(session, [one.guid for one in wanted])
    lost = [one for one in wanted if one.guid not in arrived]
    if lost:  # what asks nothing of us is stored nowhere: only GitHub knows that it came when it was sent again
        taken = hub.taken_deliveries(min(one.at for one in lost))
        lost = [one for one in lost if one.guid not in taken]
    return sum(hub.redeliver(one.id) for one in lost[:most])
