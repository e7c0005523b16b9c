"""Commits in branches that require our check, and that no pull request brought which passed it; and the check run on each."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, get_args

from sqlalchemy import CheckConstraint, exists, func, tuple_
from sqlalchemy.orm import aliased
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.tables.columns import BigId, Moment
from bot.github.ports import RepositoryPlace
from bot.store.pulls import review_mailbox, verdicts
from bot.store.pulls.published_item_rows import PublishedItem
from bot.store.pulls.red_pulls import PASSES, in_repository
from bot.store.pulls.stored_facts import StoredFacts
from bot.store.records import DeliveryRecord
from bot.store.statements import Upsert, change, delete_rows, run, table

FINDING_RETENTION: Final = timedelta(days=400)  # GitHub keeps check runs for as long.
REPEAT_PERIOD: Final = timedelta(days=7)

FindingKind = Literal["no-pull-request", "not-judged", "not-passed", "lost-signoff", "not-compared"]
"""The faults of a commit: no pull request brought it, or one whose head we had not judged, or that did not pass.

`lost-signoff`: it is a squash whose message lacks sign-offs of its pull request. `not-compared`: it came with a
push of which not all commits could be compared.
"""
KINDS: Final[tuple[FindingKind, ...]] = get_args(FindingKind)


class CommitFinding(SQLModel, table=True):
    """The finding about one commit: what is wrong, in which branch, and the pull request that brought it.

    `count` is how many sign-offs are lost, or how many commits were not compared. It was found in a push at
    `found_at`, by comparing with the commits `base_sha`, which spaces part. `remote_id`, `digest` and `intended_at`
    are its check run's, as of a `PublishedItemRow`.
    """

    __tablename__ = "commit_finding"
    __table_args__ = (
        CheckConstraint(
            "kind IN ('no-pull-request', 'not-judged', 'not-passed', 'lost-signoff', 'not-compared')",
            name="commit_finding_kind_known",
        ),
    )

    repository_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    sha: str = Field(primary_key=True)
    kind: str
    owner: str
    name: str
    branch: str
    base_sha: str
    number: int | None = None
    count: int | None = None
    found_at: datetime = Field(sa_type=Moment, index=True)
    remote_id: int | None = Field(default=None, sa_type=BigId)
    digest: str = ""
    intended_at: datetime | None = Field(default=None, sa_type=Moment)


_FACTS: Final = ("kind", "owner", "name", "branch", "base_sha", "number", "count")
_ADD: Final = Upsert(
    CommitFinding,
    lambda insert: insert.on_conflict_do_nothing(index_elements=["repository_id", "sha"]).returning(
        table(CommitFinding).c.kind
    ),
)
_RENEW: Final = Upsert.replacing(CommitFinding, ("repository_id", "sha"), *_FACTS)


@dataclass(frozen=True, slots=True)
class UnjudgedCommit:
    """A commit (`sha`) that is wrong by `kind`; `number` is the pull request that brought it, None without one.

    `count` is of the sign-offs that are lost, or of the commits that were not compared; None where that is not known.
    """

    sha: str
    kind: FindingKind
    number: int | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PushedBranch:
    """A push to `branch` of the repository at `place`; new are the commits that none of `base_shas` holds, the nearest first."""

    place: RepositoryPlace
    branch: str
    base_shas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindingItem(PublishedItem):
    """The check run on the commit `sha` of `repository_id`, whose row holds it from the beginning."""

    model = CommitFinding

    repository_id: int
    sha: str

    @property
    def key(self) -> dict[str, Any]:
        return asdict(self)

    def intend(self, session: Session, *, at: datetime) -> bool:
        return self._set_intent(session, table(CommitFinding).c.intended_at.is_(None), at)


@dataclass(frozen=True, slots=True)
class HeadVerdict:
    """The newest verdict on a head: whether it `passes` a rule of the branch, and whether it `asks_for_signoffs`."""

    passes: bool
    asks_for_signoffs: bool


def verdict_on(session: Session, repository_id: int, number: int, head_sha: str) -> HeadVerdict | None:
    """The newest verdict on that pull request, if it is about that head; None when that was not judged as it was merged."""
    pull = review_mailbox.find(session, repository_id, number)
    last = verdicts.latest(session, pull.id) if pull is not None and pull.id is not None else None
    if last is None or last.head_sha != head_sha or _has_new_base(session, last.pull_id):
        return None
    return HeadVerdict(last.conclusion in PASSES, any(code["check"] == "DCO" for code in last.codes))


def _has_new_base(session: Session, pull_id: int) -> bool:
    """Whether the pull request got another base branch after it was judged last: more commits may be its own since."""
    # Each judgement stores its facts anew, also where the verdict stays; a closed pull request is not judged.
    changed = exists().where(
        col(DeliveryRecord.pull_id) == pull_id,
        col(DeliveryRecord.event) == "pull_request",
        col(DeliveryRecord.action) == "edited",  # Others than of the base are not stored.
        col(DeliveryRecord.received_at) > col(StoredFacts.stored_at),
    )
    return session.exec(select(StoredFacts.pull_id).where(StoredFacts.pull_id == pull_id, changed)).first() is not None


def record(session: Session, push: PushedBranch, found: Iterable[UnjudgedCommit], *, at: datetime) -> Counter[str]:
    """Store what was found in a push; the number of new findings of each kind. One that is known keeps its moment."""
    new: Counter[str] = Counter()
    for commit in found:
        row = {
            "repository_id": push.place.repository_id,
            **asdict(commit),
            **{name: getattr(push.place, name) for name in ("owner", "name")},
            "branch": push.branch,
            "base_sha": " ".join(push.base_shas),
            "digest": "",
            "found_at": at,
        }
        if run(session, _ADD, row).first() is None:
            run(session, _RENEW, row)
        else:
            new[commit.kind] += 1
    return new


def find(session: Session, repository_id: int, sha: str) -> CommitFinding | None:
    """The finding about that commit, if there is one."""
    return session.get(CommitFinding, (repository_id, sha))


def ids_of(session: Session, owner: str, name: str, sha: str) -> Sequence[tuple[int, str]]:
    """The repository's id and the whole SHA of each finding about a commit whose SHA begins so."""
    mine = (*in_repository(f"{owner}/{name}", CommitFinding), col(CommitFinding.sha).startswith(sha, autoescape=True))
    return session.exec(select(CommitFinding.repository_id, CommitFinding.sha).where(*mine)).all()


