"""Decides erasure requests: deletes, restricts, and at the end of retention destroys a person's key. Each is one log entry."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import structlog
from sqlmodel import Session

from agreements.store import erasures
from agreements.store.erasures import DELETED, RESTRICTED, SHREDDED, ClaimedErasure, DecidedErasure, ErasureRefused
from agreements.store.ledger.stored_ledger import SERVER, LedgerSubject
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from bot.job_queue import Engine, Job
from bot.records.record_access import RecordAccess
from bot.store import activity_erasure, outbox
from bot.store.outbox import Email
from bot.store.pulls import rejudge

SHRED_INTERVAL = timedelta(hours=1)
"""The pause between two looks for people whose retention has ended."""

DONE, ABSENT = "done", "absent"
"""Further results of repeating an erasure: this database has it already; it knows no such person, and had nothing to delete."""

REPEATED = "Repeated after a backup was restored. The reason that was given first is not in the backup."
"""The reason of a restriction that was repeated: the list that it is repeated from holds no text."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Decision:
    """A decision: `by` whom (None: by time alone), `at` what moment, its `reason`; `due_at` ends retention, None to reckon it."""

    by: int | None
    at: datetime
    reason: str = ""
    due_at: datetime | None = None

    @property
    def columns(self) -> dict[str, object]:
        """The columns of the request that hold it."""
        return {"decided_at": self.at, "decided_by": self.by}


