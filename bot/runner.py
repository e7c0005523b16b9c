"""The flow for each job: the engine calls it with ids, this adds the services. A flow is loaded for its first job."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from bot.flows import domain_recheck, erasure_completion, recheck, recovery, sweep
from bot.flows.flow_services import Services
from bot.flows.lot import Lots
from bot.flows.publish_list import publish_list
from bot.job_queue import Job, Runner
from bot.store.leases import MAX_CLAIMS, Lease
from bot.store.license_checks import LICENSE_CHECKS
from bot.store.merge_groups import MERGE_GROUPS
from bot.store.outgoing import Outgoing
from bot.store.pulls.review_mailbox import REVIEWS

_Id = TypeVar("_Id", int, str)


class OutgoingSender(Protocol):
    """Sends to other servers what waits in one table."""

    @property
    def queue(self) -> Outgoing[Any]:
        """The rows."""

    def send(self, lease: Lease[Any], /) -> None:
        """Send one, or have it tried again."""


class UnknownJob(Exception):
    """A job of a name that this release does not know: it stays in the queue's history for an operator to see."""


def load() -> None:
    """Load what most jobs need, so that the first one does not wait for it."""
    from bot.flows import review  # noqa: F401 - to be loaded is all


def make_runner(services: Services, *senders: OutgoingSender, threads: int = MAX_CLAIMS) -> Runner:
    """The function that the engine calls for each job; a lot is judged on so many threads at most."""
    lots = Lots(services, threads=threads)

    def run(job: Job, job_id: str) -> None:
        match job:
            case Job(name="review" | "merge-group" | "licenses" | "mail" | "outgoing-webhook"):
                _take_lot(job, job_id, lots, senders)
            case Job(name="event", ids=(str(guid),)):
                from bot.flows.account_event import handle_event

                handle_event(guid, services)
            case Job(
                name="recheck" | "account" | "company" | "recovery" | "sweep" | "sweep-installation" | "pushed-commits"
            ):
                _again(job, services)
            case Job(name="resolve") if entries := _all(str, job):
                from bot.flows.login_resolution import resolve

                resolve(entries, services)
            case Job(name="domain", ids=(str(claim_id),)):
                domain_recheck.check_domain(claim_id, services)
            case Job(name="answer", ids=(str(guid),)):
                from bot.flows.command_reply import react_to_command

                react_to_command(guid, services)
            case Job(name="erasure", ids=(str(),)):  # The id is not read: all that is erased is completed.
                erasure_completion.finish(services)
            case Job(name="publish-list", ids=()):
                publish_list(services)
            case _:
                _about_audits(job, job_id, services)

    return run


def _take_lot(job: Job, job_id: str, lots: Lots, senders: Sequence[OutgoingSender]) -> None:
    match job:
        # With ids: the release before stores a job for each subject.
        case Job(name="review", ids=() | (int(),)):
            from bot.flows.review import review

            lots.work(REVIEWS, review, job, job_id)
        case Job(name="merge-group", ids=() | (int(), str())):
            from bot.flows import merge_group

            lots.work(MERGE_GROUPS, merge_group.judge, job, job_id)
        case Job(name="licenses", ids=() | (int(), str())):
            from bot.flows.licenses.head_check import judge_licenses

            lots.work(LICENSE_CHECKS, judge_licenses, job, job_id)
        case Job(name="mail" | "outgoing-webhook", ids=()):
            sender = next(sender for sender in senders if sender.queue.job == job.name)
            lots.work(sender.queue, lambda lease, _services: sender.send(lease), job, job_id)
        case _:
            raise _unknown(job)


def _again(job: Job, services: Services) -> None:
    match job:
        case Job(name="recheck") if accounts := _all(int, job):
            recheck.people(accounts, services, queue=job.queue)
        case Job(name="account", ids=(int(owner_id),)):
            recheck.owner(owner_id, services)
        case Job(name="company", ids=(str(company_id),)):
            recheck.company(company_id, services)
        case Job(name="recovery", ids=(int(installation_id),)):
            recovery.wake(installation_id, services)
        case Job(name="pushed-commits", ids=(str(guid),)):
            from bot.flows.pushed_commits import check_pushed

            check_pushed(guid, services)
        case Job(name="pushed-commits", ids=(int(repository_id), str(sha))):
            from bot.flows.pushed_commits import check_finding

            check_finding(repository_id, sha, services)
        case Job(name="sweep", ids=(int(since), int(full))):
            sweep.sweep(since, services, full=bool(full))
        case Job(name="sweep-installation", ids=(int(installation_id), int(owner_id), int(full))):
            sweep.installation(installation_id, owner_id, services, full=bool(full))
        case _:
            raise _unknown(job)


def _about_audits(job: Job, job_id: str, services: Services) -> None:
    # Loaded here: what audits is large, and has jobs at night alone.
    from bot.flows.licenses import issue_publisher, night_schedule
    from bot.flows.licenses.night_audit import judge_account
    from bot.flows.licenses.repository_reading import read_repository

    match job:
        case Job(name="audit-night", ids=()):
            night_schedule.night(job_id, services)
        case Job(name="audit-account", ids=(int(installation_id), int(owner_id))):
            night_schedule.account(installation_id, owner_id, job_id, services)
        case Job(name="audit-repository", ids=(int(repository_id),)):
            read_repository(repository_id, services)
        case Job(name="audit-edition", ids=(int(owner_id),)):
            judge_account(owner_id, services)
        case Job(name="audit-issue" | "audit-notice", ids=(int(repository_id),)):
            issue_publisher.tell(job.name, repository_id, services)
        case Job(name="audit-end", ids=(int(repository_id),)):
            issue_publisher.end(repository_id, services)
        case _:  # Of a newer release, in a database that several releases share.
            raise _unknown(job)


def _unknown(job: Job) -> UnknownJob:
    return UnknownJob(f"job {job.name!r} with {len(job.ids)} ids")


def _all(kind: type[_Id], job: Job) -> tuple[_Id, ...]:
    """The job's ids when all are of that kind, else none."""
    # The queue gives back what was stored, perhaps by another release.
    found = tuple(subject_id for subject_id in job.ids if isinstance(subject_id, kind))
    return found if len(found) == len(job.ids) else ()
