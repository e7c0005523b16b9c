"""Something that verdicts rest on changed: find the open pull requests concerned and have them judged again."""

from collections.abc import Iterable

from sqlmodel import Session

from bot.engine.port import Engine, QueueName
from bot.flows.parts import Parts
from bot.hub.ports import Place
from bot.store import participants, pulls
from bot.store.pulls import Mailbox


def people(session: Session, engine: Engine, account_ids: Iterable[int]) -> int:
    """Queue every open pull request in which one of these accounts takes part, in the caller's transaction; how many.

    Someone is waiting for the answer, so they go before the night's work.
    """
    found = participants.pulls_of(session, tuple(account_ids))
    for pull_id in found:
        pulls.touch(session, engine, pull_id, queue="now")
    return len(found)


def place(place: Place, owner_id: int, parts: Parts, *, queue: QueueName) -> int:
    """Queue every open pull request of one repository, also those that we have not met; how many. Raises HubError."""
    numbers = parts.hub.open_numbers(place)
    with parts.sessions() as session:
        for number in numbers:
            pulls.post(session, parts.engine, _mailbox(place, number, owner_id), queue=queue)
    return len(numbers)


def account(installation: int, owner_id: int, parts: Parts) -> int:
    """Queue every open pull request in every repository of one installation; how many. Raises HubError."""
    return sum(place(each, owner_id, parts, queue="later") for each in parts.hub.repositories(installation))


def _mailbox(place: Place, number: int, owner_id: int) -> Mailbox:
    return Mailbox(
        repository_id=place.repository_id,
        number=number,
        installation_id=place.installation,
        owner_id=owner_id,
        owner=place.owner,
        name=place.name,
    )
