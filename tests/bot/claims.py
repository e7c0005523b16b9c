"""A job that takes just one subject of a mailbox, for tests of what a run does with it."""


def begin(session, mailbox, jobs, subject, job_id="job", *, at):
    """What a job with that id has of that subject; None when it is not due. What else is due stays so."""
    found = mailbox.claim(session, jobs, "later", job_id, at=at, limit=1000)
    for one in found:
        if one.subject != subject:
            mailbox.give_back(session, jobs, one, at=at)
    return next((one for one in found if one.subject == subject), None)
