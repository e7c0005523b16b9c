"""Typed event → delivery: which pull request it is about, who pushed, how urgent it is; stored with its job."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from sqlmodel import Session

from agreements.rules import Labels
from bot import events
from bot.engine.port import Engine, Job
from bot.store import heads, inbox, license_checks, pulls, questions, verdicts
from bot.store.inbox import Arrival
from bot.store.license_checks import Head

PAUSE = timedelta(seconds=10)
"""A pull request is judged again by command at most once in this time."""
_PAIR = frozenset({Labels().signed, Labels().required})
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_CALM = frozenset({"labeled", "unlabeled"})
"""What people do to a pull request by the dozen, and what our own labels send back to us: no one waits for the answer."""


def accept(session: Session, engine: Engine, event: events.Event, *, guid: str, name: str, at: datetime) -> bool:
    """Store the delivery and its job in the session's transaction; False when it was known already."""
    if isinstance(event, events.CommandGiven) and event.command in ("exempt", "override"):
        event = replace(event, head_sha=_judged_head(session, event))
        return inbox.accept(session, engine, _arrival(event, guid, name), at=at)
    arrival = _arrival(event, guid, name)
    if isinstance(event, events.CommandGiven) and event.command == "unknown":
        return _unknown(session, engine, arrival, at)
    if isinstance(event, events.CommandGiven):
        return _command(session, engine, event, arrival, at)
    if isinstance(event, events.PullRequestChanged) and _is_no_news(session, event):
        arrival = _without_review(arrival)
    new = inbox.accept(session, engine, arrival, at=at)
    if new and isinstance(event, events.CheckRerequested) and arrival.number is not None:
        _rerun(session, engine, event, arrival.number)
    return new


def marker(repository_id: int, number: int) -> str:
    """What tells our check run and our comment on a pull request from any other, together with their author."""
    return f"countersign:{repository_id}:{number}"


def licenses_marker(repository_id: int, number: int) -> str:
    """The same for the run that is about licences."""
    return f"{marker(repository_id, number)}:licenses"


def is_about_licenses(external_id: str | None) -> bool:
    """Whether a run with that external id is about licences; of whose repository is for its sender to be asked."""
    words = (external_id or "").split(":")
    return len(words) == 4 and words[0] == "countersign" and words[3] == "licenses"


def _command(session: Session, engine: Engine, event: events.CommandGiven, arrival: Arrival, at: datetime) -> bool:
    """Judge again and answer with a reaction; too soon after the last command only the reaction is given."""
    soon = inbox.commanded(session, arrival.repository_id, event.number, since=at - PAUSE)
    new = inbox.accept(session, engine, _without_review(arrival) if soon else arrival, at=at)
    if not new:
        return False
    engine.enqueue(session, Job("answer", (arrival.guid,)))
    pull = pulls.find(session, arrival.repository_id, event.number)
    if pull is not None and not soon:
        license_checks.again(session, engine, Head(pull.repository_id, pull.head_sha), queue="now")
    if pull is not None and pull.id is not None and event.command == "why":
        questions.ask(session, pull.id)
        if soon:  # what was asked gets its answer, only not at once
            pulls.touch(session, engine, pull.id, queue="later", delay=PAUSE)
    return True


def _unknown(session: Session, engine: Engine, arrival: Arrival, at: datetime) -> bool:
    """Nothing is judged, and a command that follows at once does not wait; only a reaction says that it was none."""
    new = inbox.accept(session, engine, arrival, at=at)
    if new:
        engine.enqueue(session, Job("answer", (arrival.guid,)))
    return new


def _is_no_news(session: Session, event: events.PullRequestChanged) -> bool:
    """True when a label event is our own deed coming back, or about a label that decides nothing here."""
    pull = pulls.find(session, event.repository.id, event.number) if event.action in _CALM else None
    if pull is None:
        return False
    ours, named = pull.label.lower(), event.label.lower()
    if named not in {*_PAIR, ours}:
        return not pull.by_labels
    return (named == ours) == (event.action == "labeled")


def _judged_head(session: Session, event: events.CommandGiven) -> str:
    """The head that was judged last; "" when none was."""
    pull = pulls.find(session, event.repository.id, event.number)
    said = verdicts.latest(session, pull.id) if pull is not None and pull.id is not None else None
    return said.head_sha if said else ""


def _rerun(session: Session, engine: Engine, event: events.CheckRerequested, number: int) -> None:
    """Whoever presses "Re-run" wants to see the run written anew, also when nothing changed, by all whom it speaks for."""
    named = pulls.find(session, event.repository.id, number)
    if named is not None and named.id is not None:
        heads.write_anew(session, named.id)
    for pull_id in pulls.by_head(session, event.repository.id, event.head_sha):
        if named is None or pull_id != named.id:
            heads.write_anew(session, pull_id)
            pulls.touch(session, engine, pull_id, queue="now")


def _without_review(arrival: Arrival) -> Arrival:
    return Arrival(
        guid=arrival.guid,
        event=arrival.event,
        action=arrival.action,
        repository_id=arrival.repository_id,
        ids=arrival.ids,
    )


def _arrival(event: events.Event, guid: str, name: str) -> Arrival:
    stored = events.ids(event)
    if isinstance(event, events.AuthorizationRevoked | events.InstallationChanged):
        return Arrival(guid=guid, event=name, action=getattr(event, "action", ""), ids=stored, urgent=False)
    action = getattr(event, "action", "")
    number, pushed = _pull_request(event), isinstance(event, events.PullRequestChanged) and event.after is not None
    return Arrival(
        guid=guid,
        event=name,
        action=action,
        installation_id=event.installation,
        repository_id=event.repository.id,
        owner_id=event.repository.owner_id,
        owner=event.repository.owner,
        name=event.repository.name,
        number=number,
        sender=event.sender if isinstance(event, events.PullRequestChanged) and pushed else None,
        after=event.after if isinstance(event, events.PullRequestChanged) else None,
        before=event.before if isinstance(event, events.PullRequestChanged) else "",
        ids=stored,
        urgent=not isinstance(event, events.RulebookPushed | events.RepositoryMoved) and action not in _CALM,
    )


def _pull_request(event: events.Event) -> int | None:
    """The number of the pull request that the event is about, if it is about just one."""
    match event:
        case events.CommandGiven(command="exempt" | "override"):
            return None  # the flow looks first; whatever it records has the pull request judged again
        case events.CommandGiven(command="unknown"):
            return None
        case events.PullRequestChanged() | events.CommandGiven():
            return event.number
        case events.CheckRerequested(external_id=str(external_id), repository=repository):
            words = external_id.split(":")
            ours = len(words) == 3 and words[:2] == ["countersign", str(repository.id)]
            return int(words[2]) if ours and _NUMBER.fullmatch(words[2]) else None
        case _:
            return None
