"""What we made at GitHub: the intent is stored before the request, so that a crash in between is noticed."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, Literal

from sqlalchemy import ColumnElement, or_, update
from sqlmodel import Session

from bot.store.records import PublishedItemRow
from bot.store.statements import Upsert, change, read, run, table

Kind = Literal["check", "comment", "licenses"]

_INTEND: Final = Upsert(
    PublishedItemRow, lambda insert: insert.on_conflict_do_nothing().returning(table(PublishedItemRow).c.pull_id)
)


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A thing of ours that was intended at that moment, and is perhaps made: GitHub's id, and the digest of what it shows."""

    intended_at: datetime
    remote_id: int | None = None
    digest: str = ""


class PublishedItem(ABC):
    """One thing of ours at GitHub, there or to be made; the row of `model` with that `key` says what is known of it."""

    model: ClassVar[type[Any]]

    @property
    @abstractmethod
    def key(self) -> dict[str, Any]:
        """Columns and values that only its row has."""

    @abstractmethod
    def intend(self, session: Session, *, at: datetime) -> bool:
        """Write down that it is about to be made; False when that was written before."""

    def get(self, session: Session) -> KnownItem | None:
        """What is known of it."""
        row = read(session, self.model, **self.key)
        return None if row is None or row.intended_at is None else KnownItem(row.intended_at, row.remote_id, row.digest)

    def intend_again(self, session: Session, *, since: datetime, at: datetime) -> bool:
        """Take up the intent of `since` that nobody confirmed; False when somebody else did so first."""
        return self._set_intent(session, table(self.model).c.intended_at == since, at)

    def unsettle(self, session: Session) -> None:
        """It is about to show something else: what it shows is not known until that is confirmed."""
        change(session, self.model, self.key, digest="")

    def confirm(self, session: Session, *, remote_id: int, digest: str, before: int | None = None) -> None:
        """It is there, under GitHub's id, and shows the content with that digest; `before` is the id that was known.

        Of two that were made, by a run that was overtaken, the newest counts at GitHub: an older one is not written any more.
        """
        found = table(self.model)
        mine = [found.c[name] == value for name, value in self.key.items()]
        is_newest = or_(found.c.remote_id.is_(None), found.c.remote_id == before, found.c.remote_id <= remote_id)
        run(session, update(found).where(*mine, is_newest).values(remote_id=remote_id, digest=digest))

    def _set_intent(self, session: Session, still: ColumnElement[bool], at: datetime) -> bool:
        found = table(self.model)
        mine = [found.c[name] == value for name, value in self.key.items()]
        intent = update(found).where(*mine, still).values(intended_at=at).returning(found.c.intended_at)
        return run(session, intent).first() is not None


@dataclass(frozen=True, slots=True)
class PullRequestItem(PublishedItem):
    """What a pull request shows of ours: our check runs on one head, or our comment (head "")."""

    model = PublishedItemRow

    pull_id: int
    kind: Kind
    head_sha: str

    @property
    def key(self) -> dict[str, Any]:
        return {"pull_id": self.pull_id, "kind": self.kind, "head_sha": self.head_sha}

    def intend(self, session: Session, *, at: datetime) -> bool:
        return run(session, _INTEND, {**self.key, "digest": "", "intended_at": at}).first() is not None


def follow(session: Session, pull_id: int, head_sha: str, *, remote_id: int) -> None:
    """Another deployment wrote that run on the head: the newest counts at GitHub, so it is the one that we write from now on."""
    row = table(PublishedItemRow)
    mine = (row.c.pull_id == pull_id, row.c.kind == "check", row.c.head_sha == head_sha)
    run(session, update(row).where(*mine, row.c.remote_id < remote_id).values(remote_id=remote_id))


def forget_digests(session: Session, pull_id: int) -> None:
    """Have everything of ours on that pull request written anew at its next review, also when it shows the same."""
    change(session, PublishedItemRow, {"pull_id": pull_id}, digest="")
