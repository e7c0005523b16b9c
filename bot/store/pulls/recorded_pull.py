"""One pull request as our database has it: the deliveries about it, the verdict, and what was meant to be shown."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from bot.store import inbox
from bot.store.pulls import review_mailbox, verdicts
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.store.records import DeliveryRecord


@dataclass(frozen=True, slots=True)
class RecordedDelivery:
    """A webhook about the pull request: GitHub's `guid`, `event` and `action`, stored at `received_at`."""

    guid: str
    event: str
    action: str
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPull:
    """A pull request as our database has it: its `deliveries`, the newest verdict, and what is to be shown there.

    `head_sha`, `is_open`, `is_quiet`, `is_settled`, `settled_at`, `label`, `has_comment` and `error` are the pull
    request's, `conclusion`, `judged_at` and `codes` the verdict's.
    """

    deliveries: tuple[RecordedDelivery, ...]  # The oldest first.
    head_sha: str
    is_open: bool
    is_quiet: bool  # Shadow mode: nothing is to be shown there.
    is_settled: bool  # The newest that is known of it was judged and shown.
    settled_at: datetime | None  # The end of its last review.
    conclusion: str | None  # Of the verdict on that very head; None without one.
    judged_at: datetime | None
    codes: tuple[dict[str, Any], ...]
    label: str  # The verdict asks for it; "" for none.
    has_comment: bool  # Made, or about to be.
    error: str | None  # Of the last try to judge it; None once one succeeded.

    def delivery(self, event: str, action: str = "") -> RecordedDelivery | None:
        """The first webhook of that event, and of that action if one is named."""
        found = (
            delivery for delivery in self.deliveries if delivery.event == event and action in ("", delivery.action)
        )
        return next(found, None)


def read(session: Session, repository_id: int, number: int) -> RecordedPull | None:
    """The pull request with that number in that repository; None when our server has not heard of it."""
    row = review_mailbox.find(session, repository_id, number)
    if row is None or row.id is None:
        return None
    found = select(DeliveryRecord).where(DeliveryRecord.pull_id == row.id).order_by(col(DeliveryRecord.received_at))
    verdict = verdicts.latest(session, row.id)
    # A verdict on an earlier head says nothing of what is there now.
    said = verdict if verdict is not None and verdict.head_sha == row.head_sha else None
    return RecordedPull(
        deliveries=tuple(
            RecordedDelivery(delivery.guid, delivery.event, delivery.action, delivery.received_at)
            for delivery in session.exec(found)
        ),
        head_sha=row.head_sha,
        is_open=row.open,
        is_quiet=row.quiet,
        is_settled=row.evaluated == row.latest,
        settled_at=row.evaluated_at,
        conclusion=said.conclusion if said else None,
        judged_at=said.judged_at if said else None,
        codes=tuple(said.codes) if said else (),
        label=row.label,
        has_comment=PullRequestItem(row.id, "comment", "").get(session) is not None,
        error=inbox.last_error(session, row.id),
    )
