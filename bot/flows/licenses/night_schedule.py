"""The nightly audit: each account's repositories are listed, those that changed are queued to be read, then judged."""

from datetime import timedelta
from typing import Final

import structlog

from audit.store import account_states, repositories
from bot.flows import gather
from bot.flows.flow_services import Services
from bot.github.ports import Installation, RuleFile
from bot.job_queue import Job
from bot.licenses.applied_rules import organization
from bot.report import words
from bot.rulebook import effective
from bot.rulebook.yaml_document import DocumentInvalid

START_HOUR: Final = 3  # UTC.
# An account whose last night is longer ago is looked at in any hour: we were away, or it is new.
MISSED_AFTER: Final = timedelta(hours=26)
READING_TIMEOUT: Final = timedelta(hours=2)  # After so long what was read is judged, also while some could not be read.

log = structlog.get_logger()


def queue(services: Services) -> None:
    """A chore, done every hour: in the night's hour, or where a night was missed, the work is queued."""
    now = services.clock()
    with services.sessions() as session:
        begun = {state.owner_id: state.began_at for state in account_states.each(session)}
        served = services.served.known or frozenset()
        if now.hour == START_HOUR or any(
            now - begun.get(owner, now - MISSED_AFTER) >= MISSED_AFTER for owner in served
        ):
            services.engine.enqueue(session, Job("audit-night", queue="later"))


def night(job_id: str, services: Services) -> int:
    """Queue each account that we serve where the App is installed; gives the number. Raises HubError."""
    from bot.flows.licenses import changed_repositories  # noqa: PLC0415 - `queue` is called also where nothing is audited

    here = {
        installation.account.id: installation
        for installation in services.hub.installations()
        if installation.account.id in services.served
    }
    # Suspended for a while: nothing of it is forgotten.
    found = [installation for installation in here.values() if not installation.suspended]
    served = services.served.known or frozenset()
    with services.sessions() as session:
        # While a login is unknown, what we keep of an account may be of the one that it should have named.
        kept = {state.owner_id for state in account_states.each(session)} if not services.served.unknown else set()
        elsewhere = (served | kept) - here.keys()
        for installation in found:
            services.engine.enqueue(session, Job("audit-account", (installation.id, installation.account.id), "later"))
    for owner_id in sorted(elsewhere):
        changed_repositories.forget(owner_id, services)
        with services.sessions() as session:
            account_states.forget(session, owner_id)
            if owner_id in served:
                account_states.begin(session, owner_id, "", job_id, at=services.clock())
    return len(found)


def account(installation_id: int, owner_id: int, job_id: str, services: Services) -> None:
    """List one account's repositories and queue the changed ones. Raises HubError: done again, from where it was."""
    from bot.flows.licenses import changed_repositories  # noqa: PLC0415 - as above

    # The job may have waited: the App may be elsewhere by now.
    here = next(
        (installation for installation in services.hub.installations() if installation.id == installation_id), None
    )
    if here is None or here.account.id != owner_id or owner_id not in services.served:
        return
    at = services.clock()
    with services.sessions() as session:
        if not account_states.begin(session, owner_id, here.account.login, job_id, at=at):
            return
    if not _wants_audits(here, services):
        return
    listed = services.hub.listed(installation_id)
    before = changed_repositories.known(owner_id, services)
    asked = changed_repositories.among(listed, before)
    shas = services.hub.heads(installation_id, [repository.node for repository in asked])
    gone = before.keys() - {repository.place.repository_id for repository in listed}
    # Of those whose newest commit GitHub withholds nothing is written down: the next night asks again.
    listed = tuple(repository for repository in listed if repository.node in shas or repository not in asked)
    with services.sessions() as session:
        repositories.forget(session, gone)
    wanted = changed_repositories.remember(listed, shas, before, services, owner_id=owner_id, at=at)
    with services.sessions() as session:
        delay = READING_TIMEOUT if wanted else timedelta(0)
        services.engine.enqueue(session, Job("audit-edition", (owner_id,), "later", delay))
    log.info("night.listed", owner=owner_id, repositories=len(listed), asked=len(asked), read=wanted, gone=len(gone))


def _wants_audits(here: Installation, services: Services) -> bool:
    from bot.flows.licenses import changed_repositories, issue_publisher  # noqa: PLC0415 - as above

    owner_id = here.account.id
    file = gather.organization_rulebook(here.id, here.account, services)
    if not isinstance(file, RuleFile):
        problem = effective.unreachable(here.account.login, file).problem()
        return _nothing(owner_id, words.text(problem, "en").message, services)
    try:
        found = organization(file)
    except DocumentInvalid as error:
        return _nothing(owner_id, f"the organisation's rulebook has mistakes: {error.errors[0]}", services)
    if found is not None and found.wants_audits:
        return True
    closing = issue_publisher.left(owner_id, services)  # Before the rows go that name our issues.
    changed_repositories.forget(owner_id, services, but=[job.ids[0] for job in closing if isinstance(job.ids[0], int)])
    with services.sessions() as session:
        issue_publisher.queue(session, closing, services)
    if found is None:
        return _nothing(owner_id, "the organisation has no rulebook", services)
    return _nothing(owner_id, "the organisation's rulebook has no `licenses` section", services)


def _nothing(owner_id: int, why: str, services: Services) -> bool:
    with services.sessions() as session:
        account_states.failed(session, owner_id, why)
    log.info("night.nothing", owner=owner_id, why=why)
    return False
