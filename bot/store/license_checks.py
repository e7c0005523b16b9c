"""The mailbox of each head whose licences are judged.

It stands beside that of the pull requests (`bot.store.pulls.review_mailbox`), so that neither check ever waits for the other. A newer head
has a mailbox of its own: nothing that is late for an old one can touch it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import JSON, CheckConstraint, and_
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.tables.columns import BigId, Moment
from bot.job_queue import Engine, Job, QueueName
from bot.store import mailbox
from bot.store.records import Pull
from bot.store.upserts import insert


class LicenseCheck(SQLModel, table=True):
    """One head; `basis` is what the rules made of each open pull request with it when it was last asked for, by number.

    `queued` says where a job waits: 0 nowhere, 1 in `later`, 2 in `now`.
    """

    __tablename__ = "license_check"
    __table_args__ = (CheckConstraint("queued IN (0, 1, 2)", name="license_check_queued_known"),)

    repository_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    head_sha: str = Field(primary_key=True)
    basis: dict[str, str] = Field(sa_type=JSON)
    latest: int = 0
    judged: int = 0
    queued: int = 0
    lease_by: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=Moment)
    attempts: int = 0
    due_at: datetime | None = Field(default=None, sa_type=Moment)


@dataclass(frozen=True, slots=True)
class Head:
    """A commit that open pull requests ask to merge."""

    repository_id: int
    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right of one job to judge the licences of a head, up to and including `latest`."""

    head: Head
    holder: str  # the job and a word of this very run: a run that was overtaken has another
    latest: int
    attempts: int  # failures since the last success


def ask(session: Session, engine: Engine, head: Head, basis: Mapping[int, str], *, queue: QueueName) -> None:
    """Have that head judged, unless it is or will be by just this basis; pull requests that are not in it are dropped.

    `basis` gives for each open pull request with the head what its rules come to; "" leaves what was known of it.
    """
    row = _locked(session, head) or _made(session, head)
    now = {str(number): said or row.basis.get(str(number), "") for number, said in sorted(basis.items())}
    if row.latest and now == row.basis:
        return
    row.basis = now
    _more(session, engine, head, row, queue)


def again(session: Session, engine: Engine, head: Head, *, queue: QueueName) -> None:
    """Have a head that was asked for judged once more, by whatever basis; nothing happens for another."""
    row = _locked(session, head)
    if row is not None:
        _more(session, engine, head, row, queue)


def is_known(session: Session, head: Head) -> bool:
    """Whether that head was ever asked for."""
    return _get(session, head) is not None


def begin(session: Session, head: Head, job_id: str, *, at: datetime, lease: timedelta) -> Claim | None:
    """Take the head for one job until `at + lease`; None when another holds it or nothing is new.

    The same job may take it again: after a crash it is run with the same id.
    """
    row = _locked(session, head)
    if row is None:
        return None
    session.add(row)
    holder = mailbox.begin(row, job_id, covered=row.judged, at=at, lease=lease)
    if holder is None:
        return None
    return Claim(head=head, holder=holder, latest=row.latest, attempts=row.attempts)


def hold(session: Session, claim: Claim, *, at: datetime, lease: timedelta) -> bool:
    """Keep the head until `at + lease`; False when the claim had run out and another job took over."""
    row = _mine(session, claim)
    if row is None:
        return False
    row.lease_until = at + lease
    session.add(row)
    return True


def finish(session: Session, engine: Engine, claim: Claim) -> bool:
    """The head is judged; queued again if something came in meanwhile. False when another job took over."""
    row = _mine(session, claim)
    if row is None:
        return False
    row.judged, row.attempts, row.due_at = claim.latest, 0, None
    mailbox.release(row)
    session.add(row)
    if row.latest > claim.latest:
        _queue(session, engine, claim.head, row, "later")
    return True


def give_up(session: Session, engine: Engine, claim: Claim, *, at: datetime) -> bool:
    """It could not be judged: tried again after a growing delay. False when another job took over."""
    row = _mine(session, claim)
    if row is None:
        return False
    session.add(row)
    delay = mailbox.give_up(row, at=at)
    if delay is not None:
        _queue(session, engine, claim.head, row, "later", delay)
    return True


def stale(session: Session, *, at: datetime) -> list[Head]:
    """Heads with something new or due again that no job waits for and none holds: what a sweep queues."""
    query = (
        select(LicenseCheck.repository_id, LicenseCheck.head_sha)
        .where(mailbox.is_stale(LicenseCheck, col(LicenseCheck.judged), at=at))
        .order_by(col(LicenseCheck.repository_id), col(LicenseCheck.head_sha))
    )
    return [Head(repository_id, sha) for repository_id, sha in session.exec(query)]


def open_pulls(session: Session, head: Head) -> list[Pull]:
    """The open pull requests that were last seen at that head, by number."""
    at = and_(col(Pull.repository_id) == head.repository_id, col(Pull.head_sha) == head.sha, col(Pull.open))
    return list(session.exec(select(Pull).where(at).order_by(col(Pull.number))))


def _get(session: Session, head: Head) -> LicenseCheck | None:
    return session.get(LicenseCheck, (head.repository_id, head.sha), populate_existing=True)


def _locked(session: Session, head: Head) -> LicenseCheck | None:
    here = (col(LicenseCheck.repository_id) == head.repository_id, col(LicenseCheck.head_sha) == head.sha)
    return mailbox.lock(session, LicenseCheck, *here)


def _made(session: Session, head: Head) -> LicenseCheck:
    """The row, made unless somebody made it just now."""
    fresh = {"basis": {}, "latest": 0, "judged": 0, "queued": 0, "attempts": 0}
    new = insert(session, LicenseCheck).values(repository_id=head.repository_id, head_sha=head.sha, **fresh)
    session.execute(new.on_conflict_do_nothing())
    row = _locked(session, head)
    assert row is not None
    return row


def _mine(session: Session, claim: Claim) -> LicenseCheck | None:
    row = _locked(session, claim.head)
    return row if row is not None and row.lease_by == claim.holder else None


def _more(session: Session, engine: Engine, head: Head, row: LicenseCheck, queue: QueueName) -> None:
    row.latest += 1
    row.due_at = None
    _queue(session, engine, head, row, queue)


def _queue(
    session: Session, engine: Engine, head: Head, row: LicenseCheck, queue: QueueName, delay: timedelta = timedelta(0)
) -> None:
    """Store a job unless one waits in that queue or a faster one."""
    row.queued = mailbox.enqueue(
        session, engine, row.queued, Job("licenses", (head.repository_id, head.sha), queue, delay)
    )
    session.add(row)
    session.flush()
