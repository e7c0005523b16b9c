"""Creates or updates one thing of ours at GitHub: the intent is stored first, so that a crash makes no second one."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Literal

import structlog
from sqlmodel import Session

from bot.flows.flow_services import Services
from bot.github.hub import Hub
from bot.github.ports import CheckRun, Missing, RepositoryPlace, Unreachable
from bot.store import sweeps
from bot.store.pulls import published_item_rows
from bot.store.pulls.published_item_rows import ConfirmedItem, KnownItem, PublishedItem
from bot.webhook.external_ids import is_same_run

log = structlog.get_logger()

# Longer than GitHub takes to make something: an older intent without an id is a crash, not another run at work.
CREATE_TIMEOUT = timedelta(seconds=20)

# So long after a restore a head, or a merge group, may still have a run that was forgotten: another pull request made
# it.
RESTORE_WINDOW = timedelta(days=30)

Shown = Literal["success", "failure", "action_required", "neutral"]  # The ends of a check run.


@dataclass(frozen=True, slots=True)
class Writer:
    """Makes, finds and updates a published item. `item` and `shows` are for the log.

    `content` is all that would be shown, for telling whether anything changed. `create` makes it, and `find` finds one
    that we made before and forgot, if any: both give GitHub's id. `update` raises `Missing` when it is gone.
    `may_make_again` is asked once what we made is gone, and was not found elsewhere: False leaves it so.
    """

    item: str
    shows: str

    content: str
    create: Callable[[], int]
    update: Callable[[int], None]
    find: Callable[[], int | None]
    may_make_again: Callable[[], bool] = lambda: True


def check_writer(place: RepositoryPlace, run: CheckRun, hub: Hub) -> Writer:
    """Our App's check run on a head, known by its external id: on a shared head by that of any of its pull requests."""
    return Writer(
        item="check-run",
        shows=run.conclusion or "in_progress",
        content=repr(run),
        create=lambda: hub.create_check(place, run),
        update=lambda remote_id: hub.update_check(place, remote_id, run),
        find=lambda: hub.find_check(place, run.head_sha, partial(is_same_run, run.external_id)),
    )


def comment_writer(place: RepositoryPlace, number: int, body: str, marker: str, hub: Hub) -> Writer:
    """Our App's comment on a pull request, known by the marker in it."""
    return Writer(
        item="comment",
        shows="",
        content=body,
        create=lambda: hub.create_comment(place, number, body),
        update=lambda remote_id: hub.update_comment(place, remote_id, body),
        find=lambda: hub.find_comment(place, number, marker),
    )


def known(item: PublishedItem, services: Services) -> int | None:
    """The id that GitHub gave this item, as stored; None before that."""
    with services.sessions() as session:
        row = item.get(session)
    return row.remote_id if row else None


@dataclass(frozen=True, slots=True)
class Intent:
    """The intent to show content with a `digest` in an `item`: `remote_id` is GitHub's id of it, if that is known.

    `must_find`: it may be there all the same. `since` is when a run first intended to make it; `is_new`: we do now.
    """

    item: PublishedItem
    digest: str
    remote_id: int | None
    must_find: bool
    is_new: bool
    since: datetime


def intend(
    session: Session,
    item: PublishedItem,
    content: str,
    *,
    at: datetime,
    since: datetime | None = None,
    is_new: bool | None = None,
) -> Intent | None:
    """Store that the item is about to show this content; None when it shows just that already.

    `since` is when its pull request or merge group came to be, see `RESTORE_WINDOW`. `is_new`: whether the intent was
    news when the caller stored it; None: it is stored here.
    """
    # Titles come from JSON, which may hold half a surrogate pair.
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    is_new = item.intend(session, at=at) if is_new is None else is_new
    row = KnownItem(at) if is_new else item.get(session)
    assert row is not None
    if row.remote_id is not None and row.digest == digest:
        return None
    if row.digest:
        # We may die before the answer is written down. What was shown before would then be taken for what is shown.
        item.unsettle(session)
    # An old intent without an id: the process died between asking GitHub and writing down the answer.
    must_find = row.remote_id is None and (not is_new or _is_forgotten(session, since))
    return Intent(item, digest, row.remote_id, must_find, is_new, row.intended_at)


def write(
    intent: Intent, writer: Writer, services: Services, *, hold: Callable[[], None], shared: bool = False
) -> int | None:
    """Write the item to GitHub; gives its id there, None where it was deleted and is left so.

    `hold` is asked before each write; `shared`: another run may be making the item at this moment: then Unreachable,
    try again. Raises what the writer and `hold` raise.
    """
    hold()  # The claim may have run out while GitHub had us wait: the item is another run's by now.
    remote_id = intent.remote_id
    if intent.must_find:
        if shared and not intent.is_new:
            now = services.clock()
            with services.sessions() as session:
                idle = now - intent.since >= CREATE_TIMEOUT and intent.item.intend_again(
                    session, since=intent.since, at=now
                )
            if not idle:  # Two runs of one name would stand on the head.
                raise Unreachable("the check run of this commit is being made for another pull request")
        remote_id = writer.find()
    written_id = _write(writer, remote_id, hold)
    if written_id is not None:
        log.info("published", item=writer.item, shows=writer.shows, id=written_id)
    return written_id


def confirm(session: Session, *shown: tuple[Intent, int]) -> None:
    """Store that GitHub has these items, under these ids, as intended; all are of one kind."""
    done = [ConfirmedItem(intent.item, remote_id, intent.digest, intent.remote_id) for intent, remote_id in shown]
    published_item_rows.confirm_all(session, done)


def put(
    item: PublishedItem,
    writer: Writer,
    services: Services,
    *,
    hold: Callable[[], None],
    shared: bool = False,
    since: datetime | None = None,
) -> None:
    """Have the item show the writer's content: `intend`, `write` and `confirm`, in transactions of their own."""
    with services.sessions() as session:
        intent = intend(session, item, writer.content, at=services.clock(), since=since)
    if intent is None:
        return
    written_id = write(intent, writer, services, hold=hold, shared=shared)
    if written_id is None:
        return
    with services.sessions() as session:
        confirm(session, (intent, written_id))


def _is_forgotten(session: Session, since: datetime | None) -> bool:
    # Made after the backup and before its restore, so that only GitHub knows of it.
    restored_at = None if since is None else sweeps.state(session).restored_at
    return since is not None and restored_at is not None and since - restored_at <= RESTORE_WINDOW


def _write(writer: Writer, remote_id: int | None, hold: Callable[[], None]) -> int | None:
    if remote_id is None:
        return writer.create()
    try:
        writer.update(remote_id)
    except Missing:
        # The id may be wrong and ours may be there all the same: another one would stand beside it.
        remote_id = writer.find()
    else:
        return remote_id
    if remote_id is None and not writer.may_make_again():
        return None
    # The look took time: another run may have taken over.
    hold()
    if remote_id is None:
        return writer.create()
    writer.update(remote_id)
    return remote_id
