"""A job that takes just one row, for tests of what a run does with it."""

from bot.clock import new_id
from tests.bot.jobs.inline import InlineEngine

_NO_JOBS = InlineEngine()


def begin(session, mailbox, jobs, subject, job_id="job", *, at):
    """What a job with that id has of that subject; None when it is not due. What else is due stays so."""
    found = mailbox.claim(session, jobs, "later", job_id, at=at, limit=1000)
    for lease in found:
        if lease.subject != subject:
            mailbox.give_back(session, jobs, lease, at=at)
    return next((lease for lease in found if lease.subject == subject), None)


def take(session, queue, *, at):
    """A lease of the next that is to be sent, as a new job has it; None when nothing is due."""
    found = queue.claim(session, _NO_JOBS, "outgoing", new_id(), at=at, limit=1)
    return found[0] if found else None


def send_due(sender):
    """What jobs do with all that is due now."""
    at = sender.records.clock()
    while True:
        with sender.records.sessions() as session:
            lease = take(session, sender.queue, at=at)
        if lease is None:
            return
        sender.send(lease)
