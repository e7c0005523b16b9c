"""The posts of the nightly audit at GitHub: one issue for violations, one pull request for the NOTICE."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final, NamedTuple

import structlog
from sqlmodel import Session

from audit.store import repositories, repository_posts
from audit.store.repositories import Row
from audit.store.repository_posts import PostKind
from audit.verdict.unreadable_input import unreadable
from bot.flows.flow_services import Services
from bot.flows.licenses import stored_repository
from bot.flows.licenses.stored_repository import JudgedRepository
from bot.github.ports import HubError, Missing, PullRequestProposal, Refused, RepositoryPlace, Unreachable
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


class _Post(NamedTuple):
    """A post of one `kind` for GitHub: its `content`, of which `digest` is; None: nothing is left to be shown."""

    kind: PostKind
    digest: str
    content: LicenseIssue | PullRequestProposal | None


def due(judged: JudgedRepository, services: Services) -> Iterator[Job]:
    """The jobs for what GitHub does not show yet."""
    for post in _due(judged, services):
        if post.content:
            yield Job(f"audit-{post.kind}", (judged.row.repository_id,), "later")
        else:
            _record(judged.row.repository_id, post, None, services)


def _due(judged: JudgedRepository, services: Services) -> list[_Post]:
    # GitHub refuses writes in archived repositories; a fork's matters are those of where it comes from.
    if judged.applied.quiet or judged.row.archived or judged.row.fork:
        return []
    with services.sessions() as session:
        shown = repository_posts.digests(session, judged.row.repository_id)
    posts = (_issue(judged, is_new="issue" not in shown), _notice(judged))
    return [post for post in posts if post and post.digest != shown.get(post.kind, "")]


def _issue(judged: JudgedRepository, *, is_new: bool) -> _Post | None:
    issue, is_settled_in_doubt = license_issue.ended(judged.applied.language), False
    if judged.applied.policy.issue:
        issue = license_issue.issue(judged.audited, judged.failing, judged.applied.language, judged.own_unknown)
        is_settled_in_doubt = not issue.wanted and any(unreadable(judged.audited.findings))
    # While a registry could not be asked nothing new is claimed, and while a file could not be read not that no
    # violation is left.
    if judged.doubtful or is_settled_in_doubt or (is_new and not issue.wanted):
        return None
    return _Post("issue", issue.digest, issue)


def _notice(judged: JudgedRepository) -> _Post:
    change = notice_change.change(judged.audited) if judged.applied.policy.notices else None
    if change is None:
        # It is as it should be; should it be otherwise again, the same words are proposed again.
        return _Post("notice", "", None)
    return _Post("notice", change.digest, notice_change.proposal(change, judged.applied.language))


def queue(session: Session, jobs: Sequence[Job], services: Services) -> None:
    """Queue the posts one after the other, so that GitHub's limits hold also on the first night."""
    for number, job in enumerate(jobs):
        services.engine.enqueue(session, replace(job, delay=DELAY_BETWEEN_REPOSITORIES * number))


def left(owner_id: int, services: Services) -> list[Job]:
    """The jobs that close the issues of an account whose licences are no longer audited."""
    with services.sessions() as session:
        rows = [
            repository.repository_id for repository in repositories.of(session, owner_id) if not repository.archived
        ]
        shown = {row: repository_posts.digests(session, row).get("issue", "") for row in rows}
    open_ones = [
        repository_id for repository_id, digest in shown.items() if digest and not license_issue.is_closed(digest)
    ]
    return [Job("audit-end", (repository_id,), "later") for repository_id in open_ones]


def end(repository_id: int, services: Services) -> None:
    """Close such a repository's issue, saying why, and forget it. Raises Unreachable: done again later."""
    row = _row(repository_id, services)
    try:
        rules = row and stored_repository.rules(row.owner_id, services)
    except DocumentInvalid:
        return
    if row is None or (rules and rules.wants_audits):  # Asked for again since this job was queued.
        return
    applied = (rules or without()).applied(f"{row.owner}/{row.name}", None)
    if not applied.quiet:
        try:
            _write(row, license_issue.ended(applied.language), services)
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
    judged = _judged(repository_id, services)
    post = next((post for post in _due(judged, services) if name == f"audit-{post.kind}"), None) if judged else None
    if judged is None or post is None or post.content is None:
        return
    with services.sessions() as session:
        # Two jobs would make two issues: GitHub has no key for them.
        if not repository_posts.intend(session, repository_id, post.kind, at=services.clock()):
            raise Unreachable("another job is writing it at the moment")
    try:
        number = _write(judged.row, post.content, services)
    except (Refused, Missing) as error:
        # Without the permission, or with issues switched off: the next night tries again.
        _log_refusal(repository_id, post.kind, error)
        with services.sessions() as session:
            repository_posts.leave(session, repository_id, post.kind, at=services.clock())
        return
    _record(repository_id, post, number, services)
    log.info("night.told", repository_id=repository_id, kind=post.kind, number=number)


def _record(repository_id: int, post: _Post, number: int | None, services: Services) -> None:
    kind, digest, _content = post
    with services.sessions() as session:
        repository_posts.confirm(session, repository_id, kind, number=number, digest=digest, at=services.clock())


def _log_refusal(repository_id: int, kind: PostKind, error: HubError) -> None:
    log.warning("night.not-told", repository_id=repository_id, kind=kind, why=str(error), help=_HELP[kind])


def _write(row: Row, content: LicenseIssue | PullRequestProposal, services: Services) -> int | None:
    place = RepositoryPlace(row.installation_id, row.owner, row.name, row.repository_id)
    if isinstance(content, PullRequestProposal):
        return services.hub.propose(place, content)
    title, body, wanted = content.title, content.body, content.wanted
    return services.hub.issue(place, marker=license_issue.MARKER, title=title, body=body, wanted=wanted)


def _row(repository_id: int, services: Services) -> Row | None:
    with services.sessions() as session:
        row = repositories.get(session, repository_id)
    return row if row is not None and row.owner_id in services.served else None


def _judged(repository_id: int, services: Services) -> JudgedRepository | None:
    row, bench = _row(repository_id, services), None
    with suppress(DocumentInvalid):
        bench = stored_repository.bench(row.owner_id, services) if row else None
    found = stored_repository.read(row, bench, services) if row and bench else None
    return found if found is not None and found.is_read else None
