"""Typed event → delivery: which pull request it is about, who pushed, how urgent it is; stored with its job."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby

import structlog
from sqlmodel import Session

from agreements.rulebook.rules import Labels
from bot.job_queue import Engine, Job
from bot.store import inbox
from bot.store.inbox import ReviewDelivery
from bot.store.license_checks import LICENSE_CHECKS, Head
from bot.store.pulls import (
    heads,
    paused_items,
    published_item_rows,
    pull_state,
    review_mailbox,
    verdicts,
    why_questions,
)
from bot.store.pulls.paused_items import MAX_REVERSALS, OWN_APP
from bot.store.pulls.posts import PullRequestIdentity
from bot.webhook import events, external_ids

MIN_COMMAND_INTERVAL = timedelta(seconds=10)  # A pull request is judged again by command once in it at most.
_PAIR = frozenset({Labels().signed, Labels().required})
# What becomes of these depends on what came before.
_ALONE = events.CommandGiven | events.CheckRerequested | events.CheckRunReplaced
_UNHURRIED = (
    events.BranchPushed
    | events.RulebookPushed
    | events.RepositoryMoved
    | events.RepositoryDeleted
    | events.InstallationChanged
    | events.AuthorizationRevoked
)
LABEL_ACTIONS = frozenset({"labeled", "unlabeled"})  # Set by the dozen, by us, too: no person waits for the answer.

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ReceivedDelivery:
    """A delivery whose signature is proven: the `event`, its `guid`, and the `name` that GitHub gives the event."""

    event: events.Event
    guid: str
    name: str


def accept_all(session: Session, engine: Engine, lot: Sequence[ReceivedDelivery], *, at: datetime) -> list[bool]:
    """Store deliveries and their jobs in the session's transaction, as if one by one; True for each that is new."""
    typed = [_as_judged(session, delivery.event) for delivery in lot]
    stored = [_arrival(event, delivery.guid, delivery.name) for event, delivery in zip(typed, lot, strict=True)]
    answers = inbox.store(session, stored, at=at)
    new = [pair for pair, is_new in zip(zip(typed, stored, strict=True), answers, strict=True) if is_new]
    # What becomes of a command, a re-run or a reversal depends on what came before: each is queued alone, in turn.
    groups = [(alone, list(group)) for alone, group in groupby(new, key=lambda pair: isinstance(pair[0], _ALONE))]
    # Several groups take rows in several orders: all locks first, in the order of the keys, against deadlocks.
    if len(groups) > 1:
        inbox.lock(session, [arrival for _, arrival in new])
    for alone, group in groups:
        if alone:
            for event, arrival in group:
                _queue_alone(session, engine, event, arrival, at)
        else:
            inbox.queue(session, engine, [arrival for _, arrival in group])
    return answers


def _as_judged(session: Session, event: events.Event) -> events.Event:
    # An override is about the head that was judged last when it came; "" when none was.
    if not isinstance(event, events.CommandGiven) or event.handling != "record":
        return event
    pull = review_mailbox.find(session, event.repository.id, event.number)
    said = verdicts.latest(session, pull.id) if pull is not None and pull.id is not None else None
    return replace(event, head_sha=said.head_sha if said else "")


def _queue_alone(session: Session, engine: Engine, event: events.Event, arrival: ReviewDelivery, at: datetime) -> None:
    match event:
        case events.CommandGiven(handling="judge" | "explain" | "join"):
            _command(session, engine, event, arrival, at)
            return
        case events.CheckRerequested(paced=True):
            # Our button does what the command does, as often at most. It takes no reaction, so the run is written anew.
            number = arrival.pull.number if arrival.pull is not None else 0
            soon = inbox.commanded(session, event.repository.id, number, since=at - MIN_COMMAND_INTERVAL)
            inbox.queue(session, engine, [replace(arrival, pull=None) if soon else arrival])
            if number and not soon:
                LICENSE_CHECKS.enqueue(session, engine, Head(event.repository.id, event.head_sha), queue="now")
                _rerun(session, engine, event, number)
            return
        case events.CheckRunReplaced():
            _replaced(session, engine, event, arrival, at)
            return
        case events.CommandGiven(handling="reply"):
            engine.enqueue(session, Job("answer", (arrival.guid,)))
    inbox.queue(session, engine, [arrival])
    if isinstance(event, events.CheckRerequested) and arrival.pull is not None:
        _rerun(session, engine, event, arrival.pull.number)


