"""Something that verdicts rest on changed: find the open pull requests concerned and have them judged again."""

from bot.engine.port import QueueName
from bot.flows.parts import Parts
from bot.hub.ports import Place
from bot.store import participants, pulls
from bot.store.pulls import Mailbox


def person(account_id: int, parts: Parts) -> int:
    """Queue every open pull request in which that account takes part; how many.

    Run after a signature is stored. A review that began before has either written down who takes part by then, and
    is found here, or reads the signatures after that: one of the two sees the other.
    """
    with parts.sessions() as session:
        found = participants.pulls_of(session, [account_id])
        for pull_id in found:
            # Somebody is waiting for the answer, so they go before the night's work.
            pulls.touch(session, parts.engine, pull_id, queue="now")
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
