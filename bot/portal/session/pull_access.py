"""The right to read what is stored of a pull request: every visitor may read of a public one, else GitHub is asked."""

import structlog
from flask import abort

from bot.github.ports import HubError, RepositoryPlace
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.redirects import PullName
from bot.portal.session.visitor import visitor
from bot.store.pulls import named_pulls
from bot.store.pulls.named_pulls import FoundPull

log = structlog.get_logger()


def readable_pull(owner: str, name: str, number: str) -> FoundPull:
    """The stored pull request; 404 for an unknown one and for one that the visitor may not read. Raises HubError."""
    asked = PullName.parse(f"{owner}/{name}/{number}")
    with reading() as (records, _vault, _at):
        pull = named_pulls.find(records, asked.owner, asked.name, asked.number) if asked else None
    if pull is None or pull.id is None or not _may_read(pull):  # 404 for both: a private repository stays unknown.
        abort(404)
    return pull


def _may_read(pull: FoundPull) -> bool:
    """Whether the visitor may read the page: anyone if public, else by GitHub's answer, kept for five minutes."""
    if not pull.private:
        return True
    who = visitor()
    if who is None:
        return False
    # By id: the name may be another repository's by now.
    place = RepositoryPlace(pull.installation_id, pull.owner, pull.name, pull.repository_id)
    try:
        return portal_services().readers.may_read(place, who.account)
    except HubError as error:
        log.warning("explain.access-not-known", why=type(error).__name__)
        with reading() as (records, _vault, _at):
            takes_part = named_pulls.takes_part(records, pull, who.account.id)
        if takes_part:
            raise  # They know that it exists: the page says why it can't be shown.
        return False
