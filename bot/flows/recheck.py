"""Something that verdicts rest on changed: find the open pull requests concerned and have them judged again."""

from collections.abc import Iterator, Mapping, Sequence

from agreements.store.companies import rosters
from agreements.store.companies.rosters import CompanyReach
from agreements.vault import DecryptionFailed
from bot.flows.flow_services import Services
from bot.github.ports import RepositoryPlace
from bot.job_queue import QueueName
from bot.rulebook.recorded_facts import CannotReplay, unpack
from bot.store.mailbox import lots
from bot.store.pulls import heads, posts, pull_state, review_mailbox, stored_facts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.stored_facts import PullWithFacts


def people(
    account_ids: Sequence[int], services: Services, *, queue: QueueName = "now", owner_id: int | None = None
) -> int:
    """Queue every open pull request in which any of these accounts takes part, everywhere or of one owner; how many.

    Run after a signature is stored, or after GitHub's list of members changed.
    """
    # A review that began before has either written down who takes part by then, and is found here, or reads signatures
    # and members after that: one of the two sees the other.
    with services.sessions() as session:
        found = pull_state.pulls_of(session, account_ids, owner_id=owner_id)
    queue_reviews(found, services, queue)
    return len(found)


def place(place: RepositoryPlace, owner_id: int, services: Services, *, queue: QueueName) -> int:
    """Queue every open pull request of one repository, also those that we have not met; how many. Raises HubError."""
    listed = services.hub.open_numbers(place)
    with services.sessions() as session:
        # A pull request closed between two pages of the list leaves out the first one of the next page.
        known = heads.open_pulls(session, [place.repository_id], at=services.clock())
    numbers = sorted({*listed, *(number for _, number in known)})
    for lot in lots(numbers):
        with services.sessions() as session:
            for number in lot:
                posts.post(session, services.engine, PullRequestIdentity.of(place, number, owner_id), queue=queue)
    return len(numbers)


def account(installation: int, owner_id: int, services: Services) -> int:
    """Queue every open pull request in every repository of one installation; how many. Raises HubError."""
    return sum(place(each.place, owner_id, services, queue="later") for each in services.hub.listed(installation))


def owner(owner_id: int, services: Services) -> int:
    """Queue every open pull request of an account that we began to serve; how many. Raises HubError."""
    here = [
        installation
        for installation in services.hub.installations()
        if installation.account.id == owner_id and not installation.suspended
    ]
    return (
        sum(account(installation.id, owner_id, services) for installation in here) if owner_id in services.served else 0
    )


def company(company_id: str, services: Services) -> int:
    """Queue every open pull request whose people the company's entries may touch; how many."""
    with services.sessions() as session:
        reach = rosters.reach_of(session, services.vault, company_id)
        known = set(pull_state.pulls_of(session, reach.accounts))
        # By domain and address: the stored facts hold what the commits and the people's proofs say.
        found = [pull.pull_id for pull in stored_facts.of_open(session) if _concerned(pull, known, reach, services)]
    queue_reviews(found, services, "later")
    return len(found)


def queue_reviews(pull_ids: Sequence[int], services: Services, queue: QueueName) -> None:
    """Have these judged again, lot by lot."""
    for lot in lots(pull_ids):  # A lot that a crash has repeated is judged once more, and that is all.
        with services.sessions() as session:
            for pull_id in lot:
                review_mailbox.enqueue_review(session, services.engine, pull_id, queue=queue)


def _concerned(pull: PullWithFacts, known: set[int], reach: CompanyReach, services: Services) -> bool:
    # A review that is under way may have read the company before it changed.
    if pull.pull_id in known or not pull.settled or pull.stored is None or pull.stored.head_sha != pull.head_sha:
        return True
    try:
        facts = unpack(stored_facts.decrypt(services.vault, pull.stored), services.server).facts
    except (DecryptionFailed, CannotReplay):  # Not known: one review too many is cheaper than one too few.
        return True
    return reach.touches((), set(_addresses([facts.get("commits"), facts.get("emails")])), services.server)


def _addresses(data: object) -> Iterator[str]:
    """Every address in recorded commits and proofs."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            if isinstance(value, str):
                yield from [value] if name == "email" else []  # Other texts are names and messages.
            else:
                yield from _addresses(value)
    elif isinstance(data, list):
        for value in data:
            yield from [value] if isinstance(value, str) else _addresses(value)
