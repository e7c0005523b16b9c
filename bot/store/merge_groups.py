"""The mailbox of each merge group: pull requests that a merge queue merged on trial, and our check run on that commit."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import JSON, ColumnElement, Select, and_, bindparam, func, or_, tuple_, update
from sqlalchemy import select as select_rows
from sqlmodel import Field, Session, col, select

from agreements.store.tables.columns import BigId, Moment
from bot.github.ports import RepositoryPlace
from bot.job_queue import Engine
from bot.store.mailbox import NEW_ROW, Claim, Mailbox, MailboxRow, mailbox_rules
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.published_item_rows import PublishedItem
from bot.store.statements import Upsert, change, delete_rows, run, table

GROUP_RETENTION: Final = timedelta(days=7)  # GitHub gives a group an hour or a few: after that its row is of no use.


class MergeGroup(MailboxRow, table=True):
    """One group, known by its head commit; `numbers` are its pull requests, as GitHub's queue had them last.

    `remote_id`, `digest` and `intended_at` are its check run's, as of a `PublishedItemRow`.
    """

    __tablename__ = "merge_group"
    __table_args__ = mailbox_rules("merge_group")

    repository_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    head_sha: str = Field(primary_key=True)
    installation_id: int = Field(sa_type=BigId)
    owner_id: int = Field(sa_type=BigId)
    owner: str
    name: str
    branch: str
    numbers: list[int] = Field(sa_type=JSON)
    requested_at: datetime | None = Field(default=None, sa_type=Moment)
    destroyed_at: datetime | None = Field(default=None, sa_type=Moment)  # It may be asked for again after this.
    waiting_since: datetime | None = Field(default=None, sa_type=Moment)  # Since then its check has no answer.
    remote_id: int | None = Field(default=None, sa_type=BigId)
    digest: str = ""
    intended_at: datetime | None = Field(default=None, sa_type=Moment)
    judged: int = 0

    @property
    def is_alive(self) -> bool:
        """True while its checks are asked for, and it was not destroyed since."""
        return _is_asked_for(self)


class MergeGroupKey(NamedTuple):
    """The key of a merge group: its repository and head commit."""

    repository_id: int
    head_sha: str


class GroupClaim(Claim[MergeGroupKey, MergeGroup]):
    """The right of one job to judge a group."""

    @property
    def group(self) -> MergeGroupKey:
        """The key of the group that is judged."""
        return self.subject

    @property
    def requested_at(self) -> datetime:
        """When its checks were asked for."""
        assert self.row.requested_at is not None  # Nothing is queued before that.
        return self.row.requested_at

    @property
    def is_alive(self) -> bool:
        """True while its checks are still asked for."""
        return _is_asked_for(self.row)


def _is_alive() -> ColumnElement[bool]:
    asked, gone = col(MergeGroup.requested_at), col(MergeGroup.destroyed_at)
    return and_(asked.is_not(None), or_(gone.is_(None), gone < asked))


class MergeGroupMailbox(Mailbox[MergeGroupKey, MergeGroup, GroupClaim]):
    """The subjects are merge groups."""

    model = MergeGroup
    claim_type = GroupClaim
    keys = ("repository_id", "head_sha")
    covered = "judged"
    job = "merge-group"

    share = "installation_id"  # Installations take turns.

    def subject(self, ids: tuple[Any, ...]) -> MergeGroupKey:
        return MergeGroupKey(*ids)

    def again(self) -> ColumnElement[bool]:
        """A group that waits for verdicts is looked at again."""
        return _is_alive()


MERGE_GROUPS: Final = MergeGroupMailbox()
_PLACE: Final = ("installation_id", "owner_id", "owner", "name")
_MAKE: Final = Upsert(
    MergeGroup,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["repository_id", "head_sha"], set_={name: insert.excluded[name] for name in _PLACE}
    ),
)


def requested(
    session: Session, engine: Engine, group: MergeGroupKey, where: PullRequestIdentity, branch: str, *, at: datetime
) -> None:
    """Note that GitHub asks for the group's checks; `where` tells the repository as of now, its number is not used."""
    row = _row(session, group, where, branch)
    row.branch = branch
    # The two events may change places: a group that was destroyed before it was asked for stays destroyed.
    row.requested_at = row.destroyed_at if row.requested_at is None and row.destroyed_at else at
    row.waiting_since = row.waiting_since or at  # Asked again: the person has waited since the first time.
    if row.is_alive:
        MERGE_GROUPS.enqueue(session, engine, group, queue="now")


def destroyed(session: Session, group: MergeGroupKey, where: PullRequestIdentity, branch: str, *, at: datetime) -> None:
    """GitHub gave the group up, or merged it: its checks are not needed any more."""
    row = _row(session, group, where, branch)
    row.destroyed_at = at


