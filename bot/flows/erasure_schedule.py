"""What is left to do once an erasure is committed: erasure keys are destroyed, and nothing of it stays in the database's files."""

import structlog

from agreements.store import erasures
from bot.flows.flow_services import Services

log = structlog.get_logger()


class StillReadable(Exception):
    """Somebody reads the database as it was before: it is tried again."""


def finish(parts: Services) -> None:
    """Destroy the keys of those who were erased, take what was deleted out of the files. Raises StillReadable, OSError."""
    destroy_keys(parts)
    if not parts.wipe():
        raise StillReadable


def destroy_keys(parts: Services) -> None:
    """The erasure keys of everybody whose data key was destroyed, also where a copy of the file brought one back. Raises OSError.

    Only of those whom an erasure names: a key whose person is not there yet belongs to somebody who is signing just now.
    """
    if parts.erasure_keys is None:
        return
    with parts.sessions() as session:
        gone = erasures.without_key(session, parts.erasure_keys.ids())
        if gone and parts.erasure_keys.destroy(gone):
            log.info("erasure-keys.destroyed", people=len(gone))
