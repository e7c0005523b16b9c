"""What is judged again when a record changes: the open pull requests of whom it covers, as part of the same change."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from bot.job_queue import Engine, Job, QueueName
from bot.store.pulls import pull_state, review_mailbox


def people(session: Session, engine: Engine, account_ids: Sequence[int], *, queue: QueueName = "now") -> int:
    """Queue the open pull requests in which these accounts take part, as far as they are known now; how many.

    A review that is under way may not have written down its people yet: the job looks again after the commit.
    """
    found = pull_state.pulls_of(session, account_ids)
    for pull_id in found:
        review_mailbox.enqueue_review(session, engine, pull_id, queue=queue)
    engine.enqueue(session, Job("recheck", tuple(account_ids), queue))
    return len(found)


def company(session: Session, engine: Engine, company_id: str, *moments: datetime | None, now: datetime) -> None:
    """Queue the open pull requests of all people whom the company may cover: after the commit, and at later moments.

    `moments` are those at which something of the change begins or ends; None and what is not after `now` need no look
    of their own.
    """
    engine.enqueue(session, Job("company", (company_id,)))
    for moment in moments:
        if moment is not None and moment > now:
            # A second later: it has begun by then, whichever clock is asked.
            engine.enqueue(session, Job("company", (company_id,), "later", moment - now + timedelta(seconds=1)))
