"""What an operator is told although the server works, at /readyz and in the log: one line a minute for each, as long as it lasts."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import structlog

from bot.monitoring.operating_facts import OperatingFacts, duration
from bot.telemetry.outages import Minute

log = structlog.get_logger()


class OperatingWarnings:
    """Judges the facts of each look. Only the thread that looks calls `look`; anybody may read `standing`."""

    def __init__(self) -> None:
        self.standing: Sequence[str] = ()
        """What is to be said as of the last look, one clause each."""
        self._minutes: dict[str, Minute] = {}
        self._has_looked = False

    def look(self, facts: OperatingFacts) -> None:
        """Take these facts in place of the last ones, and log what is due."""
        found = dict(self._found(facts))
        self._has_looked = True
        for what, why in found.items():
            if self._minutes.setdefault(what, Minute()).admits() is not None:
                log.warning("operation.warning", what=what, why=why)
        for what in self._minutes.keys() - found.keys():
            del self._minutes[what]
            log.info("operation.well", what=what)
        self.standing = tuple(found.values())

    def _found(self, facts: OperatingFacts) -> Iterator[tuple[str, str]]:
        """What each is called in the log, and what it says."""
        # A process first looks a moment before it takes jobs itself.
        if self._has_looked and not facts.workers:
            yield (
                "no-worker",
                "no worker is running, so every pull request waits: start `countersign serve`, role worker or all",
            )
        if facts.is_backup_due:
            yield "backup-due", f"{_backup(facts)}: run `countersign backup`, and see why the regular one is missing"
        if facts.is_losing and facts.lost_since is not None:
            yield "deliveries-lost", _lost(facts.lost_deliveries, facts.lost_since)
        if facts.is_silent and facts.delivered_at is not None:
            yield "deliveries-silent", _silent(facts.at - facts.delivered_at)
        if facts.is_disk_scarce and facts.disk_free_bytes is not None:
            free, size = facts.disk_free_bytes / 1e6, facts.database_bytes / 1e6
            yield (
                "disk-scarce",
                f"the disk of the database has {free:,.0f} MB left for a database of {size:,.0f} MB: make room",
            )


def _backup(facts: OperatingFacts) -> str:
    if facts.backed_up_at is None:
        return "no backup of this database was ever recorded"
    return f"the last backup that was recorded is {duration(facts.at - facts.backed_up_at)} old"


def _lost(deliveries: int, since: datetime) -> str:
    many = "a webhook" if deliveries == 1 else f"{deliveries:,} webhooks"
    return f"since {since:%Y-%m-%d %H:%M} UTC GitHub sends webhooks that do not arrive, {many} by now: run countersign doctor"


def _silent(span: timedelta) -> str:
    return (
        f"no webhook has come for {duration(span)}: see in the App's settings at GitHub (Advanced, Recent deliveries)"
        " whether it sends any"
    )
