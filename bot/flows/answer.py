"""Somebody gave a command in a comment: a reaction tells them that it was heard."""

import structlog

from bot import events
from bot.flows.parts import Parts
from bot.hub.ports import HubError, Place
from bot.store import inbox

log = structlog.get_logger()


def answer(guid: str, parts: Parts) -> None:
    """React to the comment behind a stored delivery; a courtesy, so a failure is logged and not repeated."""
    with parts.sessions() as session:
        stored = inbox.ids(session, guid, also_done=True)
    event = events.from_ids(stored) if stored else None
    if not isinstance(event, events.CommandGiven):
        return
    try:
        if event.repository.owner_id in parts.served:
            repository = event.repository
            place = Place(event.installation, repository.owner, repository.name, repository.id)
            parts.hub.react(place, event.comment_id, "eyes")
    except HubError as error:
        log.warning("answer.not-given", guid=guid, why=str(error))
