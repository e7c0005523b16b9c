"""Which flow does which job; the engine calls it with ids, it adds the parts."""

from bot.engine.port import Job, Runner
from bot.flows import recheck
from bot.flows.answer import answer
from bot.flows.event import event
from bot.flows.parts import Parts
from bot.flows.review import review


class UnknownJob(Exception):  # noqa: N818 - reads as what happened
    """A job of a name that this release does not know: it stays in the queue's history for an operator to see."""


def make_runner(parts: Parts) -> Runner:
    """The function that the engine calls for each job."""

    def run(job: Job, job_id: str) -> None:
        match job:
            case Job(name="review", ids=(int(pull_id),)):
                review(pull_id, job_id, parts)
            case Job(name="event", ids=(str(guid),)):
                event(guid, parts)
            case Job(name="recheck", ids=(int(account_id),)):
                recheck.person(account_id, parts)
            case Job(name="company", ids=(str(company_id),)):
                recheck.company(company_id, parts)
            case Job(name="answer", ids=(str(guid),)):
                answer(guid, parts)
            case _:
                raise UnknownJob(f"job {job.name!r} with {len(job.ids)} ids")

    return run
