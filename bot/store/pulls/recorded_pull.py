"""One pull request as our database has it: what came in about it, what was decided, and what was meant to be shown."""

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
    """A webhook about the pull request, and when it was stored."""

    guid: str
    event: str
    action: str
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPull:
    """A pull request as our database has it."""

    deliveries: tuple[RecordedDelivery, ...]
    """The oldest first."""
    head_sha: str
    is_open: bool
    is_quiet: bool
    """Whether nothing is to be shown there: shadow mode."""
    is_settled: bool
    """Whether the newest that is known of it was judged and shown."""
    settled_at: datetime | None
    """When the last review of it came to its end."""
    conclusion: str | None
    """The verdict on that very head; None while there is none."""
    judged_at: datetime | None
    codes: tuple[dict[str, Any], ...]
    label: str
    """The label that the verdict asks for; "" for none."""
    has_comment: bool
    """Whether a comment about the verdict was made, or was about to be."""
    error: str | None
    """Why the last try to judge it failed, as long as it has not succeeded."""

    def delivery(self, event: str, action: str = "") -> RecordedDelivery | None:
        """The first webhook of that event, and of that action if one is named."""
        found = (one for one in self.deliveries if one.event == event and action in ("", one.action))
        return next(found, None)


def read(session: Session, repository_id: int, number: int) -> RecordedPull | None:
    """The pull request with that number in that repository; None when our server has not heard of it."""
    row = review_mailbox.find(session, repository_id, number)
    if row is None or row.id is None:
        return None
    found = select(DeliveryRecord).where(DeliveryRecord.pull_id == row.id).order_by(col(DeliveryRecord.received_at))
    verdict = verdicts.latest(session, row.id)
    said = verdict if verdict is not None and verdict.head_sha == row.head_sha else None
    return RecordedPull(
        deliveries=tuple(
            RecordedDelivery(one.guid, one.event, one.action, one.received_at) for one in session.exec(found)
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
