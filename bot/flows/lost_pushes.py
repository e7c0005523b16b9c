"""Pushes to protected branches whose webhook never came: GitHub shows another head than the one that was seen last."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import NAMESPACE_OID, uuid5

import structlog

from bot.flows.flow_services import Services
from bot.flows.redelivery import CLOCK_DIFFERENCE
from bot.github.ports import HubError, InstallationRepository, Missing, Refused
from bot.store import inbox
from bot.store.inbox import ReviewDelivery
from bot.store.pulls import repository_heads
from bot.webhook.events import BranchPushed, EventRepository, ids
from bot.webhook.payload import GROUP_BRANCHES, ORGANIZATION_REPOSITORY

log = structlog.get_logger()


def queue(listed: Sequence[InstallationRepository], owner_id: int, services: Services) -> int:
    """Queue the lost pushes as if their webhooks had come; their number. Raises HubError."""
    with services.sessions() as session:
        known = repository_heads.compared_at(session, [repository.place.repository_id for repository in listed])
    pushed = [(repository, repository.pushed_at, known.get(repository.place.repository_id)) for repository in listed]
    # A repository without a push since then costs no call.
    news = [repository for repository, last, compared in pushed if last and (compared is None or last >= compared)]
    queued, problem = 0, None
    for repository in news:
        try:
            queued += _compare(repository, owner_id, services)
        except HubError as error:  # The others are compared all the same.
            problem = error
    if problem is not None:
        raise problem
    return queued


def _compare(listed: InstallationRepository, owner_id: int, services: Services) -> int:
    place, now = listed.place, services.clock()
    try:
        heads = services.hub.protected_heads(place)
        with services.sessions() as session:
            before = repository_heads.find(session, place.repository_id)
        lost = [*_lost(listed, heads, before, owner_id, services)]
    except (Missing, Refused) as error:  # It is gone, or taken from the App.
        log.warning("sweep.branches-not-compared", repository=place.full_name, why=str(error))
        return 0
    # The head of a lost push becomes known when its commits were compared: nothing stands for them until then.
    created = {push.branch for push in lost if not push.before}
    seen = {branch: before.heads.get(branch, sha) for branch, sha in heads.items() if branch not in created}
    arrivals = [ReviewDelivery(guid=_guid(push, now), event="push", ids=ids(push), urgent=False) for push in lost]
    with services.sessions() as session:
        repository_heads.compared(session, place.repository_id, seen, at=now - CLOCK_DIFFERENCE)
        stored = inbox.store(session, arrivals, at=now)
        new = [delivery for delivery, is_new in zip(arrivals, stored, strict=True) if is_new]
        inbox.queue(session, services.engine, new)
    if new:
        log.info("sweep.lost-pushes-found", repository=place.full_name, pushes=len(new))
    return len(new)


def _lost(
    listed: InstallationRepository,
    heads: dict[str, str],
    before: repository_heads.RepositoryHeads,
    owner_id: int,
    services: Services,
) -> Iterator[BranchPushed]:
    place = listed.place
    for branch, sha in heads.items():
        old = before.heads.get(branch, "")
        if old == sha or branch.startswith(GROUP_BRANCHES):  # A group was judged before it is merged.
            continue
        # A branch may also have become protected since: what it held by then was not promised to be judged.
        if not old and (
            before.compared_at is None or not services.hub.is_created_since(place, branch, before.compared_at)
        ):
            continue
        is_default = branch == listed.branch
        yield BranchPushed(
            installation=place.installation,
            repository=EventRepository(place.repository_id, owner_id, place.owner, place.name),
            branch=branch,
            default_branch=listed.branch,
            before=old,
            after=sha,
            rules=is_default,  # They may have changed.
            whole_owner=is_default and place.name.lower() == ORGANIZATION_REPOSITORY,
        )


def _guid(push: BranchPushed, at: datetime) -> str:
    # The same lost push is one delivery a day, however many sweeps find it: GitHub may refuse to compare it today.
    words = (push.repository.id, push.branch, push.before, push.after, f"{at:%Y-%m-%d}")
    return str(uuid5(NAMESPACE_OID, " ".join(map(str, words))))