def moved(session: Session, repository_id: int, *, owner: str, name: str) -> None:
    """The repository has another name or owner: its findings are listed and compared under that."""
    change(session, CommitFinding, {"repository_id": repository_id}, owner=owner, name=name)


def settle(session: Session, repository_id: int, sha: str) -> None:
    """Delete the finding: the commit turned out to be judged."""
    delete_rows(
        session, CommitFinding, col(CommitFinding.repository_id) == repository_id, col(CommitFinding.sha) == sha
    )


def listed(session: Session, *, repository: str = "", kind: str = "", skip: int, most: int) -> Sequence[CommitFinding]:
    """Those of that repository (name or `owner/name`) and kind, or all; the newest first."""
    query = select(CommitFinding).where(*in_repository(repository, CommitFinding))
    if kind in KINDS:
        query = query.where(col(CommitFinding.kind) == kind)
    order = (col(CommitFinding.found_at).desc(), col(CommitFinding.repository_id), col(CommitFinding.sha))
    return session.exec(query.order_by(*order).offset(skip).limit(most)).all()


def count_news(session: Session, since: datetime, until: datetime) -> int:
    """The number of findings after the first of these moments, up to the second, of which administrators are told."""
    found, earlier = CommitFinding, aliased(CommitFinding)
    # A repository that is set to lose sign-offs loses some with each merge: it is told once, until a week passes without any.
    is_told = exists().where(
        col(found.kind) == "lost-signoff",
        col(earlier.kind) == "lost-signoff",
        col(earlier.repository_id) == col(found.repository_id),
        col(earlier.found_at) < col(found.found_at),
        col(earlier.found_at) > since - REPEAT_PERIOD,
    )
    new = (col(found.found_at) > since, col(found.found_at) <= until, ~is_told)
    return session.exec(select(func.count()).select_from(found).where(*new)).one()


def purge(session: Session, *, at: datetime, most: int) -> int:
    """Delete findings of long ago; how many, at most `most`."""
    old = select(CommitFinding.repository_id, CommitFinding.sha).where(
        col(CommitFinding.found_at) < at - FINDING_RETENTION
    )
    ids = tuple_(col(CommitFinding.repository_id), col(CommitFinding.sha))
    return delete_rows(session, CommitFinding, ids.in_(old.limit(most)))
