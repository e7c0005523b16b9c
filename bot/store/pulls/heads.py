"""The check run of a head: pull requests with the same head share one, kept by the first of them that came.

GitHub ties a check run to a commit, not to a pull request: two runs of one name on one head would let the greener
one speak for both.
"""

from dataclasses import dataclass

from sqlmodel import Field, Session, SQLModel, col, select

from agreements.facts import Conclusion
from agreements.store.tables.columns import BigId
from bot.store.pulls import publications, verdicts
from bot.store.records import Pull
from bot.store.upserts import insert


class Head(SQLModel, table=True):
    """One head of one repository, and the pull request whose publication row stands for its run."""

    __tablename__ = "head"

    repository_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    head_sha: str = Field(primary_key=True)
    pull_id: int = Field(sa_type=BigId, foreign_key="pull.id")


@dataclass(frozen=True, slots=True)
class Keeper:
    """The pull request that keeps the run of a head."""

    pull_id: int
    number: int


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another open pull request with the same head, and what was said of it there; None while that is not known."""

    number: int
    conclusion: Conclusion | None


def keep(session: Session, repository_id: int, head_sha: str, pull_id: int) -> Keeper:
    """Who keeps the run of that head: this pull request, unless another came first."""
    found = kept(session, repository_id, head_sha)
    if found is None:
        claim = insert(session, Head).values(repository_id=repository_id, head_sha=head_sha, pull_id=pull_id)
        session.execute(claim.on_conflict_do_nothing())
        found = kept(session, repository_id, head_sha)
    assert found is not None
    return found


def kept(session: Session, repository_id: int, head_sha: str) -> Keeper | None:
    """Who keeps the run of that head, if anybody does."""
    query = select(Pull.id, Pull.number).join(Head, col(Head.pull_id) == col(Pull.id))
    row = session.exec(query.where(Head.repository_id == repository_id, Head.head_sha == head_sha)).one_or_none()
    return Keeper(row[0], row[1]) if row is not None and row[0] is not None else None


def siblings(session: Session, repository_id: int, head_sha: str, pull_id: int) -> tuple[Sibling, ...]:
    """The other open pull requests that were seen with that head, by number."""
    query = (
        select(Pull)
        .where(Pull.repository_id == repository_id, Pull.head_sha == head_sha, col(Pull.open), col(Pull.id) != pull_id)
        .order_by(col(Pull.number))
    )
    return tuple(Sibling(pull.number, _said(session, pull)) for pull in session.exec(query))


def write_anew(session: Session, pull_id: int) -> None:
    """Have everything of ours on that pull request written anew at its next review, also when it shows the same."""
    publications.forget_digests(session, pull_id)
    pull = session.get(Pull, pull_id)
    keeper = kept(session, pull.repository_id, pull.head_sha) if pull else None
    if keeper is not None and keeper.pull_id != pull_id:
        publications.forget_digests(session, keeper.pull_id)


def _said(session: Session, pull: Pull) -> Conclusion | None:
    """The verdict on its present head; None also while it could not be judged again."""
    assert pull.id is not None
    said = verdicts.latest(session, pull.id)
    judged = said is not None and said.head_sha == pull.head_sha and pull.attempts == 0
    return Conclusion(said.conclusion) if said is not None and judged else None
