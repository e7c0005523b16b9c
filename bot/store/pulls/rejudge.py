"""The open pull requests that are judged again when a record changes: of those whom it covers, in one transaction."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from bot.job_queue import Engine, Job, QueueName
from bot.store.pulls import pull_state, review_mailbox


def people(session: Session, engine: Engine, account_ids: Sequence[int], *, queue: QueueName = "now") -> int:
    """Queue the open pull requests in which these accounts take part, as far as they are known now; how many."""
    found = pull_state.pulls_of(session, account_ids)
    for pull_id in found:
        review_mailbox.enqueue_review(session, engine, pull_id, queue=queue)
    # A review that is under way may not have written down its people yet: the job looks again after the commit.
    engine.enqueue(session, Job("recheck", tuple(account_ids), queue))
    return len(found)


def company(session: Session, engine: Engine, company_id: str, *moments: datetime | None, now: datetime) -> None:
    """Queue the pull requests of all whom the company may cover: after the commit, and at `moments` after `now`."""
    engine.enqueue(session, Job("company", (company_id,)))
    for moment in moments:
        if moment is not None and moment > now:
            # A second later: it has begun by then, whichever clock is asked.
            engine.enqueue(session, Job("company", (company_id,), "later", moment - now + timedelta(seconds=1)))
