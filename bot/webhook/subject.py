"""What a delivery is about, as the lines of the log and `countersign deliveries` name it: repository, number, head SHA."""

import re
from typing import Any, Final

from bot.webhook import events
from bot.webhook.payload import BadPayload, Payload

_OUR_RUN: Final = re.compile(r"countersign:\d+:([1-9]\d{0,8})(?::licenses)?")


def subject(event: events.Event) -> dict[str, Any]:
    """`repository` as owner/name, `number` and `head`; each only where the event says it."""
    repository = getattr(event, "repository", None)
    number = getattr(event, "number", None) or _number_of_run(event)
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


def _number_of_run(event: events.Event) -> int | None:
    """A re-run names the pull request by the external id of our run."""
    found = _OUR_RUN.fullmatch(getattr(event, "external_id", None) or "")
    return int(found[1]) if found else None
