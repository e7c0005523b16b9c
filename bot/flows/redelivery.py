"""The request to GitHub to send failed deliveries again, which it never does by itself."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from bot.db import Sessions
from bot.flows.flow_services import Services
from bot.github.delivery_log import DeliveryAttempt
from bot.github.hub import Hub
from bot.github.ports import Missing, RepositoryPlace
from bot.store import inbox, service_record, sweeps
from bot.webhook.event_parser import ROUTED

GITHUB_RETENTION: Final = timedelta(days=3)  # So far back GitHub keeps deliveries.
MAX_ATTEMPTS: Final = 5
"""A delivery that failed so often, and that a server refused in the end, will be refused again: it is not sent any more."""
# Bad payload, too large. Any other failure may end: the server was away, its secret or a proxy in front was wrong.
_REFUSALS: Final = frozenset({400, 413})
MAX_REDELIVERED: Final = 500  # In one sweep; the next one takes the others.
_MAX_PER_REPOSITORY: Final = 20
# When nothing has come for so long, GitHub is asked whether it sent anything that others took.
QUIET_PERIOD: Final = timedelta(hours=1)
# Between GitHub's clock and ours, and between the moment that is stored and the real one.
CLOCK_DIFFERENCE: Final = timedelta(minutes=5)


def redeliver(
    hub: Hub, sessions: Sessions, *, since: datetime, at: datetime, with_refused: bool = False
) -> tuple[int, int]:
    """Send again what failed since then and did not arrive later: how many GitHub takes up, of how many that failed.

    `with_refused` sends deliveries that were given up, too. The number of those that are lost is recorded, with those that
    were given up earlier. Raises HubError.
    """
    since = max(since, at - GITHUB_RETENTION)
    with sessions() as session:
        was_losing = bool(service_record.state(session).lost_deliveries)
    # What was sent again and failed once more has a new attempt since then. What was given up has none.
    failed = hub.failed_deliveries(at - GITHUB_RETENTION if was_losing else since)
    lost = [attempt for attempt in _lost(failed, hub, sessions) if attempt.at >= since or _is_given_up(attempt)]
    # Another server may have taken them in our place.
    guids = {attempt.guid for attempt in lost} | _taken_elsewhere(hub, sessions, at=at)
    with sessions() as session:
        service_record.lost(session, len(guids), at=at)
    recent = [attempt for attempt in lost if attempt.at >= since]
    sent = _send(recent if with_refused else _worth_sending(recent), hub, most=MAX_REDELIVERED)
    return sent, sum(attempt.at >= since for attempt in failed)


def redeliver_of(place: RepositoryPlace, services: Services) -> int:
    """The same for the pull requests of one repository. Raises HubError."""
    failed = services.hub.failed_deliveries(services.clock() - GITHUB_RETENTION)
    mine = [
        attempt
        for attempt in failed
        if attempt.repository_id == place.repository_id and attempt.event == "pull_request"
    ]
    wanted = _worth_sending(_lost(mine, services.hub, services.sessions))
    return _send(wanted, services.hub, most=_MAX_PER_REPOSITORY)


def _lost(failed: Iterable[DeliveryAttempt], hub: Hub, sessions: Sessions) -> list[DeliveryAttempt]:
    # Other events are answered without being stored: a failed one does no harm.
    wanted = [attempt for attempt in failed if attempt.event in ROUTED]
    with sessions() as session:
        arrived = inbox.arrived(session, [attempt.guid for attempt in wanted])
    lost = [attempt for attempt in wanted if attempt.guid not in arrived]
    if lost:  # An event that asks nothing is not stored: only GitHub knows that its second attempt arrived.
        taken = hub.taken_deliveries(min(attempt.at for attempt in lost))
        lost = [attempt for attempt in lost if attempt.guid not in taken]
    return lost


def _worth_sending(lost: Iterable[DeliveryAttempt]) -> list[DeliveryAttempt]:
    return [attempt for attempt in lost if not _is_given_up(attempt)]


def _is_given_up(attempt: DeliveryAttempt) -> bool:
    return attempt.attempts >= MAX_ATTEMPTS and attempt.status in _REFUSALS


def _send(wanted: Sequence[DeliveryAttempt], hub: Hub, *, most: int) -> int:
    return sum(hub.redeliver(attempt.id) for attempt in wanted[:most])


def _taken_elsewhere(hub: Hub, sessions: Sessions, *, at: datetime) -> frozenset[str]:
    with sessions() as session:
        known, restored_at = service_record.state(session), sweeps.state(session).restored_at
    # GitHub calls deliveries accepted although none came here for an hour: another server answers at our address.
    moments = [moment for moment in (known.served_since, known.delivered_at, restored_at) if moment is not None]
    if not moments or at - max(moments) < QUIET_PERIOD:
        return frozenset()
    try:
        newest = hub.newest_deliveries()
    except Missing:  # An older GitHub Enterprise Server.
        return frozenset()
    taken = {attempt.guid for attempt in newest if attempt.is_accepted and attempt.at > max(moments) + CLOCK_DIFFERENCE}
    with sessions() as session:
        return frozenset(taken - inbox.arrived(session, taken))
