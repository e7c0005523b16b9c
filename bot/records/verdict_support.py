"""Finds verdicts that rest on records which no log entry names, or which had ended: rows that somebody put in and took out again."""

from collections.abc import Iterator
from datetime import timedelta

from sqlmodel import Session

from agreements.store.integrity.verification import NewestEntries
from bot.store.pulls import verdicts

MAX_DELAY = timedelta(minutes=15)
"""How long a verdict may take from what it read to the moment that it notes."""

_TABLES = ("signature", "company", "company_entry")


def unsupported(session: Session, newest: NewestEntries) -> Iterator[str]:
    """What is wrong with each such verdict; `newest` gives the newest entries on rows."""
    for lot in verdicts.resting(session):
        named = {table: {key for one in lot for kind, key in one.records if kind == table} for table in _TABLES}
        known = {table: newest(table, keys) for table, keys in named.items()}
        ended = newest("withdrawal", named["signature"])
        for one in lot:
            verdict = f"the verdict {one.id} on the pull request {one.pull_id}"
            for table, key in one.records:
                if key not in known.get(table, {}):
                    yield f"{verdict} rests on the row {table} {key}, which no entry names"
                elif table == "signature" and key in ended and ended[key].at + MAX_DELAY < one.judged_at:
                    yield f"{verdict} rests on the row signature {key}, which had been withdrawn"