def again(session: Session, engine: Engine, group: MergeGroupKey) -> None:
    """Have its run written anew; nothing for a group that is not known."""
    change(session, MergeGroup, group._asdict(), digest="")
    row = get(session, group)
    if row is not None and row.is_alive:
        MERGE_GROUPS.enqueue(session, engine, group, queue="now")


def wake(session: Session, engine: Engine, repository_id: int, number: int) -> None:
    """Queue the groups with a pull request that was judged, and those whose pull requests are not known yet."""
    for group in run(session, _alive_in(), {"repository": repository_id}).all():
        if not group.numbers or number in group.numbers:
            MERGE_GROUPS.enqueue(session, engine, MergeGroupKey(repository_id, group.head_sha), queue="now")


def get(session: Session, group: MergeGroupKey) -> MergeGroup | None:
    """The row of the group, if there is one."""
    return session.get(MergeGroup, tuple(group), populate_existing=True)


def known(session: Session, groups: Collection[MergeGroupKey]) -> set[MergeGroupKey]:
    """The groups among these that were ever heard of, also those destroyed since; all are of one repository."""
    if not groups:
        return set()
    query = select(MergeGroup.repository_id, MergeGroup.head_sha).where(
        col(MergeGroup.repository_id).in_({group.repository_id for group in groups}),
        col(MergeGroup.head_sha).in_([group.head_sha for group in groups]),
    )
    return {MergeGroupKey(repository_id, sha) for repository_id, sha in session.exec(query)}


def waiting_since(session: Session, group: MergeGroupKey, *, at: datetime) -> datetime:
    """The moment since when its check has no answer: now unless that is known."""
    found = session.execute(
        update(MergeGroup)
        .where(col(MergeGroup.repository_id) == group.repository_id, col(MergeGroup.head_sha) == group.head_sha)
        .values(waiting_since=func.coalesce(col(MergeGroup.waiting_since), at))
        .returning(col(MergeGroup.waiting_since))
    ).scalar_one_or_none()
    return min(found or at, at)  # A clock that was ahead may have written it.


def answered(session: Session, group: MergeGroupKey) -> None:
    """Note that the group's check has an answer."""
    change(session, MergeGroup, group._asdict(), waiting_since=None)


def keep_members(session: Session, group: MergeGroupKey, place: RepositoryPlace, numbers: Collection[int]) -> None:
    """Keep which pull requests the group has, and what its repository is called now. Call it last in a transaction."""
    # A review locks its pull request before the group: two never wait for each other.
    now = {"numbers": sorted(numbers), "owner": place.owner, "name": place.name}
    change(session, MergeGroup, group._asdict(), **now)


def purge(session: Session, *, at: datetime, most: int) -> int:
    """Forget the groups of long ago; how many, at most `most`."""
    last_event_at = func.coalesce(col(MergeGroup.requested_at), col(MergeGroup.destroyed_at))
    lot = select(MergeGroup.repository_id, MergeGroup.head_sha).where(last_event_at < at - GROUP_RETENTION).limit(most)
    ids = tuple_(col(MergeGroup.repository_id), col(MergeGroup.head_sha))
    return delete_rows(session, MergeGroup, ids.in_(lot))


@dataclass(frozen=True, slots=True)
class GroupRun(PublishedItem):
    """The check run of a `group`, whose row holds it from the beginning."""

    model = MergeGroup

    group: MergeGroupKey

    @property
    def key(self) -> dict[str, Any]:
        return self.group._asdict()

    def intend(self, session: Session, *, at: datetime) -> bool:
        return self._set_intent(session, table(MergeGroup).c.intended_at.is_(None), at)


def _row(session: Session, group: MergeGroupKey, where: PullRequestIdentity, branch: str) -> MergeGroup:
    place = {name: getattr(where, name) for name in _PLACE}
    fresh = {**NEW_ROW, "numbers": [], "digest": "", "judged": 0}
    run(session, _MAKE, {**group._asdict(), **place, **fresh, "branch": branch})  # Which also locks it.
    row = get(session, group)
    assert row is not None
    return row


def _is_asked_for(row: MergeGroup) -> bool:
    asked, gone = row.requested_at, row.destroyed_at
    return asked is not None and (gone is None or gone < asked)


@cache
def _alive_in() -> Select[Any]:
    found = table(MergeGroup).c
    wanted = found.repository_id == bindparam("repository")
    # Two reviews that wake the same groups lock them in the same order.
    return select_rows(found.head_sha, found.numbers).where(wanted, _is_alive()).order_by(found.head_sha)
