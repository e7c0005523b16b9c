"""The reading of one repository at GitHub, kept encrypted; if nothing relevant changed, that costs one request."""

from datetime import timedelta
from typing import Final

import structlog

from audit.facts import Repository, Source
from audit.scan.serialization import RepositorySnapshot, pack
from audit.store import repositories
from audit.store.repositories import Row, StoredReading
from bot.flows.flow_services import Services
from bot.github.ports import HubError, Missing, PendingReport, Refused, RepositoryPlace
from bot.job_queue import Job
from bot.licenses import remote_repository, sealed_files
from bot.licenses.blob_cache import KeptBlobs

# A repository that could not be read for so long waits for the next night.
READING_DEADLINE: Final = timedelta(hours=6)
SBOM_RETRY_DELAY: Final = timedelta(minutes=1)  # GitHub is asked again for what it still works on.
SBOM_TIMEOUT: Final = timedelta(minutes=30)  # After so long it is done without GitHub's list of dependencies.
SBOM: Final = "dependency-graph.spdx.json"
"""The path under which findings and places name that list; it is no file of the repository."""

log = structlog.get_logger()


def read_repository(repository_id: int, services: Services) -> None:
    """Read the commit that is wanted; after the account's last one that is judged. Raises HubError: done again."""
    with services.sessions() as session:
        row = repositories.get(session, repository_id)
    if row is None or row.wanted_sha is None or row.owner_id not in services.served:
        return
    try:
        is_done = _read(row, row.wanted_sha, services)
    except HubError as error:
        # Those two last: a repository that is gone, or not for us, is given up at once.
        if not isinstance(error, Missing | Refused) and _waited(row, services) < READING_DEADLINE:
            raise
        log.warning("night.not-read", repository=f"{row.owner}/{row.name}", why=str(error))
        is_done = True
        with services.sessions() as session:
            repositories.give_up(session, row.repository_id, str(error))
    with services.sessions() as session:
        # The last one has the account judged: the report is of all of them.
        if is_done and not repositories.waiting(session, row.owner_id):
            services.engine.enqueue(session, Job("audit-edition", (row.owner_id,), "later"))


def _read(row: Row, sha: str, services: Services) -> bool:
    place = RepositoryPlace(row.installation_id, row.owner, row.name, row.repository_id)
    tree = services.hub.tree(place, sha)
    if remote_repository.is_same(row.fingerprint, tree):
        with services.sessions() as session:
            reading = StoredReading(sha, row.fingerprint)
            repositories.read(session, row.repository_id, reading, None, at=services.clock())
        log.info("night.same", repository=f"{row.owner}/{row.name}")
        return True
    blobs = KeptBlobs(services.hub, services.vault, services.sessions)
    found = remote_repository.of_tree(place, tree, blobs)
    if wants_sbom(found.repository):
        sbom = _sbom(row, place, services)
        if isinstance(sbom, PendingReport):  # GitHub works on it: the job was queued again.
            return False
        if sbom is not None:
            found = remote_repository.of_tree(place, tree, blobs, {SBOM: sbom})
    packed = pack(RepositorySnapshot(found.repository, found.rulebook))
    held = sealed_files.encrypt(services.vault, repositories.name(row.repository_id), packed)
    reading = StoredReading(sha, found.fingerprint, found.blobs)
    with services.sessions() as session:
        repositories.read(session, row.repository_id, reading, held, at=services.clock())
    log.info("night.read", repository=f"{row.owner}/{row.name}", dependencies=len(found.repository.dependencies))
    return True


def wants_sbom(found: Repository) -> bool:
    """True if GitHub's list may add something: there are dependencies, and no lock file names a licence of one."""
    return bool(found.dependencies) and all(
        dependency.license.source is not Source.LOCK_FILE for dependency in found.dependencies
    )


def _sbom(row: Row, place: RepositoryPlace, services: Services) -> str | PendingReport | None:
    try:
        sbom = services.hub.dependency_sbom(place, row.report)
    except (Missing, Refused) as error:  # It only adds to what was read.
        log.info("night.no-sbom", repository=f"{row.owner}/{row.name}", why=str(error))
        return None
    if not isinstance(sbom, PendingReport):
        return sbom
    if _waited(row, services) >= SBOM_TIMEOUT:
        return None
    with services.sessions() as session:
        repositories.reported(session, row.repository_id, sbom.report)
        services.engine.enqueue(session, Job("audit-repository", (row.repository_id,), "later", SBOM_RETRY_DELAY))
    return sbom


def _waited(row: Row, services: Services) -> timedelta:
    return services.clock() - row.wanted_at if row.wanted_at else timedelta(0)
