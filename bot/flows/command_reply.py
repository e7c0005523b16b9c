"""The answer to a command in a comment: `eyes` when it was heard; else `confused`, and once a list of the commands."""

import structlog

from agreements.store.people import person_rows
from bot.flows import gather
from bot.flows.flow_services import Services
from bot.flows.publishing import published_items
from bot.flows.publishing.review_publisher import language
from bot.github.ports import HubError, PullRequestSnapshot, RepositoryPlace
from bot.report import comment_commands
from bot.report.check_run import Language
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store import inbox
from bot.store.pulls import review_mailbox
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.webhook import events

# In place of a head: the comment about the verdict has none either.
_ANSWER, _PRESS = "commands", "press"

log = structlog.get_logger()


def react_to_command(guid: str, services: Services) -> None:
    """React to the comment behind a stored delivery, unless in shadow mode; a failure is logged, not retried."""
    with services.sessions() as session:
        stored = inbox.ids(session, guid, also_done=True)  # The review may be quicker, and have settled the delivery.
    event = events.from_ids(stored) if stored else None
    if not isinstance(event, events.CommandGiven):
        return
    _follow_login(event, services)
    try:
        if event.repository.owner_id in services.served:
            place = gather.place_of(event)
            if not _is_quiet(place, event.number, services):
                services.hub.react(place, event.comment_id, "confused" if event.handling == "reply" else "eyes")
                if event.handling == "reply":
                    explain(event, place, services)
    except HubError as error:
        log.warning("answer.not-given", delivery=guid, **events.subject(event), why=str(error))


def _follow_login(event: events.CommandGiven, services: Services) -> None:
    # A person who joins is called as GitHub says now. Not done on storing the delivery: that never waits for the log.
    with services.change() as context:
        session = context.session
        pull = review_mailbox.find(session, event.repository.id, event.number)
        if event.handling == "join" and pull is not None and pull.open:
            is_new = person_rows.follow_login(context, event.sender)
            if is_new and pull.id is not None:  # The review may have begun, and names whom it found.
                review_mailbox.enqueue_review(session, services.engine, pull.id, queue="now")


def explain(event: events.CommandGiven, place: RepositoryPlace, services: Services) -> None:
    """Say which commands there are, once on each open pull request that we know. Raises HubError."""
    with services.sessions() as session:
        pull = review_mailbox.find(session, place.repository_id, event.number)
    if pull is None or pull.id is None or not pull.open:
        return
    item = PullRequestItem(pull.id, "comment", _ANSWER)
    if published_items.known(item, services) is not None:  # Told once: a list for each mistyped command is noise.
        return
    snapshot = gather.fetch_snapshot(place, event.number, services)
    body = comment_commands.body(_language(gather.rulebook(snapshot, services), snapshot))
    writer = published_items.comment_writer(place, event.number, body, comment_commands.MARKER, services.hub)
    published_items.put(item, writer, services, hold=lambda: None)


def refuse_press(
    snapshot: PullRequestSnapshot, rulebook: Rulebook | RulebookProblem, services: Services, *, is_too_old: bool
) -> None:
    """Say that the last press of "I answer for this" does not count, and who may: in one comment. Raises HubError."""
    place, number = snapshot.place, snapshot.number
    with services.sessions() as session:
        pull = review_mailbox.find(session, place.repository_id, number)
    if pull is None or pull.id is None or snapshot.state != "open":
        return
    body = comment_commands.refused_press(_language(rulebook, snapshot), is_too_old=is_too_old)
    writer = published_items.comment_writer(place, number, body, comment_commands.PRESS_MARKER, services.hub)
    published_items.put(PullRequestItem(pull.id, "comment", _PRESS), writer, services, hold=lambda: None)


def _language(rulebook: Rulebook | RulebookProblem, snapshot: PullRequestSnapshot) -> Language:
    choice = rulebook.rules.comment_language if isinstance(rulebook, Rulebook) else "auto"
    return language(choice, snapshot)


def _is_quiet(place: RepositoryPlace, number: int, services: Services) -> bool:
    with services.sessions() as session:
        pull = review_mailbox.find(session, place.repository_id, number)
    if pull is not None and pull.evaluated_at is not None:  # As the rules said at the last review.
        return pull.quiet
    snapshot = gather.fetch_snapshot(place, number, services)
    return gather.is_quiet(snapshot.place, snapshot.rule_files, gather.rulebook(snapshot, services), services)
