"""The check run of a head: pull requests with the same head share one, kept by the first of them that came.

GitHub ties a check run to a commit, not to a pull request: two runs of one name on one head would let the greener
one speak for both.
"""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, bindparam, select
from sqlmodel import Field, Session, SQLModel

from agreements.facts import Conclusion
from agreements.store.tables.columns import BigId
from bot.store.pulls import published_item_rows, verdicts
from bot.store.records import PullRecord
from bot.store.statements import Upsert, columns, read, run, table


class HeadRow(SQLModel, table=True):
    """One head of one repository, and the pull request whose published item stands for its run."""

    __tablename__ = "head"

    repository_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    head_sha: str = Field(primary_key=True)
    pull_id: int = Field(sa_type=BigId, foreign_key="pull.id", index=True)


_head, _pull = table(HeadRow).c, table(PullRecord).c
_KEEP: Final = Upsert(HeadRow, lambda insert: insert.on_conflict_do_nothing().returning(_head.pull_id))
_KEPT: Final = (
    select(_pull.id, _pull.number)
    .join(table(HeadRow), _head.pull_id == _pull.id)
    .where(_head.repository_id == bindparam("repository"), _head.head_sha == bindparam("head"))
)
_OTHERS: Final = (
    select(*columns(PullRecord, "id", "number", "head_sha", "attempts"))
    .where(_pull.repository_id == bindparam("repository"), _pull.head_sha == bindparam("head"), _pull.open)
    .where(_pull.id != bindparam("own"))
    .order_by(_pull.number)
)


@dataclass(frozen=True, slots=True)
class CheckRunOwner:
    """The pull request that keeps the run of a head."""

    pull_id: int
    number: int


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another open pull request with the same head, and what was said of it there; None while that is not known."""

    number: int
    conclusion: Conclusion | None


def keep(session: Session, repository_id: int, head_sha: str, pull_id: int, number: int) -> CheckRunOwner:
    """Who keeps the run of that head: this pull request, of that `number`, unless another came first."""
    found = kept(session, repository_id, head_sha)
    if found is None:
        row = {"repository_id": repository_id, "head_sha": head_sha, "pull_id": pull_id}
        is_ours = run(session, _KEEP, row).first() is not None
        found = CheckRunOwner(pull_id, number) if is_ours else kept(session, repository_id, head_sha)
    assert found is not None
    return found


def kept(session: Session, repository_id: int, head_sha: str) -> CheckRunOwner | None:
    """Who keeps the run of that head, if anybody does."""
    row = run(session, _KEPT, {"repository": repository_id, "head": head_sha}).one_or_none()
    return None if row is None else CheckRunOwner(row.id, row.number)


def siblings(session: Session, repository_id: int, head_sha: str, pull_id: int) -> tuple[Sibling, ...]:
    """The other open pull requests that were seen with that head, by number."""
    found = run(session, _OTHERS, {"repository": repository_id, "head": head_sha, "own": pull_id})
    return tuple(Sibling(pull.number, _said(session, pull)) for pull in found)


def write_anew(session: Session, pull_id: int) -> None:
    """Have everything of ours on that pull request written anew at its next review, also when it shows the same."""
    published_item_rows.forget_digests(session, pull_id)
    pull = read(session, PullRecord, id=pull_id)
    keeper = kept(session, pull.repository_id, pull.head_sha) if pull else None
    if keeper is not None and keeper.pull_id != pull_id:
        published_item_rows.forget_digests(session, keeper.pull_id)


def _said(session: Session, pull: Row[Any]) -> Conclusion | None:
    """The verdict on its present head; None also while it could not be judged again."""
    said = verdicts.latest(session, pull.id)
    judged = said is not None and said.head_sha == pull.head_sha and pull.attempts == 0
    return Conclusion(said.conclusion) if said is not None and judged else None
