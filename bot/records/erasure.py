"""Decides erasure requests: deletes, restricts, and at the end of retention destroys a person's key. Each is one log entry."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import structlog
from sqlmodel import Session

from agreements.store import erasures
from agreements.store.erasures import DELETED, RESTRICTED, SHREDDED, ErasureRefused
from agreements.store.ledger.ledger import SERVER, LedgerSubject
from agreements.store.lookup.keys import NewId
from agreements.store.people import people
from agreements.store.record_context import RecordContext
from agreements.vault import Vault
from bot.clock import Clock
from bot.db import Sessions
from bot.job_queue import Engine, Job
from bot.store import erasure, outbox
from bot.store.outbox import Email
from bot.store.pulls import rejudge

SHRED_INTERVAL = timedelta(hours=1)
"""How often it is looked whose retention has ended."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasures:
    """Carries out erasures; `years` is how long evidence is kept, `site` our public address."""

    sessions: Sessions
    engine: Engine
    vault: Vault
    clock: Clock
    new_id: NewId
    site: str
    years: int

    def order(self, account_id: int, reason: str, *, by: int) -> str:
        """Open an erasure that the person did not ask for, as after a court's order; its id. Raises ErasureRefused."""
        with self.sessions() as session:
            context = self._context(session, by)
            row = erasures.order(session, self.vault, account_id, reason, at=context.at, new_id=self.new_id())
            context.log("erasure.ordered", account_id, rows=[row])
            return row.id

    def may_delete(self, account_id: int) -> bool:
        """Whether nothing of that account must be kept: no signature, no office at a company that ever counted, no override."""
        with self.sessions() as session:
            return self._free(session, account_id, self.clock())

    def delete(self, erasure_id: str, *, by: int) -> None:
        """Delete everything. Raises ErasureRefused (`unknown`, `decided`, or `kept` when something must be)."""
        with self.sessions() as session:
            context = self._context(session, by)
            at = context.at
            row, person = erasures.claim(session, erasure_id)
            account_id = row.account_id
            if not self._free(session, account_id, at):
                raise ErasureRefused("kept")
            to = erasures.write_to(session, self.vault, account_id)
            self._forget(session, account_id)
            erasure.unname(session, account_id)
            changes = erasures.delete(session, account_id, person)
            erasures.decide(self.vault, row, DELETED, decided_at=at, decided_by=by, done_at=at)
            self._write(session, "erasure-deleted", to, {}, at)
            subject = LedgerSubject("person", person.id) if person else SERVER
            self._finish(session, row.id)
            context.log("erasure.deleted", subject, rows=[row, *changes.rows], deleted=changes.deleted)

    def restrict(self, erasure_id: str, reason: str, *, by: int) -> None:
        """Keep the evidence, restricted, and delete the rest. Raises ErasureRefused (`unknown`, `decided`, `nothing`)."""
        with self.sessions() as session:
            context = self._context(session, by)
            at = context.at
            row, person = erasures.claim(session, erasure_id)
            if person is None or self._free(session, row.account_id, at):
                raise ErasureRefused("nothing")
            due_at = self._due(session, row.account_id, at)
            to = erasures.write_to(session, self.vault, row.account_id)
            self._forget(session, row.account_id)
            changes = erasures.restrict(session, self.vault, person, at=at)
            erasures.decide(self.vault, row, RESTRICTED, reason=reason, decided_at=at, decided_by=by, due_at=due_at)
            self._write(session, "erasure-restricted", to, {"reason": reason, "due": f"{due_at:%Y-%m-%d}"}, at)
            self._finish(session, row.id)
            rows, details = [row, *changes.rows], {"due": due_at.isoformat()}
            context.log("erasure.restricted", row.account_id, rows=rows, deleted=changes.deleted, details=details)

    def shred(self) -> None:
        """Destroy the keys of those whose retention has ended, one person a transaction."""
        with self.sessions() as session:
            found = erasures.due(session, at=self.clock())
        for erasure_id in found:
            if self._shred(erasure_id):
                log.info("erasure.shredded", erasure=erasure_id)

    def _shred(self, erasure_id: str) -> bool:
        with self.sessions() as session:
            context = self._context(session, None)
            at = context.at
            row = erasures.find(session, erasure_id)
            person = people.find(session, row.account_id) if row and row.state == RESTRICTED else None
            if row is None or person is None:
                return False
            people.lock(session, person)
            session.refresh(row)
            if row.state != RESTRICTED:  # another worker was quicker, and they may have come back with a new key since
                return False
            due_at = self._due(session, row.account_id, row.decided_at or at)
            holds = erasures.holds(session, row.account_id, at=at)
            if holds.in_force or due_at > at:
                return False
            self._forget(session, row.account_id)
            erasure.unname(session, row.account_id)
            changes = erasures.shred(session, person, at=at)
            row.reason = None
            erasures.decide(self.vault, row, SHREDDED, done_at=at)
            self._finish(session, row.id)
            rows, subject = [row, *changes.rows], LedgerSubject("person", person.id)
            context.log("erasure.shredded", subject, rows=rows, deleted=changes.deleted)
            return True

    def _free(self, session: Session, account_id: int, at: datetime) -> bool:
        kept = erasures.holds(session, account_id, at=at).evidence
        return not kept and not erasure.overrides(session, account_id)

    def _due(self, session: Session, account_id: int, decided_at: datetime) -> datetime:
        """So many years after the decision or the last withdrawal, whichever is later."""
        last = erasures.holds(session, account_id, at=decided_at).last_end
        return erasures.later(max(decided_at, last) if last else decided_at, self.years)

    def _forget(self, session: Session, account_id: int) -> None:
        """Judge their open pull requests again; delete what the bot's own tables hold of them."""
        rejudge.people(session, self.engine, [account_id])
        erasure.forget(session, account_id)

    def _finish(self, session: Session, erasure_id: str) -> None:
        """Once this is committed, nothing of it may be left beside the tables either (`bot.flows.erasure_completion`)."""
        self.engine.enqueue(session, Job("erasure", (erasure_id,)))

    def _write(
        self,
        session: Session,
        kind: Literal["erasure-deleted", "erasure-restricted"],
        to: tuple[str, Literal["en", "zh"]] | None,
        values: dict[str, str],
        at: datetime,
    ) -> None:
        """One last e-mail; it is not filed under the account, and what it says is forgotten when it is sent."""
        if to is not None:
            email = Email(kind=kind, to=to[0], language=to[1], values={**values, "site": self.site})
            outbox.add(session, self.vault, email, at=at, new_id=self.new_id())

    def _context(self, session: Session, by: int | None) -> RecordContext:
        return RecordContext(session, self.vault, by, self.clock(), self.new_id)
