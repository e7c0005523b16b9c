"""Warnings while the server works, at /readyz and in the log: one line a minute for each, as long as it lasts."""

from collections.abc import Iterator, Sequence

import structlog

from bot.monitoring.operating_facts import OperatingFacts, duration
from bot.telemetry.outages import Minute

log = structlog.get_logger()


class OperatingWarnings:
    """Judges the facts of each look. Only the thread that looks calls `look`; other threads may read `standing`."""

    def __init__(self) -> None:
        self.standing: Sequence[str] = ()  # One clause for each warning of the last look.
        self._minutes: dict[str, Minute] = {}
        self._has_looked = False

    def look(self, facts: OperatingFacts) -> None:
        """Take these facts in place of the last ones, and log what is due."""
        found = dict(self._found(facts))
        self._has_looked = True
        for what, why in found.items():
            if self._minutes.setdefault(what, Minute()).admits() is not None:  # The facts are read four times a minute.
                log.warning("operation.warning", what=what, why=why)
        for what in self._minutes.keys() - found.keys():
            del self._minutes[what]
            log.info("operation.well", what=what)
        self.standing = tuple(found.values())

    def _found(self, facts: OperatingFacts) -> Iterator[tuple[str, str]]:
        # A process first looks a moment before it takes jobs itself.
        if self._has_looked and not facts.workers:
            yield (
                "no-worker",
                "no worker is running, so every pull request waits: start `countersign serve`, role worker or all",
            )
        if facts.is_backup_due:
            last = "no backup of this database was ever recorded"
            if facts.backed_up_at is not None:
                last = f"the last backup that was recorded is {duration(facts.at - facts.backed_up_at)} old"
            yield "backup-due", f"{last}: run `countersign backup`, and see why the regular one is missing"
        if facts.is_losing and facts.lost_since is not None:  # The second is for mypy alone.
            many = "a webhook" if facts.lost_deliveries == 1 else f"{facts.lost_deliveries:,} webhooks"
            lost = (
                f"since {facts.lost_since:%Y-%m-%d %H:%M} UTC GitHub sends webhooks that do not arrive, {many} by now"
            )
            yield "deliveries-lost", f"{lost}: run countersign doctor"
        if facts.is_silent and facts.delivered_at is not None:
            since = duration(facts.at - facts.delivered_at)
            where = "in the App's settings at GitHub (Advanced, Recent deliveries)"
            yield "deliveries-silent", f"no webhook has come for {since}: see {where} whether it sends any"
        if facts.is_disk_scarce and facts.disk_free_bytes is not None:
            free, size = facts.disk_free_bytes / 1e6, facts.database_bytes / 1e6
            yield (
                "disk-scarce",
                f"the disk of the database has {free:,.0f} MB left for a database of {size:,.0f} MB: make room",
            )
