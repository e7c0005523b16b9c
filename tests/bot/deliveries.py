"""One delivery at a time, for tests that need one stored."""

from bot.store import inbox
from bot.store.pulls.posts import PullRequestIdentity
from bot.webhook import ingest
from bot.webhook.ingest import ReceivedDelivery


def pull_request(repository_id, number, **others):
    """A pull request by what tells it from others; where it is, and whose, is made up."""
    known = {"installation_id": 1, "owner_id": 2, "owner": "cann", "name": "ge"}
    return PullRequestIdentity(repository_id=repository_id, number=number, **{**known, **others})


def store(session, engine, arrival, *, at):
    """Store it with its job; False when it is known already."""
    (new,) = inbox.store(session, [arrival], at=at)
    if new:
        inbox.queue(session, engine, [arrival])
    return new


def accept(session, engine, event, *, guid, name, at):
    """The same for an event as it came in."""
    return ingest.accept_all(session, engine, [ReceivedDelivery(event, guid, name)], at=at)[0]