def nothing_is_kept(session: Session, account_id: int, holds: erasures.ErasureBlockers) -> bool:
    """True if nothing of that account must be kept: no signature, office at a company that counted, override or choice of cover."""
    return not holds.evidence and not activity_erasure.evidence(session, account_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasures:
    """Carries out erasures; `years` is how long evidence is kept, counted from the decision or the last withdrawal."""

    records: RecordAccess
    engine: Engine
    years: int

    def order(self, account_id: int, reason: str, *, by: int) -> str:
        """Open an erasure that the person did not ask for, as after a court's order; its id. Raises ErasureRefused."""
        with self.records.change(by) as context:
            row = erasures.order(context, account_id, reason)
            context.log("erasure.ordered", account_id, rows=[row])
            return row.id

    def may_delete(self, account_id: int) -> bool:
        """Whether nothing of that account must be kept: no signature, office at a company that counted, override or choice of cover."""
        with self.records.change() as context:
            return self._free(context.session, account_id, context.at)

    def delete(self, erasure_id: str, *, by: int) -> None:
        """Delete everything. Raises ErasureRefused (`unknown`, `decided`, or `kept` when something must be)."""
        with self.records.change(by) as context:
            session = context.session
            claimed = erasures.claim(session, erasure_id)
            account_id = claimed.row.account_id
            # Asked again under the locks of `claim`: the page that offered to delete is older than this.
            if not self._free(session, account_id, context.at):
                raise ErasureRefused("kept")
            # The address is read before it is deleted.
            to = erasures.write_to(session, context.vault, account_id)
            self._write(context, "erasure-deleted", to, {})
            self._delete(context, claimed, _Decision(by, context.at))

    def restrict(self, erasure_id: str, reason: str, *, by: int) -> None:
        """Keep restricted evidence, delete the rest. Raises ErasureRefused (`unknown`, `decided`, `nothing`)."""
        with self.records.change(by) as context:
            session = context.session
            claimed = erasures.claim(session, erasure_id)
            account_id = claimed.row.account_id
            if claimed.person is None or self._free(session, account_id, context.at):
                raise ErasureRefused("nothing")
            to = erasures.write_to(session, context.vault, account_id)
            values = {"reason": reason, "due": f"{self._due(session, account_id, context.at):%Y-%m-%d}"}
            self._write(context, "erasure-restricted", to, values)
            self._restrict(context, claimed, _Decision(by, context.at, reason))

    def repeat(self, erasure: DecidedErasure) -> str:
        """Repeat an erasure that a backup undid: DELETED, RESTRICTED, SHREDDED, ABSENT; DONE if it was not undone.

        The records in this database decide what must be kept; of a person whose key the list says was destroyed,
        nothing is. Raises ErasureRefused: `decided` where the request is another one, `kept` where evidence has no
        person; DecryptionFailed, also KeyDestroyed, where an address that may have to be kept cannot be read.
        """
        with self.records.change() as context:
            session = context.session
            claimed = erasures.claim_again(session, erasure)
            if claimed is None:
                return DONE
            # The first decision's moment stays: nothing is kept longer than it said. No e-mail is sent again.
            person, decision = (
                claimed.person,
                _Decision(erasure.decided_by, erasure.decided_at, REPEATED, erasure.due_at),
            )
            if self._free(session, erasure.account_id, context.at):
                self._delete(context, claimed, decision)
                return DELETED if person else ABSENT
            if person is None:
                raise ErasureRefused("kept")
            # A key that is missing proves no destruction: the file of erasure keys may be an older one, or another's.
            if erasure.state == SHREDDED:
                self._shred(context, claimed, decision)
                return SHREDDED
            self._restrict(context, claimed, decision)
            return RESTRICTED

    def shred(self) -> None:
        """Destroy the keys of people whose retention has ended, one person in each transaction."""
        with self.records.change() as context:
            found = erasures.due(context.session, at=context.at)
        for erasure_id in found:
            if self._shred_due(erasure_id):  # A transaction each: one that fails undoes no other.
                log.info("erasure.shredded", erasure=erasure_id)

    def _shred_due(self, erasure_id: str) -> bool:
        with self.records.change() as context:
            session, at = context.session, context.at
            row = erasures.find(session, erasure_id)
            person = person_rows.find(session, row.account_id) if row and row.state == RESTRICTED else None
            if row is None or person is None:
                return False
            # Under the lock the row is read anew: the state may have changed before it.
            person_rows.lock(session, person)
            session.refresh(row)
            if row.state != RESTRICTED:  # Another worker was quicker, and they may have come back with a new key since.
                return False
            # Reckoned anew: a withdrawal since the decision prolongs retention.
            due_at = self._due(session, row.account_id, row.decided_at or at)
            holds = erasures.holds(session, row.account_id, at=at)
            if holds.in_force or due_at > at:
                return False
            self._shred(context, ClaimedErasure(row, person))
            return True

    def _delete(self, context: RecordContext, claimed: ClaimedErasure, decision: "_Decision") -> None:
        session, (row, person) = context.session, claimed
        self._forget(session, row.account_id)
        activity_erasure.unname(session, row.account_id)
        changes = erasures.delete(session, row.account_id, person)
        erasures.decide(context.vault, row, DELETED, **decision.columns, done_at=context.at)
        subject = LedgerSubject("person", person.id) if person else SERVER
        self._finish(session, row.id)
        context.log("erasure.deleted", subject, rows=[row, *changes.rows], deleted=changes.deleted)

    def _restrict(self, context: RecordContext, claimed: ClaimedErasure, decision: "_Decision") -> None:
        session, (row, person) = context.session, claimed
        assert person is not None  # Of an account without a person there is nothing to restrict.
        due_at = decision.due_at or self._due(session, row.account_id, decision.at)
        self._forget(session, row.account_id)
        changes = erasures.restrict(session, context.vault, person, at=context.at)
        erasures.decide(context.vault, row, RESTRICTED, reason=decision.reason, **decision.columns, due_at=due_at)
        self._finish(session, row.id)
        rows, details = [row, *changes.rows], {"due": due_at.isoformat()}
        context.log("erasure.restricted", row.account_id, rows=rows, deleted=changes.deleted, details=details)

    def _shred(self, context: RecordContext, claimed: ClaimedErasure, decision: "_Decision | None" = None) -> None:
        session, at, (row, person) = context.session, context.at, claimed
        assert person is not None  # As above.
        self._forget(session, row.account_id)
        activity_erasure.unname(session, row.account_id)
        changes = erasures.shred(session, person, at=at)
        row.reason = None
        decided = {**decision.columns, "due_at": decision.due_at} if decision else {}
        erasures.decide(context.vault, row, SHREDDED, **decided, done_at=at)
        self._finish(session, row.id)
        rows, subject = [row, *changes.rows], LedgerSubject("person", person.id)
        context.log("erasure.shredded", subject, rows=rows, deleted=changes.deleted)

    def _free(self, session: Session, account_id: int, at: datetime) -> bool:
        return nothing_is_kept(session, account_id, erasures.holds(session, account_id, at=at))

    def _due(self, session: Session, account_id: int, decided_at: datetime) -> datetime:
        # The later of the decision and the last withdrawal begins the years.
        last = erasures.holds(session, account_id, at=decided_at).last_end
        return erasures.later(max(decided_at, last) if last else decided_at, self.years)

    def _forget(self, session: Session, account_id: int) -> None:
        rejudge.people(session, self.engine, [account_id])
        activity_erasure.forget(session, account_id)

    def _finish(self, session: Session, erasure_id: str) -> None:
        # Deleted rows stay in the database's files until `bot.flows.erasure_completion` has removed them.
        self.engine.enqueue(session, Job("erasure", (erasure_id,)))

    def _write(
        self,
        context: RecordContext,
        kind: Literal["erasure-deleted", "erasure-restricted"],
        to: tuple[str, Literal["en", "zh"]] | None,
        values: dict[str, str],
    ) -> None:
        if to is not None:  # Without a signed or proven address no e-mail can be sent.
            # Not filed under the account, whose mail is deleted; its text is deleted when it is sent.
            email = Email(kind=kind, to=to[0], language=to[1], values={**values, "site": self.records.url})
            outbox.add(context, email)
