"""What a delivery is about, as the lines of the log and `countersign deliveries` name it: repository, number, head SHA."""

from typing import Any

from bot.webhook import events, external_ids
from bot.webhook.payload import BadPayload, Payload


def subject(event: events.Event) -> dict[str, Any]:
    """`repository` as owner/name, `number` and `head`; each only where the event says it."""
    repository = getattr(event, "repository", None)
    # A re-run names its pull request by the external id of our run.
    number = getattr(event, "number", None) or external_ids.number(getattr(event, "external_id", None))
    head = getattr(event, "after", None) or getattr(event, "head_sha", None)
    found = {
        "repository": f"{repository.owner}/{repository.name}" if repository is not None else None,
        "number": number,
        "head": head,
    }
    return {name: value for name, value in found.items() if value}


def of_stored(ids: Payload) -> dict[str, Any]:
    """The same of an event as it was stored; nothing of one that this release does not know."""
    try:
        return subject(events.from_ids(ids))
    except BadPayload:
        return {}
