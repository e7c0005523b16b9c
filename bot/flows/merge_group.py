"""The check of a merge queue's group: each pull request in it is judged by its own commits, the worst one counts."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import structlog
from structlog.contextvars import bound_contextvars

from bot.flows import gather, journey
from bot.flows.flow_services import Services
from bot.flows.gather import is_quiet_at
from bot.flows.journey import Journey, LostClaim, NotAnswered
from bot.flows.publishing import published_items
from bot.flows.publishing.review_publisher import NAME
from bot.github.merge_queue import QueueEntry, in_group
from bot.github.ports import CheckRun, HubError, RepositoryPlace, Unsupported
from bot.report import merge_group_text as report
from bot.report.check_run import CheckText
from bot.report.merge_group_text import MemberLine
from bot.store import merge_groups
from bot.store.merge_groups import MERGE_GROUPS, GroupClaim, GroupRun, MergeGroupKey
from bot.store.pulls import group_members
from bot.store.pulls.group_members import Member
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.retry_policy import MIN_RECHECK, recheck_delay
from bot.telemetry import metrics
from bot.webhook import events, external_ids

# So long a group may be in progress without an answer: GitHub keeps the queue waiting for it.
ANSWER_TIMEOUT: Final = timedelta(minutes=10)

log = structlog.get_logger()


def record_event(event: events.MergeGroupChanged, services: Services) -> None:
    """Have a group judged that GitHub made, or leave one alone that it gave up."""
    place = gather.place_of(event)
    if event.repository.owner_id not in services.served:
        return
    # An Enterprise Server sends no event for groups: their branches tell of them.
    if event.by_push and not services.server.is_enterprise_server:
        return
    group, now = MergeGroupKey(place.repository_id, event.head_sha), services.clock()
    # A group has many pull requests, or none yet: the number is not used.
    where = PullRequestIdentity.of(place, 0, event.repository.owner_id)
    with services.sessions() as session:
        # A later push of the same commit is no new request.
        if event.by_push and not event.destroyed and merge_groups.known(session, [group]):
            return
        if event.destroyed:
            merge_groups.destroyed(session, group, where, event.branch, at=now)
        else:
            merge_groups.requested(session, services.engine, group, where, event.branch, at=now)


def judge(claim: GroupClaim, services: Services) -> None:
    """Judge the newest state of one group; safe to run twice, late or beside itself."""
    with bound_contextvars(repository=_place(claim).full_name, head=claim.group.head_sha):
        Journey(
            name="merge-group",
            about={},
            judge=lambda: _judge(claim, services),
            show_doubt=lambda why: _show_doubt(claim, services, why),
            give_up=lambda why, wait: journey.give_up(MERGE_GROUPS, claim, services, why, wait),
            write_anew=lambda: _write_anew(claim.group, services),
        ).run()


def _judge(claim: GroupClaim, services: Services) -> None:
    place = _place(claim)
    if not claim.is_alive or claim.row.owner_id not in services.served or is_quiet_at(place, services):
        return _finish(claim, services)
    try:
        queue = services.hub.merge_queue(place, claim.row.branch)
    except Unsupported as error:  # No other try will tell more.
        _put(claim, place, services, report.not_offered(str(error)), "action_required")
        return _finish(claim, services)
    heads = _heads(in_group(queue.entries, claim.group.head_sha))
    with services.sessions() as session:
        where = PullRequestIdentity.of(queue.place, 0, claim.row.owner_id)
        members = group_members.members(
            session, services.engine, where, heads, requested_at=claim.requested_at, at=services.clock()
        )
        merge_groups.keep_members(session, claim.group, queue.place, heads)
    conclusion = report.worst([member.conclusion for member in members])
    waited = max(0.0, (services.clock() - claim.requested_at).total_seconds())
    log.info(
        "merge-group.judged",
        pulls=[member.number for member in members],
        conclusion=conclusion.value if conclusion else None,
        waited=round(waited, 3),
    )
    text = report.group_text([_line(member, queue.place, services) for member in members])
    if conclusion is not None:
        _put(claim, queue.place, services, text, conclusion.value)
        metrics.VERDICTS.labels("merge-group", conclusion.value).inc()
        metrics.VERDICT_SECONDS.labels("merge-group").observe(waited)
        return _finish(claim, services)
    return _wait(claim, queue.place, services, members, text)


def _heads(entries: Sequence[QueueEntry]) -> dict[int, str]:
    if not entries:  # GitHub may show the queue a moment later.
        raise NotAnswered("the merge queue has no entry for this commit")
    heads = {entry.number: entry.pull_head_sha for entry in entries if entry.number is not None and entry.pull_head_sha}
    if len(heads) != len(entries):  # A pull request that is left out would be merged unchecked.
        raise NotAnswered("the merge queue does not show all of its pull requests")
    return heads


def _wait(
    claim: GroupClaim, place: RepositoryPlace, services: Services, members: Sequence[Member], text: CheckText
) -> None:
    now = services.clock()
    since = _waiting_since(claim, services)
    if now - since < ANSWER_TIMEOUT:  # Each missing verdict has the group judged again.
        _put(claim, place, services, text, None)
        return _finish(claim, services, again_at=now + MIN_RECHECK)
    member = next(member for member in members if member.conclusion is None)
    why = f"pull request #{member.number} has not been checked yet" + (f" ({member.why})" if member.why else "")
    _put(claim, place, services, report.not_known(why, since=since), "action_required")
    return _finish(claim, services, again_at=now + recheck_delay(now - since))


def _show_doubt(claim: GroupClaim, services: Services, why: str) -> None:
    since = _waiting_since(claim, services)
    place = _place(claim)
    with suppress(HubError):  # A failure to show it changes nothing: the group is tried again.
        if is_quiet_at(place, services):
            return
        if services.clock() - since < ANSWER_TIMEOUT:
            _put(claim, place, services, report.not_known(why), None)
        else:
            _put(claim, place, services, report.not_known(why, since=since), "action_required")


def _put(
    claim: GroupClaim,
    place: RepositoryPlace,
    services: Services,
    text: CheckText,
    conclusion: published_items.Shown | None,
) -> None:
    run = CheckRun(
        name=NAME,
        head_sha=claim.group.head_sha,
        external_id=external_ids.of_merge_group(claim.group.repository_id),
        details_url="",
        title=text.title,
        summary=text.summary,
        text=text.text,
        conclusion=conclusion,
    )
    published_items.put(
        GroupRun(claim.group),
        published_items.check_writer(place, run, services.hub),
        services,
        hold=lambda: journey.hold(MERGE_GROUPS, claim, services),
        since=claim.requested_at,
    )


def _line(member: Member, place: RepositoryPlace, services: Services) -> MemberLine:
    return MemberLine(
        member.number, member.conclusion, f"{services.url}/pr/{place.full_name}/{member.number}", member.why
    )


def _place(claim: GroupClaim) -> RepositoryPlace:
    return RepositoryPlace(claim.row.installation_id, claim.row.owner, claim.row.name, claim.group.repository_id)


def _waiting_since(claim: GroupClaim, services: Services) -> datetime:
    with services.sessions() as session:
        return merge_groups.waiting_since(session, claim.group, at=services.clock())


def _finish(claim: GroupClaim, services: Services, *, again_at: datetime | None = None) -> None:
    now = services.clock()
    with services.sessions() as session:
        if not MERGE_GROUPS.finish(session, services.engine, claim, at=now, again_at=again_at):
            raise LostClaim
        if again_at is None:  # Else the person still waits since the first time.
            merge_groups.answered(session, claim.group)


def _write_anew(group: MergeGroupKey, services: Services) -> None:
    with services.sessions() as session:
        merge_groups.again(session, services.engine, group)
