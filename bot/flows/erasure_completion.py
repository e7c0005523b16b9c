"""Completes an erasure that is committed: destroys erasure keys, and removes deleted rows from the database's files."""

import structlog

from agreements.store import erasures
from bot.flows.flow_services import Services

log = structlog.get_logger()


class StillReadable(Exception):
    """Deleted rows are still in the database's files, because a reader holds them: the job is tried again."""


def finish(services: Services) -> None:
    """Destroy the keys of those who were erased, take what was deleted out of the files. Raises StillReadable, OSError."""
    destroy_keys(services)
    if not services.wipe():
        raise StillReadable


def destroy_keys(services: Services) -> None:
    """The erasure keys of all people whose data key was destroyed, also where a copy of the file brought one back. Raises OSError.

    Only of those whom an erasure names: a key whose person is not there yet belongs to a person who is signing just now.
    """
    if services.erasure_keys is None:
        return
    with services.sessions() as session:
        gone = erasures.without_key(session, services.erasure_keys.ids())
        if gone and services.erasure_keys.destroy(gone):
            log.info("erasure-keys.destroyed", people=len(gone))
