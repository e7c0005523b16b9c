"""Publishes what the nightly audit found: one issue for violations, one pull request for the NOTICE."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import structlog
from sqlmodel import Session

from audit.store import posts, repositories
from audit.store.posts import PostKind
from audit.store.repositories import Row
from audit.verdict.unreadable_input import unreadable
from bot.flows.flow_services import Services
from bot.flows.licenses import stored_repository
from bot.flows.licenses.stored_repository import JudgedRepository
from bot.github.ports import Missing, Refused, RepositoryPlace, Unreachable
from bot.job_queue import Job
from bot.licenses import notice_change
from bot.licenses.applied_rules import without
from bot.licenses.notice_change import FileChange
from bot.report import license_issue
from bot.report.license_issue import LicenseIssue
from bot.rulebook.yaml_document import DocumentInvalid

DELAY_BETWEEN_REPOSITORIES: Final = timedelta(seconds=8)
"""Between what is written in one repository and in the next: GitHub lets an App make 500 things an hour."""
JOBS: Final[dict[str, PostKind]] = {"audit-issue": "issue", "audit-notice": "notice"}

log = structlog.get_logger()


def due(one: JudgedRepository, services: Services) -> Iterator[Job]:
    """The jobs for what GitHub doesn't show yet.

    In `mode: shadow` nothing is written; nor in archived repositories, where GitHub lets nobody, nor in forks, whose
    matters are those of where they come from. While a registry could not be asked nothing new is claimed, and while a file
    could not be read not that no violation is left.
    """
    if one.applied.quiet or one.row.archived or one.row.fork:
        return
    repository_id = one.row.repository_id
    with services.sessions() as session:
        shown = posts.digests(session, repository_id)
    issue = _issue(one)
    if shown.get("issue") != issue.digest and ("issue" in shown or issue.wanted) and not _in_doubt(one):
        yield Job("audit-issue", (repository_id,), "later")
    change = _change(one)
    if change is not None and shown.get("notice") != change.digest:
        yield Job("audit-notice", (repository_id,), "later")
    elif change is None and shown.get("notice"):
        # It is as it should be; should it be otherwise again, the same words are proposed again.
        with services.sessions() as session:
            posts.confirm(session, repository_id, "notice", number=None, digest="", at=services.clock())


def _in_doubt(one: JudgedRepository) -> bool:
    """Whether another issue would claim what nobody knows."""
    gone = one.applied.policy.issue and not one.failing and one.own_unknown is None
    return one.doubtful or (gone and any(unreadable(one.audited.findings)))


def queue(session: Session, jobs: Sequence[Job], services: Services) -> None:
    """One after the other, so that GitHub's limits hold also on the first night."""
    for number, one in enumerate(jobs):
        services.engine.enqueue(session, replace(one, delay=DELAY_BETWEEN_REPOSITORIES * number))


def left(owner_id: int, services: Services) -> list[Job]:
    """The jobs that close the issues of an account whose licences nobody wants audited any more."""
    with services.sessions() as session:
        rows = [one.repository_id for one in repositories.of(session, owner_id) if not one.archived]
        shown = {one: posts.digests(session, one).get("issue", "") for one in rows}
    open_ones = [one for one, digest in shown.items() if digest and not license_issue.is_closed(digest)]
    return [Job("audit-end", (one,), "later") for one in open_ones]


def end(repository_id: int, services: Services) -> None:
    """Close the issue of such a repository, saying why, and forget that we wrote it. Raises Unreachable: done again later."""
    with services.sessions() as session:
        row = repositories.get(session, repository_id)
    if row is None or row.owner_id not in services.served:
        return
    try:
        rules = stored_repository.rules(row.owner_id, services)
    except DocumentInvalid:
        return
    if rules is not None and rules.wants_audits:
        return
    applied = (rules or without()).applied(f"{row.owner}/{row.name}", None)
    if not applied.quiet:
        issue = license_issue.ended(applied.language)
        try:
            services.hub.issue(
                _place(row), marker=license_issue.MARKER, title=issue.title, body=issue.body, wanted=False
            )
        except Refused as error:
            log.warning(
                "night.not-told", repository_id=repository_id, kind="issue", why=str(error), help=_HELP["issue"]
            )
            return
        except Missing:
            pass  # neither the repository nor its issues are there any more
    with services.sessions() as session:
        repositories.forget(session, [repository_id])
    log.info("night.told", repository_id=repository_id, kind="issue", number=None)


def tell(name: str, repository_id: int, services: Services) -> None:
    """Have GitHub show it. Raises Unreachable: done again later, also while another is at it."""
    one = _judged(repository_id, services)
    if one is None or all(job.name != name for job in due(one, services)):
        return
    kind = JOBS[name]
    with services.sessions() as session:
        if not posts.intend(session, repository_id, kind, at=services.clock()):
            raise Unreachable("another job is writing it at the moment")
    try:
        number, digest = _write(kind, one, services)
    except (Refused, Missing) as error:
        # Without the permission, or with issues switched off: the next night tries again.
        log.warning("night.not-told", repository_id=repository_id, kind=kind, why=str(error), help=_HELP[kind])
        with services.sessions() as session:
            posts.leave(session, repository_id, kind, at=services.clock())
        return
    with services.sessions() as session:
        posts.confirm(session, repository_id, kind, number=number, digest=digest, at=services.clock())
    log.info("night.told", repository_id=repository_id, kind=kind, number=number)


_HELP: Final = {
    "issue": "give the App `issues: write` and switch issues on, or set `issue: false`",
    "notice": "give the App `contents: write` and `pull_requests: write`, or set `notices: false`",
}


def _write(kind: PostKind, one: JudgedRepository, services: Services) -> tuple[int | None, str]:
    """GitHub's number, and the digest of what it shows now."""
    place = _place(one.row)
    change = _change(one)
    if kind == "notice" and change is not None:
        return services.hub.propose(place, notice_change.proposal(change, one.applied.language)), change.digest
    issue = _issue(one)
    number = services.hub.issue(
        place, marker=license_issue.MARKER, title=issue.title, body=issue.body, wanted=issue.wanted
    )
    return number, issue.digest


def _issue(one: JudgedRepository) -> LicenseIssue:
    if not one.applied.policy.issue:
        return license_issue.ended(one.applied.language)
    return license_issue.issue(one.audited, one.failing, one.applied.language, one.own_unknown)


def _place(row: Row) -> RepositoryPlace:
    return RepositoryPlace(row.installation_id, row.owner, row.name, row.repository_id)


def _change(one: JudgedRepository) -> FileChange | None:
    return notice_change.change(one.audited) if one.applied.policy.notices else None


def _judged(repository_id: int, services: Services) -> JudgedRepository | None:
    """The repository as it is judged now; None where there is nothing to be said any more."""
    with services.sessions() as session:
        row = repositories.get(session, repository_id)
    if row is None or row.owner_id not in services.served:
        return None
    try:
        on = stored_repository.bench(row.owner_id, services)
    except DocumentInvalid:
        return None
    return stored_repository.one(row, on, services) if on else None
