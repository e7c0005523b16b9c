"""The request to be erased: one at a time for an account, decided by an administrator unless it is taken back first."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session, col, select, update

from agreements.store.ledger import stored_ledger
from agreements.store.lookup import account_key, from_row, text_key
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import Erasure
from agreements.vault import DecryptionFailed, Vault, place

ASKED = "asked"
"""The state of a request that waits to be decided."""

WITHDRAWN = "withdrawn"
"""The state of a request that was taken back before it was decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRequest:
    """One request as its owner sees it: when it was asked for, decided and done (`asked_at`, `decided_at`, `done_at`), its `state` and `reason`.

    `due_at` is when what is kept until then will be erased; `open`: it waits and is the person's own, so it may be
    taken back.
    """

    asked_at: datetime
    state: str
    reason: str = field(repr=False)
    decided_at: datetime | None
    due_at: datetime | None
    done_at: datetime | None
    open: bool


def open_request(context: RecordContext, account_id: int) -> Erasure | None:
    """A new row that waits to be decided; None while one of that account waits already."""
    # Of two at once the second finds the first: there may be no person to lock.
    stored_ledger.lock(context.session)
    waits = (col(Erasure.account_id) == account_key(account_id), col(Erasure.state) == ASKED)
    if context.session.exec(select(Erasure.id).where(*waits)).first() is not None:
        return None
    person = person_rows.find(context.session, account_id)
    person_id = person.id if person else None  # GitHub accounts without a record may ask, too.
    erasure_id = text_key(context.new_id())
    row = Erasure(id=erasure_id, account_id=account_id, person_id=person_id, asked_at=context.at, state=ASKED)
    context.session.add(row)
    return row


def ask(context: RecordContext) -> bool:
    """Store and log the request of the account that asks; False when one of that account waits already."""
    row = open_request(context, context.actor)
    if row is None:
        return False
    context.log("erasure.asked", context.actor, rows=[row])
    return True


def take_back(context: RecordContext) -> bool:
    """Take the account's own request back and log it; False when none waits, also if it was decided meanwhile."""
    session, account_id = context.session, context.actor
    person_rows.find_locked(session, account_id)
    own = (
        col(Erasure.account_id) == account_id,
        col(Erasure.state) == ASKED,
        # An order that an administrator opened has a reason from the start: it is not the person's to take back.
        col(Erasure.reason).is_(None),
    )
    if session.exec(select(Erasure.id).where(*own)).first() is None:
        return False
    # One statement: of this and a decision at the same moment, one finds that it came too late.
    taken = update(Erasure).where(*own).values(state=WITHDRAWN, decided_at=context.at, decided_by=account_id)
    erasure_id = session.execute(taken.returning(col(Erasure.id))).scalar()
    if erasure_id is None:
        return False
    # The statement above changed the row past the session.
    row = session.get_one(Erasure, erasure_id, populate_existing=True)
    context.log("erasure.withdrawn", account_id, rows=[row])
    return True


def of_account(session: Session, vault: Vault, account_id: int) -> tuple[ErasureRequest, ...]:
    """The account's requests, the newest first."""
    query = select(Erasure).where(col(Erasure.account_id) == account_key(account_id))
    return tuple(
        from_row(ErasureRequest, row, reason=reason_of(vault, row), open=row.state == ASKED and row.reason is None)
        for row in session.exec(query.order_by(col(Erasure.asked_at).desc(), col(Erasure.id)))
    )


def reason_of(vault: Vault, row: Erasure) -> str:
    """The reason that was given; empty without one, and when it can't be opened."""
    try:
        return vault.decrypt_for_server(row.reason, place("erasure", "reason", row.id)).decode() if row.reason else ""
    except DecryptionFailed:
        return ""
