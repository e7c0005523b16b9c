"""A change of the records as tests make it: within a session of theirs, at a moment of theirs, with ids of theirs."""

from datetime import UTC, datetime

from agreements.store.record_context import RecordContext
from bot import clock

AT = datetime(2026, 1, 1, tzinfo=UTC)


def within(session, vault, at=AT, new_id=clock.new_id, by=None):
    """The context of a change; `new_id` makes ids, or is the id of all that the change makes."""
    return RecordContext(session, vault, by, at, new_id if callable(new_id) else lambda: new_id)
