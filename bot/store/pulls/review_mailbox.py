"""The mailbox of each pull request: one run holds it at a time, and the newest state wins."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, bindparam, update
from sqlalchemy import select as select_rows
from sqlmodel import Session, col, select

from agreements.facts import Conclusion
from bot.job_queue import Engine, QueueName
from bot.store.mailbox import Claim, Mailbox
from bot.store.pulls import delivery_trail
from bot.store.pulls.delivery_trail import NO_TRAIL, DeliveryTrail
from bot.store.records import DeliveryRecord, PullRecord, VerdictRecord
from bot.store.statements import read, run, table

_delivery, _pull = table(DeliveryRecord).c, table(PullRecord).c
_ANSWERED: Final = update(table(DeliveryRecord)).where(  # The deliveries that a claim answers.
    _delivery.pull_id == bindparam("of"),
    _delivery.sequence <= bindparam("covered"),
    _delivery.state == "received",
)
_DONE: Final = _ANSWERED.values(state="done", error=None)
_FAILED: Final = _ANSWERED.values(attempts=_delivery.attempts + 1, error=bindparam("why"))
_AT_HEAD: Final = select_rows(_pull.id).where(
    _pull.repository_id == bindparam("repository"), _pull.head_sha == bindparam("head"), _pull.open
)
_PASSES: Final = [conclusion.value for conclusion in Conclusion if conclusion.passes]


@dataclass(frozen=True, slots=True)
class ReviewClaim(Claim[int, PullRecord]):
    """The right of one job to review a pull request; `trail` are the deliveries that the review answers."""

    trail: DeliveryTrail = NO_TRAIL

    @property
    def pull_id(self) -> int:
        """The row id of the pull request."""
        return self.subject


class ReviewMailbox(Mailbox[int, PullRecord, ReviewClaim]):
    """The subjects are pull requests, by their row ids."""

    model = PullRecord
    claim_type = ReviewClaim
    keys = ("id",)
    covered = "evaluated"
    job = "review"
    share = "installation_id"  # Installations take turns: a storm in one does not keep the others waiting.

    def claim(
        self, session: Session, engine: Engine, queue: QueueName, job_id: str, *, at: datetime, limit: int | None = None
    ) -> list[ReviewClaim]:
        claims = super().claim(session, engine, queue, job_id, at=at, limit=limit)
        # All claims of a lot have one holder, so one query answers for all.
        trails = delivery_trail.held_by(session, claims[0].holder) if claims else {}
        return [replace(claim, trail=trails.get(claim.pull_id, claim.trail)) for claim in claims]

    def covering(self, latest: int, at: datetime) -> dict[str, Any]:
        return {"evaluated": latest, "evaluated_at": at}

    def place(self, claim: ReviewClaim) -> tuple[Any, ...]:
        # The order of `posts.lock`: where a review and a delivery lock the same rows, none waits for ever.
        return claim.row.repository_id, claim.row.number

    def finished(self, session: Session, claim: ReviewClaim) -> None:
        """The review is published: its deliveries are done, too."""
        run(session, _DONE, {"of": claim.pull_id, "covered": claim.latest})

    def given_up(self, session: Session, claim: ReviewClaim, why: str) -> None:
        """Write the reason into the deliveries, in one line."""
        run(session, _FAILED, {"of": claim.pull_id, "covered": claim.latest, "why": one_line(why)})

    def again(self) -> ColumnElement[bool]:
        """Pull requests in doubt are judged again, and those that pass for a time when that ends."""
        return _pull.open.is_(True)


REVIEWS: Final = ReviewMailbox()


def of_installation(number: int) -> ColumnElement[bool]:
    """The pull requests that are reached through that installation."""
    return col(PullRecord.installation_id) == number


def enqueue_review(
    session: Session, engine: Engine, pull_id: int, *, queue: QueueName = "later", delay: timedelta = timedelta(0)
) -> int:
    """Have a known pull request reviewed again: its new sequence; for an unknown id nothing happens, and it is 0."""
    return REVIEWS.enqueue(session, engine, pull_id, queue=queue, delay=delay)


def make_due(session: Session, owner_id: int | None = None, *, at: datetime) -> None:
    """Make due at once what waits to be judged again for a doubt, of that owner or of all: it may be settled now."""
    said = select(VerdictRecord.conclusion).where(VerdictRecord.pull_id == PullRecord.id)
    last = said.order_by(col(VerdictRecord.judged_at).desc(), col(VerdictRecord.id).desc()).limit(1).scalar_subquery()
    # What failed waits out its delay, and what passes for a time waits for its end.
    waiting = [col(PullRecord.open), col(PullRecord.attempts) == 0, col(PullRecord.due_at) > at, last.not_in(_PASSES)]
    if owner_id is not None:
        waiting.append(col(PullRecord.owner_id) == owner_id)
    # Not matched with the session's objects: that would select the rows a second time.
    session.execute(update(PullRecord).where(*waiting).values(due_at=at).execution_options(synchronize_session=False))


def get(session: Session, pull_id: int) -> PullRecord | None:
    """The pull request with that row id."""
    return read(session, PullRecord, id=pull_id)


def find(session: Session, repository_id: int, number: int) -> PullRecord | None:
    """The pull request with that number in that repository."""
    return read(session, PullRecord, repository_id=repository_id, number=number)


def by_head(session: Session, repository_id: int, head_sha: str) -> list[int]:
    """Row ids of the repository's open pull requests whose head was last seen at that commit."""
    # "" is the head of every pull request that was never looked at.
    return sorted(run(session, _AT_HEAD, {"repository": repository_id, "head": head_sha}).scalars()) if head_sha else []


def one_line(error: str) -> str:
    """A message fit for a row: one line of at most 200 characters."""
    return " ".join(error.split())[:200]
