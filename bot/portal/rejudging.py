"""What changes somebody's cover has every open pull request of theirs judged again, as part of the same change."""

from datetime import datetime, timedelta

from sqlmodel import Session

from bot.job_queue import Job
from bot.portal.parts import Parts
from bot.store.pulls import participants, review_mailbox


def of_person(session: Session, given: Parts, account_id: int) -> int:
    """Queue the open pull requests in which that account takes part, as far as they are known now; how many.

    A review that is under way may not have written down its people yet: the job looks again after the commit.
    """
    found = participants.pulls_of(session, [account_id])
    for pull_id in found:
        review_mailbox.touch(session, given.engine, pull_id, queue="now")
    given.engine.enqueue(session, Job("recheck", (account_id,)))
    return len(found)


def of_company(session: Session, given: Parts, company_id: str, *moments: datetime | None) -> None:
    """Queue the open pull requests of everyone whom the company may cover: after the commit, and at later moments.

    `moments` are those at which something of the change begins or ends; None and what is past need no look of their own.
    """
    given.engine.enqueue(session, Job("company", (company_id,)))
    now = given.clock()
    for moment in moments:
        if moment is not None and moment > now:
            # A second later: it has begun by then, whichever clock is asked.
            given.engine.enqueue(session, Job("company", (company_id,), "later", moment - now + timedelta(seconds=1)))
