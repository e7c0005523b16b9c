"""The deliveries that a run answers to: lines of the log name them, and they tell since when a person waits."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import bindparam, select
from sqlmodel import Session

from agreements.facts import Account
from bot.store.records import DeliveryRecord, PullRecord
from bot.store.statements import run, table

MAX_DELIVERIES: Final = 20  # Named in one line of the log: setting many labels at once brings more.

_delivery, _pull = table(DeliveryRecord).c, table(PullRecord).c
_UNANSWERED: Final = (
    select(_delivery.pull_id, _delivery.guid, _delivery.received_at)
    .where(
        # A run holds a whole lot under one word: one query finds the deliveries of all of it.
        _pull.lease_by == bindparam("holder"),
        _delivery.pull_id == _pull.id,
        _delivery.sequence <= _pull.latest,
        _delivery.state == "received",
    )
    .order_by(_delivery.sequence.desc())
)
_LABELS: Final = (
    select(_delivery.ids)
    .where(
        _delivery.pull_id == bindparam("of"),
        _delivery.action.in_(("labeled", "unlabeled")),
        _delivery.state == "received",
    )
    .order_by(_delivery.sequence.desc())
    .limit(MAX_DELIVERIES)
)
_AT_HEAD: Final = (
    select(_delivery.guid, _delivery.received_at, _pull.owner, _pull.name, _pull.number)
    .where(
        _pull.id == _delivery.pull_id,
        _pull.repository_id == bindparam("repository"),
        _pull.head_sha == bindparam("head"),
    )
    # Several pull requests may have this head: the delivery that came in last names the one to log.
    .order_by(_delivery.received_at.desc())
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class DeliveryTrail:
    """Deliveries by their `guids`, the newest first; `since` is when the oldest of them came in, None without any."""

    guids: tuple[str, ...] = ()
    since: datetime | None = None

    @property
    def newest(self) -> str | None:
        """The delivery that lines of the log name."""
        return self.guids[0] if self.guids else None  # The sweep asks for reviews that no delivery asked for.


NO_TRAIL: Final = DeliveryTrail()
"""The trail of a review that no delivery asked for."""


def held_by(session: Session, holder: str) -> dict[int, DeliveryTrail]:
    """The waiting deliveries of each pull request that a run holds; a pull request without any is left out."""
    found = defaultdict[int, list[Any]](list)
    for row in run(session, _UNANSWERED, {"holder": holder}):
        found[row.pull_id].append(row)
    return {
        # `rows[-1]` is the oldest.
        pull_id: DeliveryTrail(tuple(row.guid for row in rows[:MAX_DELIVERIES]), rows[-1].received_at)
        for pull_id, rows in found.items()
    }


def label_sender(session: Session, pull_id: int, labels: Collection[str]) -> Account | None:
    """The last account that set or removed one of these labels (in lower case), in deliveries not acted on yet."""
    for ids in run(session, _LABELS, {"of": pull_id}).scalars():
        if str(ids.get("label", "")).lower() in labels:  # GitHub's labels ignore case.
            return Account(**ids["sender"])
    return None


@dataclass(frozen=True, slots=True)
class HeadTrail:
    """The newest delivery about a head, `received_at` that moment; `about` is for lines of the log; empty for none."""

    about: Mapping[str, str | int] = field(default_factory=dict)
    received_at: datetime | None = None


def of_head(session: Session, repository_id: int, head_sha: str) -> HeadTrail:
    """The trail of a head; empty if no delivery told of it."""
    row = run(session, _AT_HEAD, {"repository": repository_id, "head": head_sha}).one_or_none()
    if row is None:
        return HeadTrail()
    about = {"delivery": row.guid, "repository": f"{row.owner}/{row.name}", "number": row.number}
    return HeadTrail(about, row.received_at)
