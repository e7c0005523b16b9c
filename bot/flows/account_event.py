"""Handles deliveries that are not about one pull request: an installation, a rulebook, a rename, a re-run of a whole suite."""

from typing import Final

import structlog
from structlog.contextvars import bound_contextvars

from agreements.facts import Account
from bot.flows import gather, journey, merge_group, pushed_commits, recheck
from bot.flows.flow_services import Services
from bot.flows.override_commands import override, vouch_by_button
from bot.github.ports import HubError, Missing
from bot.job_queue import Job
from bot.store import inbox, merge_groups, portal_sessions
from bot.store.license_checks import Head
from bot.store.merge_groups import MergeGroupKey
from bot.store.pulls import commit_findings, heads, pull_state, review_mailbox, visibility
from bot.store.retry_policy import MAX_QUICK_RETRIES, RetryDelay, retry_delay
from bot.telemetry import tracing
from bot.telemetry.logs import where
from bot.webhook import events, external_ids
from bot.webhook.ingest import LABEL_ACTIONS
from bot.webhook.payload import Payload

# With the delays of `bot.store.retry_policy`, mostly an hour, some twelve days.
MAX_TRIES = 300
_REACHES_MORE: Final = frozenset({"created", "unsuspend", "new_permissions_accepted", "repositories_added"})

log = structlog.get_logger()


def handle_event(guid: str, services: Services) -> None:
    """Do what a stored delivery asks; safe to run twice. Tries again by itself while GitHub is away."""
    with services.sessions() as session:
        stored = inbox.ids(session, guid)
    if stored is not None:
        about = events.of_stored(stored)
        with bound_contextvars(delivery=guid, **about), tracing.job("event", [guid], about):
            _try(guid, stored, services)


def _try(guid: str, stored: Payload, services: Services) -> None:
    try:
        _act(events.from_ids(stored), guid, services)
    except HubError as error:
        log.warning("event.postponed", why=str(error))
        _postpone(guid, str(error), services, journey.wait_for(error), is_gone=isinstance(error, Missing))
    except Exception as error:  # noqa: BLE001 - every failure is a reason to try again
        log.error("event.failed", why=type(error).__name__, at=where(error))  # noqa: TRY400 - a trace may hold values
        _postpone(guid, f"internal error ({type(error).__name__})", services)
    else:
        with services.sessions() as session:
            inbox.done(session, guid)
        action = stored.get("action")
        log_line = log.debug if action in LABEL_ACTIONS else log.info
        log_line("event.done", kind=stored.get("kind"), action=action)


def _postpone(
    guid: str, why: str, services: Services, wait: RetryDelay | None = None, *, is_gone: bool = False
) -> None:
    with services.sessions() as session:
        tries = inbox.tried(session, guid, why)
        # Missing for longer than a move takes: the App was uninstalled, or the repository deleted. Nothing is left to do.
        if is_gone and tries > MAX_QUICK_RETRIES:
            inbox.done(session, guid)
            return
        if tries >= MAX_TRIES:  # Left for an operator to see.
            inbox.failed(session, guid)
            log.error("event.given-up", why=why)
            return
        services.engine.enqueue(session, Job("event", (guid,), "later", wait.delay if wait else retry_delay(tries)))


def _act(event: events.Event, guid: str, services: Services) -> None:
    match event:
        case events.RulebookPushed() | events.BranchPushed():
            _pushed(event, guid, services)
        case events.InstallationChanged():
            _installation(event, services)
        case events.RepositoryMoved() | events.RepositoryDeleted():
            _repository(event, services)
        case events.CommandGiven(handling="record"):
            override(event, services)
        case events.VouchPressed():
            vouch_by_button(event, services)
        case events.CheckRerequested(paced=True):
            pass  # Too soon after the last one, or about no pull request.
        case events.CheckRerequested(external_id=external_id) if external_ids.is_about_licenses(external_id):
            _licenses_again(event, services)
        case events.CheckRerequested():
            _head_again(event, services)
        case events.MergeGroupChanged():
            merge_group.record_event(event, services)
        case _:
            _of_a_person(event, services)


