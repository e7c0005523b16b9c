"""The completion of an erasure that is committed: keys are destroyed, deleted rows leave the database's files."""

import structlog

from agreements.store import erasures
from bot.flows.flow_services import Services

log = structlog.get_logger()


class StillReadable(Exception):
    """Deleted rows are still in the database's files, because a reader holds them: the job is tried again."""


def finish(services: Services) -> None:
    """Destroy erased people's keys, take what was deleted out of the files. Raises StillReadable, OSError."""
    destroy_keys(services)  # First: it cannot be held up by a reader.
    if not services.wipe():
        raise StillReadable


def destroy_keys(services: Services) -> None:
    """Destroy the keys of all who were erased, also where a copy of the file brought one back. Raises OSError."""
    if services.erasure_keys is None:
        return
    with services.sessions() as session:
        # Only of those whom an erasure names: a key without a person may be of one who is signing just now.
        gone = erasures.without_key(session, services.erasure_keys.ids())
        if gone and services.erasure_keys.destroy(gone):
            log.info("erasure-keys.destroyed", people=len(gone))
