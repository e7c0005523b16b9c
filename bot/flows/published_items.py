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
from bot.github.ports import CheckRun, Checks, Comments, Missing, RepositoryPlace, Unreachable
from bot.store import sweeps
from bot.store.pulls.published_item_rows import KnownItem, PublishedItem
from bot.webhook.external_ids import is_same_run

log = structlog.get_logger()

CREATE_TIMEOUT = timedelta(seconds=20)
"""Longer than GitHub takes to make something: an older intent without an id is a crash, not somebody at work."""

RESTORE_WINDOW = timedelta(days=30)
"""So long after a restore a head, or a merge group, may still have a run that was forgotten: another pull request made it."""

Shown = Literal["success", "failure", "action_required", "neutral"]
"""How a check run can end."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Makes, finds and updates a published item.

    `content` is all that would be shown, for telling whether anything changed. `create` makes it, and `find` finds one
    that we made before and forgot, if any: both give GitHub's id. `update` raises `Missing` when it is gone.
    `may_make_again` is asked once what we made is gone, and was not found elsewhere: False leaves it so.
    `item` and `shows` are for the log.
    """

    item: str
    shows: str

    content: str
    create: Callable[[], int]
    update: Callable[[int], None]
    find: Callable[[], int | None]
    may_make_again: Callable[[], bool] = lambda: True


def check_writer(place: RepositoryPlace, run: CheckRun, hub: Checks) -> Writer:
    """Our App's check run on a head, known by its external id: of a head that several pull requests share, by any of theirs."""
    return Writer(
        item="check-run",
        shows=run.conclusion or "in_progress",
        content=repr(run),
        create=lambda: hub.create_check(place, run),
        update=lambda remote_id: hub.update_check(place, remote_id, run),
        find=lambda: hub.find_check(place, run.head_sha, partial(is_same_run, run.external_id)),
    )


def comment_writer(place: RepositoryPlace, number: int, body: str, marker: str, hub: Comments) -> Writer:
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
    """GitHub's id of this item, as far as we remember."""
    with services.sessions() as session:
        row = item.get(session)
    return row.remote_id if row else None


def put(
    item: PublishedItem,
    writer: Writer,
    services: Services,
    *,
    hold: Callable[[], None],
    shared: bool = False,
    since: datetime | None = None,
) -> None:
    """Have the item show the writer's content; no call to GitHub when it shows just that already.

    `since` is when its pull request or merge group came to be, as far as we know: what we may have made before a restore
    is looked for, see `sweeps`.
    `hold` is asked before each write and raises when the writing is another's by now; `shared` tells that somebody
    else may be making the item at this moment: then Unreachable, try again.
    """
    digest = hashlib.sha256(writer.content.encode("utf-8", "surrogatepass")).hexdigest()
    with services.sessions() as session:
        row, new = _intended(item, session, at=services.clock())
        is_forgotten = new and _is_forgotten(session, since)
        is_shown = row.remote_id is not None and row.digest == digest
        if row.digest and not is_shown:
            # We may die before the answer is written down. What was shown before would then be taken for what is shown.
            item.unsettle(session)
    if is_shown:
        return
    hold()
    remote_id = row.remote_id
    if remote_id is None and (is_forgotten or not new):
        if shared and not new:
            _take_up(item, row.intended_at, services)
        # An intent without an id: the process died between asking GitHub and writing down the answer.
        remote_id = writer.find()
    written_id = _write(writer, remote_id, hold)
    if written_id is None:
        return
    with services.sessions() as session:
        item.confirm(session, remote_id=written_id, digest=digest)
    log.info("published", item=writer.item, shows=writer.shows, id=written_id)


def _intended(item: PublishedItem, session: Session, *, at: datetime) -> tuple[KnownItem, bool]:
    """What is known of it, and whether it is about to be made by us for the first time. Writes only then."""
    known = item.get(session)
    if known is None and item.intend(session, at=at):
        return KnownItem(at), True
    known = known or item.get(session)
    assert known is not None
    return known, False


def _is_forgotten(session: Session, since: datetime | None) -> bool:
    """Whether one that was made before the database was restored may be missing here."""
    restored_at = None if since is None else sweeps.state(session).restored_at
    return since is not None and restored_at is not None and since - restored_at <= RESTORE_WINDOW


def _take_up(item: PublishedItem, since: datetime, services: Services) -> None:
    """Go on with an old intent that is nobody else's. Raises Unreachable while somebody may be at work on it."""
    now = services.clock()
    with services.sessions() as session:
        idle = now - since >= CREATE_TIMEOUT and item.intend_again(session, since=since, at=now)
    if not idle:
        raise Unreachable("the check run of this commit is being made for another pull request")


def _write(writer: Writer, remote_id: int | None, hold: Callable[[], None]) -> int | None:
    """GitHub's id of what shows the content now; None where nothing does."""
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
    hold()
    if remote_id is None:
        return writer.create()
    writer.update(remote_id)
    return remote_id
