"""What is left to do once an erasure is committed: nothing of it stays in the database's files."""

from bot.flows.parts import Parts


class StillReadable(Exception):  # noqa: N818 - reads as what happened
    """Somebody reads the database as it was before: it is tried again."""


def finish(parts: Parts) -> None:
    """Take what was deleted out of the files. Raises StillReadable."""
    if not parts.wipe():
        raise StillReadable
