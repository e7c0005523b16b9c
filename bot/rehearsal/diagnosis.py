"""Why a webhook did not reach our server: what GitHub has in its log of deliveries, and what to do about it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.doctor import webhook
from bot.github.deliveries import DeliveryAttempt
from bot.github.hub import Hub
from bot.github.ports import HubError, Missing
from bot.settings import Settings

_SINCE_TOLERANCE: Final = timedelta(seconds=2)
"""GitHub tells times to the second, and by more than one clock."""
_OTHER_DATABASE: Final = "Run this with the settings of the running server: COUNTERSIGN_DATABASE_URL names another database than the server's."
_LATE: Final = (
    "Look at the App's settings at GitHub (Advanced, Recent deliveries): GitHub may be late. Then run this again."
)


@dataclass(frozen=True, slots=True)
class WebhookFate:
    """What became of a webhook at GitHub: `at` is when it was sent, `said` a clause, `remedy` a sentence or more."""

    said: str
    remedy: str
    at: datetime | None = None


def attempt(hub: Hub, event: str, repository_id: int, since: datetime) -> DeliveryAttempt | None:
    """GitHub's newest attempt to send an event of that repository since then; None where there is none. Raises HubError."""
    try:
        newest = hub.newest_deliveries()
    except Missing:  # an older GitHub Enterprise Server has no such log
        return None
    found = (one for one in newest if one.event == event and one.repository_id == repository_id)
    return next((one for one in found if one.at >= since - _SINCE_TOLERANCE), None)


def sent(one: DeliveryAttempt) -> str:
    """That attempt as a clause, with the status that GitHub has for it: 502 also where nobody answered."""
    return f"{one.event} sent, {f'status {one.status}' if one.status else 'nobody answered'}"


def examine(hub: Hub, settings: Settings, event: str, repository_id: int, since: datetime) -> WebhookFate:
    """Why no such webhook of that repository since then is in our database."""
    try:
        found = attempt(hub, event, repository_id, since)
        if found is not None and found.is_accepted:
            return WebhookFate(sent(found), _OTHER_DATABASE, found.at)
        said = "GitHub lists no such delivery" if found is None else sent(found)
        at = None if found is None else found.at
        if found is None and event not in hub.registration().events:
            return WebhookFate(said, f"Subscribe the App to the event {event} in its settings (Permissions & events).")
    except HubError as error:
        return WebhookFate(f"GitHub did not say ({error})", _LATE)
    wrong = [one for one in webhook.delivered(settings, hub) if one.status == "fail"]
    return WebhookFate(said, f"{wrong[0].message} {wrong[0].remedy}" if wrong else _LATE, at)
