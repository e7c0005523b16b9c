"""Takes into the log what releases before did not name (`agreements.store.ledger.upgrade`): at start, and for a day beside serving."""

from dataclasses import dataclass
from datetime import timedelta

import structlog

from agreements.ledger_chain import LogBroken
from agreements.store.ledger import upgrade
from agreements.store.lookup.keys import NewId
from agreements.vault import Vault
from bot.clock import Clock
from bot.db import Sessions
from bot.records import row_codes

CHECK_INTERVAL = timedelta(minutes=10)
"""How often it is looked whether a process of the release before wrote something."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class LogUpgrade:
    """Names such rows in the log, and says in it that people are named from then on."""

    sessions: Sessions
    vault: Vault
    clock: Clock
    new_id: NewId

    def take_in(self) -> int:
        """How many rows; 0 also where nothing is to be taken in. Raises LogBroken where the log is not what was signed."""
        with self.sessions() as session:
            if not upgrade.is_needed(session.connection(), self.clock()):
                return 0
        row_codes.make(self.sessions, self.vault)
        rows = 0
        for model in upgrade.ROWS:
            after: str | None = ""
            while after is not None:
                with self.sessions() as session:
                    after, named = upgrade.take_in(
                        session, self.vault, model, after, at=self.clock(), new_id=self.new_id()
                    )
                rows += named
        with self.sessions() as session:
            upgrade.finish(session, self.vault, at=self.clock(), new_id=self.new_id())
        return rows

    def take_in_anew(self) -> int:
        """The same after the release before ran once more, because an operator says so. Raises LogBroken."""
        row_codes.make(self.sessions, self.vault)
        with self.sessions() as session:
            upgrade.finish(session, self.vault, at=self.clock(), new_id=self.new_id(), anew=True)
        return self.take_in()

    def round(self) -> None:
        """The same beside serving; what keeps it from that is logged."""
        try:
            rows = self.take_in()
        except LogBroken as broken:
            log.warning("records.log-broken", entry=broken.entry, error=broken.what)
            return
        if rows:
            log.info("records.taken-in", rows=rows)
