"""Items that we made at GitHub: the intent is stored before the request, so that a crash in between is noticed."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, ClassVar, Final, Literal

from sqlalchemy import ColumnElement, Update, bindparam, or_, update
from sqlmodel import Session

from agreements.store.tables.columns import BigId
from bot.store.records import PublishedItemRow
from bot.store.statements import Upsert, change, read, run, table

Kind = Literal["check", "comment", "licenses"]

_row = table(PublishedItemRow).c
_INTEND: Final = Upsert(
    PublishedItemRow,
    # Only rows that this transaction adds are returned: of two runs just one makes the item.
    lambda insert: insert.on_conflict_do_nothing().returning(_row.pull_id, _row.kind, _row.head_sha),
)


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item intended at `intended_at`, and perhaps made: GitHub's `remote_id`, and the `digest` of its content."""

    intended_at: datetime
    remote_id: int | None = None
    digest: str = ""


class PublishedItem(ABC):
    """An item of ours at GitHub, there or to be made; its state is in the row of `model` with that `key`."""

    model: ClassVar[type[Any]]

    @property
    @abstractmethod
    def key(self) -> dict[str, Any]:
        """Columns and values that only its row has."""

    @abstractmethod
    def intend(self, session: Session, *, at: datetime) -> bool:
        """Store that the item is about to be made; False when that was stored before."""

    def get(self, session: Session) -> KnownItem | None:
        """The stored row of the item, if there is one."""
        row = read(session, self.model, **self.key)
        return None if row is None or row.intended_at is None else KnownItem(row.intended_at, row.remote_id, row.digest)

    def intend_again(self, session: Session, *, since: datetime, at: datetime) -> bool:
        """Take up the unconfirmed intent of `since`; False when another process did so first."""
        # Compared and set by one statement: of two processes that saw the same old intent, one goes on.
        return self._set_intent(session, table(self.model).c.intended_at == since, at)

    def unsettle(self, session: Session) -> None:
        """Note that the item is about to be changed: its content is not known until that is confirmed."""
        # After a crash before the answer the next review writes the item again.
        change(session, self.model, self.key, digest="")

    def _set_intent(self, session: Session, still: ColumnElement[bool], at: datetime) -> bool:
        found = table(self.model)
        mine = [found.c[name] == value for name, value in self.key.items()]
        intent = update(found).where(*mine, still).values(intended_at=at).returning(found.c.intended_at)
        return run(session, intent).first() is not None


@dataclass(frozen=True, slots=True)
class PullRequestItem(PublishedItem):
    """An item of ours on the row `pull_id`, by its `kind`: a check run on one `head_sha`, or our comment (head "")."""

    model = PublishedItemRow

    pull_id: int
    kind: Kind
    head_sha: str

    @property
    def key(self) -> dict[str, Any]:
        return {"pull_id": self.pull_id, "kind": self.kind, "head_sha": self.head_sha}

    def intend(self, session: Session, *, at: datetime) -> bool:
        return self in intend_all(session, [self], at=at)


def intend_all(session: Session, items: Sequence[PullRequestItem], *, at: datetime) -> frozenset[PullRequestItem]:
    """Store that the items are about to be made; gives those of which that was not stored before."""
    rows = [{**item.key, "digest": "", "intended_at": at} for item in items]
    new = run(session, _INTEND, rows) if rows else ()
    return frozenset(PullRequestItem(row.pull_id, row.kind, row.head_sha) for row in new)


@dataclass(frozen=True, slots=True)
class ConfirmedItem:
    """An `item` that GitHub has as `remote_id`, with content of that `digest`; `before` is the id that was known."""

    item: PublishedItem
    remote_id: int
    digest: str
    before: int | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of the statement that stores it."""
        key = {f"key_{name}": value for name, value in self.item.key.items()}
        return {**key, "new_id": self.remote_id, "new_digest": self.digest, "known_id": self.before}


def confirm_all(session: Session, confirmed: Sequence[ConfirmedItem]) -> None:
    """Store the items that GitHub has; all are of one model."""
    if confirmed:
        item = confirmed[0].item
        run(session, _confirm(item.model, tuple(item.key)), [confirmed_item.values for confirmed_item in confirmed])  # type: ignore[arg-type]  # a class can be hashed


@cache
def _confirm(model: type[Any], keys: tuple[str, ...]) -> Update:
    found = table(model).c
    new_id, known_id = bindparam("new_id", type_=BigId), bindparam("known_id", type_=BigId)
    # An overtaken run may have made a second item: GitHub's ids grow, and the newest run or comment counts there, so
    # the older one is written no more. The id that was known gives way to any.
    is_newest = or_(found.remote_id.is_(None), found.remote_id == known_id, found.remote_id <= new_id)
    mine = [found[name] == bindparam(f"key_{name}") for name in keys]
    return update(table(model)).where(*mine, is_newest).values(remote_id=new_id, digest=bindparam("new_digest"))


def follow(session: Session, pull_id: int, head_sha: str, *, remote_id: int) -> None:
    """Store that another deployment wrote the run `remote_id` on the head."""
    row = table(PublishedItemRow)
    mine = (row.c.pull_id == pull_id, row.c.kind == "check", row.c.head_sha == head_sha)
    # The newest run counts at GitHub, so it is the one that we write from now on.
    run(session, update(row).where(*mine, row.c.remote_id < remote_id).values(remote_id=remote_id))


def forget_digests(session: Session, pull_id: int) -> None:
    """Have everything of ours on that pull request written anew at its next review, also when it shows the same."""
    change(session, PublishedItemRow, {"pull_id": pull_id}, digest="")
