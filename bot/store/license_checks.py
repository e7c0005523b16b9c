"""The mailbox of each head whose licences are judged, beside that of pull requests: no check waits for the other."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import JSON, ColumnElement, and_, exists
from sqlmodel import Field, Session, col, select

from agreements.store.tables.columns import BigId
from bot.job_queue import Engine, QueueName
from bot.store.mailbox import NEW_ROW, Claim, Mailbox, MailboxRow, mailbox_rules
from bot.store.records import PullRecord
from bot.store.statements import Upsert, change, run


# A newer head has a row of its own: nothing that is late for an old one can touch it.
class LicenseCheck(MailboxRow, table=True):
    """One head; `basis` is what the rules made of each open pull request with it when it was last asked for, by number."""

    __tablename__ = "license_check"
    __table_args__ = mailbox_rules("license_check")

    repository_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    head_sha: str = Field(primary_key=True)
    basis: dict[str, str] = Field(sa_type=JSON)
    judged: int = 0


class Head(NamedTuple):
    """A commit that open pull requests ask to merge."""

    repository_id: int
    sha: str


class LicenseClaim(Claim[Head, LicenseCheck]):
    """The right of one job to judge the licences of a head."""

    @property
    def head(self) -> Head:
        """The repository and the commit that are judged."""
        return self.subject


class LicenseMailbox(Mailbox[Head, LicenseCheck, LicenseClaim]):
    """The subjects are heads."""

    model = LicenseCheck
    claim_type = LicenseClaim
    keys = ("repository_id", "head_sha")
    covered = "judged"
    job = "licenses"

    def subject(self, ids: tuple[Any, ...]) -> Head:
        return Head(*ids)

    def again(self) -> ColumnElement[bool]:
        """A head of open pull requests is judged again when a waiver ends."""
        here = (
            col(PullRecord.repository_id) == col(LicenseCheck.repository_id),
            col(PullRecord.head_sha) == col(LicenseCheck.head_sha),
        )
        return exists().where(*here, col(PullRecord.open))  # No pull request shows the check of a head that was left.


LICENSE_CHECKS: Final = LicenseMailbox()
_MAKE: Final = Upsert.unless_there(LicenseCheck)


def ask(session: Session, engine: Engine, head: Head, basis: Mapping[int, str], *, queue: QueueName) -> None:
    """Have that head judged, unless it is or will be by just this basis; pull requests that are not in it are dropped.

    `basis` gives for each open pull request with the head what its rules come to; "" leaves what was known of it.
    """
    key = {"repository_id": head.repository_id, "head_sha": head.sha}
    run(session, _MAKE, {**key, **NEW_ROW, "basis": {}, "judged": 0})
    row = LICENSE_CHECKS.lock(session, head)  # Two pull requests of one head may ask at the same time.
    assert row is not None
    # Keys as JSON stores them, so that the two compare equal.
    now = {str(number): said or row.basis.get(str(number), "") for number, said in sorted(basis.items())}
    if row.latest and now == row.basis:  # A new row has an empty basis, which is no answer.
        return
    change(session, LicenseCheck, key, basis=now)
    LICENSE_CHECKS.enqueue(session, engine, head, queue=queue)


def open_pulls(session: Session, head: Head) -> list[PullRecord]:
    """The open pull requests that were last seen at that head, by number."""
    at = and_(
        col(PullRecord.repository_id) == head.repository_id, col(PullRecord.head_sha) == head.sha, col(PullRecord.open)
    )
    return list(session.exec(select(PullRecord).where(at).order_by(col(PullRecord.number))))
