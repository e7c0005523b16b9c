"""What changes somebody's cover has every open pull request of theirs judged again, as part of the same change."""

from sqlmodel import Session

from bot.engine.port import Job
from bot.portal.parts import Parts
from bot.store import participants, pulls


def of_person(session: Session, given: Parts, account_id: int) -> int:
    """Queue the open pull requests in which that account takes part, as far as they are known now; how many.

    A review that is under way may not have written down its people yet: the job looks again after the commit.
    """
    found = participants.pulls_of(session, [account_id])
    for pull_id in found:
        pulls.touch(session, given.engine, pull_id, queue="now")
    given.engine.enqueue(session, Job("recheck", (account_id,)))
    return len(found)
