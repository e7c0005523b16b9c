"""Commits the public whitelist and the log's checkpoint to a repository every night; nothing reads them back."""

import structlog

from agreements import whitelist
from agreements.store import public_records
from agreements.store.ledger import stored_ledger
from bot.flows.flow_services import Services
from bot.github.ports import Missing, Refused, RepositoryPlace
from bot.job_queue import Job
from bot.whitelist_target import WhitelistTarget

PUBLISH_HOUR = 2  # UTC.

log = structlog.get_logger()


def queue(services: Services) -> None:
    """A chore, done every hour: in the night's hour the work is queued."""
    if services.whitelist_target is not None and services.clock().hour == PUBLISH_HOUR:
        with services.sessions() as session:
            # Twice does no harm: equal bytes change nothing.
            services.engine.enqueue(session, Job("publish-list", queue="later"))


def publish_list(services: Services) -> int:
    """Commit the files that differ; gives the number. Raises Unreachable: try again later."""
    if services.whitelist_target is None:
        return 0
    at, accepted = services.clock(), services.catalog.accepted()
    with services.sessions() as session:
        listing, note = public_records.listing(session, accepted=accepted, at=at), stored_ledger.newest(session)
    content = (listing.individuals, listing.domains, listing.updated)
    files = {"whitelist.json": whitelist.render(*content), "CLA-whitelist.json": whitelist.render_logins(*content)}
    if note is not None:
        files["checkpoint"] = note.encode()
    try:
        place = _place(services, services.whitelist_target)
        written = [
            name
            for name, content in files.items()
            if services.hub.put_file(place, services.whitelist_target.path(name), content, f"Update {name}")
        ]
    except (Missing, Refused) as error:  # Trying again would not help: the App lacks the permission or the repository.
        log.warning("list.not-published", why=str(error), help="give the App `contents: write` and that repository")
        return 0
    log.info("list.published", files=written)
    return len(written)


def _place(services: Services, whitelist_target: WhitelistTarget) -> RepositoryPlace:
    # Only an account that we serve: the App may be installed by strangers, too.
    for installation in services.hub.installations():
        if (
            installation.account.login.casefold() == whitelist_target.owner.casefold()
            and installation.account.id in services.served
        ):
            for repository in services.hub.listed(installation.id):
                if repository.place.name.casefold() == whitelist_target.name.casefold():
                    return repository.place
    raise Missing("the App is not installed on the repository for the whitelist")
