"""The posts of the nightly audit at GitHub: one issue for violations, one pull request for the NOTICE."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

import structlog
from sqlmodel import Session

from audit.store import repositories, repository_posts
from audit.store.repositories import Row
from audit.store.repository_posts import PostKind
from audit.verdict.unreadable_input import unreadable
from bot.flows.flow_services import Services
from bot.flows.licenses import stored_repository
from bot.flows.licenses.stored_repository import JudgedRepository
from bot.github.ports import HubError, Missing, Refused, RepositoryPlace, Unreachable
from bot.job_queue import Job
from bot.licenses import notice_change
from bot.licenses.applied_rules import without
from bot.report import license_issue
from bot.report.license_issue import LicenseIssue
from bot.rulebook.yaml_document import DocumentInvalid

# Between what is written in one repository and in the next: GitHub lets an App make 500 things an hour.
DELAY_BETWEEN_REPOSITORIES: Final = timedelta(seconds=8)
_HELP: Final[dict[PostKind, str]] = {
    "issue": "give the App `issues: write` and switch issues on, or set `issue: false`",
    "notice": "give the App `contents: write` and `pull_requests: write`, or set `notices: false`",
}

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Post:
    """A post of one `kind` for GitHub: `digest` is of what it says, `write` shows it and gives GitHub's number."""

    kind: PostKind
    digest: str
    write: Callable[[], int | None]


def due(one: JudgedRepository, services: Services) -> Iterator[Job]:
    """The jobs for what GitHub doesn't show yet."""
    return (Job(f"audit-{post.kind}", (one.row.repository_id,), "later") for post in _due(one, services))


def _due(one: JudgedRepository, services: Services) -> Iterator[_Post]:
    row, policy, language = one.row, one.applied.policy, one.applied.language
    # GitHub refuses writes in archived repositories; a fork's matters are those of where it comes from.
    if one.applied.quiet or row.archived or row.fork:
        return
    with services.sessions() as session:
        shown = repository_posts.digests(session, row.repository_id)
    issue = license_issue.ended(language)
    if policy.issue:
        issue = license_issue.issue(one.audited, one.failing, language, one.own_unknown)
    settles = policy.issue and not one.failing and one.own_unknown is None
    # While a registry could not be asked nothing new is claimed, and while a file could not be read not that no
    # violation is left.
    in_doubt = one.doubtful or (settles and any(unreadable(one.audited.findings)))
    if shown.get("issue") != issue.digest and ("issue" in shown or issue.wanted) and not in_doubt:
        yield _Post("issue", issue.digest, partial(_write_issue, row, issue, services))
    change = notice_change.change(one.audited) if policy.notices else None
    if change is not None and shown.get("notice") != change.digest:
        proposal = notice_change.proposal(change, language)
        yield _Post("notice", change.digest, partial(services.hub.propose, _place(row), proposal))
    elif change is None and shown.get("notice"):
        # It is as it should be; should it be otherwise again, the same words are proposed again.
        with services.sessions() as session:
            repository_posts.confirm(session, row.repository_id, "notice", number=None, digest="", at=services.clock())


def queue(session: Session, jobs: Sequence[Job], services: Services) -> None:
    """Queue the posts one after the other, so that GitHub's limits hold also on the first night."""
    for number, one in enumerate(jobs):
        services.engine.enqueue(session, replace(one, delay=DELAY_BETWEEN_REPOSITORIES * number))


def left(owner_id: int, services: Services) -> list[Job]:
    """The jobs that close the issues of an account whose licences are no longer audited."""
    with services.sessions() as session:
        rows = [one.repository_id for one in repositories.of(session, owner_id) if not one.archived]
        shown = {row: repository_posts.digests(session, row).get("issue", "") for row in rows}
    open_ones = [one for one, digest in shown.items() if digest and not license_issue.is_closed(digest)]
    return [Job("audit-end", (one,), "later") for one in open_ones]


def end(repository_id: int, services: Services) -> None:
    """Close such a repository's issue, saying why, and forget it. Raises Unreachable: done again later."""
    row = _row(repository_id, services)
    if row is None:
        return
    try:
        rules = stored_repository.rules(row.owner_id, services)
    except DocumentInvalid:
        return
    if rules is not None and rules.wants_audits:  # Asked for again since this job was queued.
        return
    applied = (rules or without()).applied(f"{row.owner}/{row.name}", None)
    if not applied.quiet:
        try:
            _write_issue(row, license_issue.ended(applied.language), services)
        except Refused as error:
            _log_refusal(repository_id, "issue", error)
            return
        except Missing:
            pass  # Neither the repository nor its issues are there any more.
    with services.sessions() as session:
        repositories.forget(session, [repository_id])
    log.info("night.told", repository_id=repository_id, kind="issue", number=None)


def tell(name: str, repository_id: int, services: Services) -> None:
    """Have GitHub show what the job of that name is for. Raises Unreachable (retried), also while another is at it."""
    one = _judged(repository_id, services)
    post = next((post for post in _due(one, services) if name == f"audit-{post.kind}"), None) if one else None
    if post is None:
        return
    with services.sessions() as session:
        # Two jobs would make two issues: GitHub has no key for them.
        if not repository_posts.intend(session, repository_id, post.kind, at=services.clock()):
            raise Unreachable("another job is writing it at the moment")
    try:
        number = post.write()
    except (Refused, Missing) as error:
        # Without the permission, or with issues switched off: the next night tries again.
        _log_refusal(repository_id, post.kind, error)
        with services.sessions() as session:
            repository_posts.leave(session, repository_id, post.kind, at=services.clock())
        return
    with services.sessions() as session:
        repository_posts.confirm(
            session, repository_id, post.kind, number=number, digest=post.digest, at=services.clock()
        )
    log.info("night.told", repository_id=repository_id, kind=post.kind, number=number)


def _log_refusal(repository_id: int, kind: PostKind, error: HubError) -> None:
    log.warning("night.not-told", repository_id=repository_id, kind=kind, why=str(error), help=_HELP[kind])


def _write_issue(row: Row, issue: LicenseIssue, services: Services) -> int | None:
    return services.hub.issue(
        _place(row), marker=license_issue.MARKER, title=issue.title, body=issue.body, wanted=issue.wanted
    )


def _place(row: Row) -> RepositoryPlace:
    return RepositoryPlace(row.installation_id, row.owner, row.name, row.repository_id)


def _row(repository_id: int, services: Services) -> Row | None:
    with services.sessions() as session:
        row = repositories.get(session, repository_id)
    return row if row is not None and row.owner_id in services.served else None


def _judged(repository_id: int, services: Services) -> JudgedRepository | None:
    row = _row(repository_id, services)
    if row is None:
        return None
    try:
        on = stored_repository.bench(row.owner_id, services)
    except DocumentInvalid:
        return None
    found = stored_repository.one(row, on, services) if on else None
    return found if found is not None and found.is_read else None