def _of_a_person(event: events.Event, services: Services) -> None:
    match event:
        case events.MembershipChanged():
            # Whether the rules exempt members is for each review to read, and who is one to ask GitHub.
            if event.owner.id in services.served:
                recheck.people([event.account_id], services, owner_id=event.owner.id)
        case events.AuthorizationRevoked():
            with services.sessions() as session:
                # Revoked at GitHub: sessions that rest on it end, too.
                portal_sessions.end_of(session, event.account_id)
        case _:
            pass


def _installation(event: events.InstallationChanged, services: Services) -> None:
    if event.action in _REACHES_MORE:
        _account(event.installation, event.account.id, services)
        return
    # The App is gone, is suspended, or lost repositories. There are no tokens to be deleted.
    only = [each.id for each in event.repositories] if event.action == "repositories_removed" else None
    with services.sessions() as session:
        # It may come late: a newer installation may be there by now.
        visibility.lost_installation(session, event.installation, event.account.id, at=services.clock(), only=only)


def _repository(event: events.RepositoryMoved | events.RepositoryDeleted, services: Services) -> None:
    now = event.repository
    with services.sessions() as session:
        if isinstance(event, events.RepositoryDeleted):
            visibility.lost_repository(session, now.id, at=services.clock())
        else:
            pull_state.moved(
                session, now.id, owner_id=now.owner_id, owner=now.owner, name=now.name, private=event.private
            )
            commit_findings.moved(session, now.id, owner=now.owner, name=now.name)
    if event.whole_owner or isinstance(event, events.RepositoryMoved):
        # Another name or owner may be under other rules, and the pages of a public repository are to be seen.
        _under_other_rules(event, services)


def _head_again(event: events.CheckRerequested, services: Services) -> None:
    _licenses_again(event, services)
    pushed_commits.check_again(event, services)
    with services.sessions() as session:
        merge_groups.again(session, services.engine, MergeGroupKey(event.repository.id, event.head_sha))
        for pull_id in review_mailbox.by_head(session, event.repository.id, event.head_sha):
            heads.write_anew(session, pull_id)
            review_mailbox.enqueue_review(session, services.engine, pull_id, queue="now")


def _licenses_again(event: events.CheckRerequested, services: Services) -> None:
    from bot.flows.licenses import check_publisher  # noqa: PLC0415 - what audits is loaded for the first licence check

    # A person who presses "Re-run" wants to see the run written anew, also when nothing changed.
    check_publisher.write_anew(Head(event.repository.id, event.head_sha), services, "now")


def _account(installation: int, owner_id: int, services: Services) -> None:
    if owner_id in services.served:
        recheck.account(installation, owner_id, services)


def _pushed(event: events.BranchPushed | events.RulebookPushed, guid: str, services: Services) -> None:
    if isinstance(event, events.BranchPushed):
        pushed_commits.queue(event, guid, services)
    if isinstance(event, events.RulebookPushed) or event.rules:
        _under_other_rules(event, services)


def _under_other_rules(
    event: events.BranchPushed | events.RulebookPushed | events.RepositoryMoved | events.RepositoryDeleted,
    services: Services,
) -> None:
    repository = event.repository
    if event.whole_owner:  # The organisation's rulebook is there.
        if not isinstance(event, events.RepositoryMoved) and repository.owner_id in services.served:
            # People sign by it from now on, also where no pull request is open that would have it read.
            owner = Account(repository.owner_id, repository.owner)
            gather.organization_rulebook(event.installation, owner, services)
        _account(event.installation, repository.owner_id, services)
    elif repository.owner_id in services.served:
        recheck.place(gather.place_of(event), repository.owner_id, services, queue="later")
