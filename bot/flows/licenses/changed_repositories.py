"""The repositories of an account to read again: GitHub's list says what was pushed, a hash whether it matters."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from audit.store import nights, report_pages, repositories, totals
from audit.store.repositories import Row
from bot.flows.flow_services import Services
from bot.github.ports import InstallationRepository
from bot.job_queue import Job
from bot.licenses import remote_repository

# What was pushed so shortly before we looked may have been followed by more in the same second.
PUSH_OVERLAP: Final = timedelta(minutes=2)
_BATCH_REPOSITORIES: Final = 100


def known(owner_id: int, services: Services) -> dict[int, Row]:
    """The stored rows of an account's repositories, by id."""
    with services.sessions() as session:
        return {repository.repository_id: repository for repository in repositories.of(session, owner_id)}


def among(listed: Sequence[InstallationRepository], before: Mapping[int, Row]) -> list[InstallationRepository]:
    """The repositories whose newest commit may differ from the one that was read, or that must be read again."""
    return [repository for repository in listed if _may_differ(repository, before.get(repository.place.repository_id))]


def remember(
    listed: Sequence[InstallationRepository],
    shas: Mapping[str, str | None],
    before: Mapping[int, Row],
    services: Services,
    *,
    owner_id: int,
    at: datetime,
) -> int:
    """Store the list and the newest commits of those that were asked for; gives how many have to be read."""
    count = 0
    for start in range(0, len(listed), _BATCH_REPOSITORIES):
        # The list and the jobs that follow from it in one transaction: nothing is lost in between.
        with services.sessions() as session:
            for repository in listed[start : start + _BATCH_REPOSITORIES]:
                repository_id, row = repository.place.repository_id, before.get(repository.place.repository_id)
                repositories.update_listing(session, [_listed(repository, owner_id, at)])
                sha = shas.get(repository.node)
                if repository.node in shas and sha is None:  # Without any commit.
                    repositories.mark_empty(session, repository_id, at=at)
                elif sha is not None and (row is None or sha != row.head_sha or _is_stale(row)):
                    repositories.request_reading(session, repository_id, sha, at=at)
                    services.engine.enqueue(session, Job("audit-repository", (repository_id,), "later"))
                    count += 1
    return count


def forget(owner_id: int, services: Services, but: Collection[int] = ()) -> None:
    """Forget an account that is no longer audited; of the repositories in `but`, keep what we wrote at GitHub."""
    with services.sessions() as session:
        gone = [
            repository.repository_id
            for repository in repositories.of(session, owner_id)
            if repository.repository_id not in but
        ]
        repositories.forget(session, gone)
        for repository_id in but:
            # What we wrote there has still to be closed.
            repositories.forget_contents(session, repository_id, "its licences are no longer audited")
        report_pages.keep_only(session, owner_id, ())
        nights.purge(session, owner_id)
        totals.purge(session, owner_id)


def _may_differ(repository: InstallationRepository, row: Row | None) -> bool:
    if row is None or (row.pushed_at, row.branch) != (repository.pushed_at, repository.branch):
        return True
    return _is_stale(row) or (repository.pushed_at is not None and repository.pushed_at > row.looked_at - PUSH_OVERLAP)


def _is_stale(row: Row) -> bool:
    # An older release may have read less of it, or otherwise.
    outdated = row.head_sha is not None and not remote_repository.is_current(row.fingerprint)
    return outdated or row.wanted_sha is not None or bool(row.why)


def _listed(repository: InstallationRepository, owner_id: int, at: datetime) -> Row:
    place = repository.place
    return Row(
        repository_id=place.repository_id,
        owner_id=owner_id,
        installation_id=place.installation,
        owner=place.owner,
        name=place.name,
        node=repository.node,
        branch=repository.branch,
        private=repository.private,
        archived=repository.archived,
        fork=repository.fork,
        pushed_at=repository.pushed_at,
        looked_at=at,
    )