def _command(
    session: Session, engine: Engine, event: events.CommandGiven, arrival: ReviewDelivery, at: datetime
) -> None:
    soon = inbox.commanded(session, event.repository.id, event.number, since=at - MIN_COMMAND_INTERVAL)
    # Too soon after the last command only the reaction is given.
    inbox.queue(session, engine, [replace(arrival, pull=None) if soon else arrival])
    engine.enqueue(session, Job("answer", (arrival.guid,)))
    pull = review_mailbox.find(session, event.repository.id, event.number)
    if pull is None or pull.id is None:
        return
    if not soon:
        # Items that others kept reversing, or GitHub refused, are written again.
        if paused_items.resume(session, pull.id):
            heads.write_anew(session, pull.id)
        LICENSE_CHECKS.enqueue(session, engine, Head(pull.repository_id, pull.head_sha), queue="now")
    if event.handling == "explain":
        why_questions.ask(session, pull.id)
    elif event.handling == "join" and pull.open:
        pull_state.add_participant(session, pull.id, event.sender.id)
    if soon and event.handling != "judge":  # The question is answered, but later
        review_mailbox.enqueue_review(session, engine, pull.id, queue="later", delay=MIN_COMMAND_INTERVAL)


def _replaced(
    session: Session, engine: Engine, event: events.CheckRunReplaced, arrival: ReviewDelivery, at: datetime
) -> None:
    # Another deployment of our App wrote its verdict over ours: ours is written again, unless that was too often.
    keeper, times = heads.kept(session, event.repository.id, event.head_sha), MAX_REVERSALS
    if keeper is not None:
        published_item_rows.follow(session, keeper.pull_id, event.head_sha, remote_id=event.check_id)
        times = paused_items.count_reversal(
            session, keeper.pull_id, "check", event.head_sha, reversed_by=OWN_APP, at=at
        )
        if times < MAX_REVERSALS:
            published_item_rows.forget_digests(session, keeper.pull_id)
        elif times == MAX_REVERSALS:
            about = {"repository": f"{event.repository.owner}/{event.repository.name}", "number": keeper.number}
            log.warning("publish.reversed", **about, pull=keeper.pull_id, item="check", times=times, by=OWN_APP)
    inbox.queue(session, engine, [arrival if times < MAX_REVERSALS else replace(arrival, pull=None)])


def _is_no_news(event: events.PullRequestChanged, ours: str, by_labels: bool) -> bool:  # noqa: FBT001 - as the rows have it
    """True when a label event is our own deed coming back, or about a label that decides nothing here."""
    named = event.label.lower()
    if named not in {*_PAIR, ours.lower()}:
        return not by_labels
    return (named == ours.lower()) == (event.action == "labeled")


def _rerun(session: Session, engine: Engine, event: events.CheckRerequested, number: int) -> None:
    # Even if nothing changed: the person wants to see it written.
    named = review_mailbox.find(session, event.repository.id, number)
    if named is not None and named.id is not None:
        paused_items.resume(session, named.id)
        heads.write_anew(session, named.id)
    # Pull requests with the same head share the run.
    for pull_id in review_mailbox.by_head(session, event.repository.id, event.head_sha):
        if named is None or pull_id != named.id:
            heads.write_anew(session, pull_id)
            review_mailbox.enqueue_review(session, engine, pull_id, queue="now")


def _arrival(event: events.Event, guid: str, name: str) -> ReviewDelivery:
    stored, action = events.ids(event), getattr(event, "action", "")
    if isinstance(event, events.CheckRerequested) and event.paced:
        action = inbox.BUTTON_ACTION
    arrival = ReviewDelivery(
        guid=guid,
        event=name,
        action=action,
        pull=_pull_request(event) if isinstance(event, events.RepositoryEvent) else None,
        ids=stored,
        urgent=not isinstance(event, _UNHURRIED) and action not in LABEL_ACTIONS,
    )
    if not isinstance(event, events.PullRequestChanged):
        return arrival
    return replace(
        arrival,
        sender=event.sender if event.after is not None else None,
        after=event.after,
        before=event.before,
        is_no_news=partial(_is_no_news, event) if action in LABEL_ACTIONS else None,
    )


def _pull_request(event: events.RepositoryEvent) -> PullRequestIdentity | None:
    """The pull request that the event is about, if it is about just one."""
    number, repository = _number(event), event.repository
    if number is None:
        return None
    return PullRequestIdentity(
        repository_id=repository.id,
        number=number,
        installation_id=event.installation,
        owner_id=repository.owner_id,
        owner=repository.owner,
        name=repository.name,
    )


def _number(event: events.RepositoryEvent) -> int | None:
    match event:
        case events.CommandGiven(handling="record" | "reply"):
            return None  # The flow looks first; once it records something, the pull request is judged again
        case events.PullRequestChanged() | events.CommandGiven():
            return event.number
        case events.CheckRerequested(external_id=external_id, repository=repository):
            number = external_ids.number(external_id)
            # Any App may use such an id; one of ours names its own repository.
            is_ours = number is not None and external_id == external_ids.of_pull(repository.id, number)
            return number if is_ours else None
        case events.CheckRunReplaced(external_id=external_id):
            return external_ids.number(external_id)
        case _:
            return None
