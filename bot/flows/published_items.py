"""A slot holds one thing of ours at GitHub: intended before it is made, found again after a crash, written only when it changes."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from bot.flows.flow_services import Services
from bot.github.ports import CheckRun, Checks, Missing, Place, Talk, Unreachable
from bot.store.pulls import publications
from bot.store.pulls.publications import Kind

CREATE_TIMEOUT = timedelta(seconds=20)
"""Longer than GitHub takes to make something: an older intent without an id is a crash, not somebody at work."""


@dataclass(frozen=True, slots=True)
class PublishedItem:
    """Which thing: our check run on one head, or our comment (head "")."""

    pull_id: int
    kind: Kind
    head_sha: str


class Writer(Protocol):
    """Makes, finds and updates the thing that fills a slot."""

    @property
    def content(self) -> str:
        """All that would be shown, for telling whether anything changed."""

    def create(self) -> int:
        """Make it; gives GitHub's id."""

    def update(self, remote_id: int) -> None:
        """Bring it to the present content. Raises `Missing` when it is gone."""

    def find(self) -> int | None:
        """GitHub's id of one that we made before and forgot, if any."""


def known(slot: PublishedItem, services: Services) -> int | None:
    """GitHub's id of the thing in this slot, as far as we remember."""
    with services.sessions() as session:
        row = publications.get(session, slot.pull_id, slot.kind, slot.head_sha)
    return row.remote_id if row else None


def put(
    slot: PublishedItem, writer: Writer, services: Services, *, hold: Callable[[], None], shared: bool = False
) -> None:
    """Fill the slot with the writer's content; no call to GitHub when it holds just that already.

    `hold` is asked before each write and raises when the writing is another's by now; `shared` tells that somebody
    else may be filling the slot at this moment: then Unreachable, try again.
    """
    digest = hashlib.sha256(writer.content.encode("utf-8", "surrogatepass")).hexdigest()
    with services.sessions() as session:
        new = publications.intend(session, slot.pull_id, slot.kind, slot.head_sha, at=services.clock())
        row = publications.get(session, slot.pull_id, slot.kind, slot.head_sha)
    assert row is not None
    if row.remote_id is not None and row.digest == digest:
        return
    hold()
    remote_id = row.remote_id
    if remote_id is None and not new:
        if shared:
            _take_up(slot, row.intended_at, services)
        # An intent without an id: the process died between asking GitHub and writing down the answer.
        remote_id = writer.find()
    remote_id = _write(writer, remote_id)
    with services.sessions() as session:
        publications.confirm(session, slot.pull_id, slot.kind, slot.head_sha, remote_id=remote_id, digest=digest)


def _take_up(slot: PublishedItem, since: datetime, services: Services) -> None:
    """Go on with an old intent that is nobody else's. Raises Unreachable while somebody may be at work on it."""
    now = services.clock()
    with services.sessions() as session:
        idle = now - since >= CREATE_TIMEOUT and publications.intend_again(
            session, slot.pull_id, slot.kind, slot.head_sha, since=since, at=now
        )
    if not idle:
        raise Unreachable("the check run of this commit is being made for another pull request")


def _write(writer: Writer, remote_id: int | None) -> int:
    if remote_id is not None:
        try:
            writer.update(remote_id)
        except Missing:
            return writer.create()
        return remote_id
    return writer.create()


@dataclass(frozen=True, slots=True)
class CheckWriter:
    """Our check run on a head."""

    place: Place
    run: CheckRun
    hub: Checks

    @property
    def content(self) -> str:
        """Everything that the run shows."""
        return repr(self.run)

    def create(self) -> int:
        """Create the run."""
        return self.hub.create_check(self.place, self.run)

    def update(self, remote_id: int) -> None:
        """Update the run."""
        self.hub.update_check(self.place, remote_id, self.run)

    def find(self) -> int | None:
        """Our App's run with our external id on that head."""
        return self.hub.find_check(self.place, self.run.head_sha, self.run.external_id)


@dataclass(frozen=True, slots=True)
class CommentWriter:
    """Our comment on a pull request."""

    place: Place
    number: int
    body: str
    marker: str
    hub: Talk

    @property
    def content(self) -> str:
        """The comment's text."""
        return self.body

    def create(self) -> int:
        """Write the comment."""
        return self.hub.create_comment(self.place, self.number, self.body)

    def update(self, remote_id: int) -> None:
        """Edit the comment."""
        self.hub.update_comment(self.place, remote_id, self.body)

    def find(self) -> int | None:
        """Our App's comment with our marker."""
        return self.hub.find_comment(self.place, self.number, self.marker)
