"""A slot holds one thing of ours at GitHub: intended before it is made, found again after a crash, written only when it changes."""

import hashlib
from dataclasses import dataclass
from typing import Protocol

from bot.flows.parts import Parts
from bot.hub.ports import CheckRun, Checks, Missing, Place, Talk
from bot.store import publications
from bot.store.publications import Kind


@dataclass(frozen=True, slots=True)
class Slot:
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


def known(slot: Slot, parts: Parts) -> int | None:
    """GitHub's id of the thing in this slot, as far as we remember."""
    with parts.sessions() as session:
        row = publications.get(session, slot.pull_id, slot.kind, slot.head_sha)
    return row.remote_id if row else None


def put(slot: Slot, writer: Writer, parts: Parts) -> None:
    """Fill the slot with the writer's content; no call to GitHub when it holds just that already."""
    digest = hashlib.sha256(writer.content.encode("utf-8", "surrogatepass")).hexdigest()
    with parts.sessions() as session:
        row = publications.get(session, slot.pull_id, slot.kind, slot.head_sha)
        if row is None:
            publications.intend(session, slot.pull_id, slot.kind, slot.head_sha, at=parts.clock())
    if row is not None and row.remote_id is not None and row.digest == digest:
        return
    remote_id = None
    if row is not None:
        # An intent without an id: the process died between asking GitHub and writing down the answer.
        remote_id = row.remote_id if row.remote_id is not None else writer.find()
    remote_id = _write(writer, remote_id)
    with parts.sessions() as session:
        publications.confirm(session, slot.pull_id, slot.kind, slot.head_sha, remote_id=remote_id, digest=digest)


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
