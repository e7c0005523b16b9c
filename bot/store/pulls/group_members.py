"""The pull requests of a merge group, each with the verdict on its head; one without a verdict that counts is judged now."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session, col, select

from agreements.facts import Conclusion
from bot.job_queue import Engine
from bot.store import inbox
from bot.store.pulls import review_mailbox, verdicts
from bot.store.pulls.posts import PullRequestIdentity, post
from bot.store.records import PullRecord

# The greatest age of a verdict that counts for a new group; a pull request with an older one is judged again.
VERDICT_MAX_AGE: Final = timedelta(minutes=10)
# A pull request that was judged within this time is not judged again for a group.
_MIN_REJUDGE_PAUSE: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Member:
    """The pull request `number` of a group; `conclusion` None: it has no verdict that counts; `why` says the reason."""

    number: int
    conclusion: Conclusion | None
    why: str = ""


def members(
    session: Session,
    engine: Engine,
    where: PullRequestIdentity,
    heads: Mapping[int, str],
    *,
    requested_at: datetime,
    at: datetime,
) -> tuple[Member, ...]:
    """The pull requests with these heads, by number, of a group that was asked for at `requested_at`.

    `where` tells the repository as of now, its number is not used.
    """
    # For a request that a clock ahead has dated, no verdict would be young enough.
    since = min(requested_at, at) - VERDICT_MAX_AGE
    query = select(PullRecord).where(
        PullRecord.repository_id == where.repository_id, col(PullRecord.number).in_(list(heads))
    )
    known = {pull.number: pull for pull in session.exec(query)}
    found = []
    for number, head_sha in sorted(heads.items()):  # In one order: two groups may have members in common.
        pull = known.get(number)
        conclusion = None if pull is None else _conclusion(session, pull, head_sha, since=since)
        why = ""
        if conclusion is None:
            if pull is not None and pull.id is not None and pull.attempts:
                why = inbox.last_error(session, pull.id) or "its own check says why"
            _have_judged(session, engine, replace(where, number=number), pull, at=at)
        found.append(Member(number, conclusion, why))
    return tuple(found)


def _conclusion(session: Session, pull: PullRecord, head_sha: str, *, since: datetime) -> Conclusion | None:
    # It counts only if nothing came in after it.
    settled = pull.open and pull.head_sha == head_sha and pull.attempts == 0 and pull.evaluated == pull.latest
    if not settled or pull.id is None or pull.evaluated_at is None or pull.evaluated_at < since:
        return None
    last = verdicts.latest(session, pull.id)
    return Conclusion(last.conclusion) if last is not None and last.head_sha == head_sha else None


def _have_judged(
    session: Session, engine: Engine, identity: PullRequestIdentity, pull: PullRecord | None, *, at: datetime
) -> None:
    if pull is None:
        post(session, engine, identity, queue="now")
        return
    is_held = pull.lease_by is not None and pull.lease_until is not None and pull.lease_until > at
    waits = pull.urgent and pull.due_at is not None and pull.due_at <= at
    was_just_done = (  # To judge it again would not turn out otherwise.
        pull.evaluated == pull.latest and pull.evaluated_at is not None and at - pull.evaluated_at < _MIN_REJUDGE_PAUSE
    )
    if pull.id is not None and not (is_held or waits or was_just_done):
        review_mailbox.enqueue_review(session, engine, pull.id, queue="now")
