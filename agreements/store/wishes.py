"""The wish to be erased: one at a time for an account, decided by an administrator, and what became of it."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session, col, select

from agreements.store import ledger, people, subjects
from agreements.store.keys import account_key, text_key
from agreements.store.ledger import Change
from agreements.store.records import Erasure
from agreements.vault import SealBroken, Vault, place

ASKED = "asked"
"""The state of a wish that nobody has decided yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One wish as its owner sees it; `due_at` is when what is kept until then will be erased."""

    asked_at: datetime
    state: str
    reason: str = field(repr=False)
    decided_at: datetime | None
    due_at: datetime | None
    done_at: datetime | None


def ask(session: Session, vault: Vault, account_id: int, *, at: datetime, new_id: str, entry_id: str) -> bool:
    """Write down the wish and log it; False when one of this account waits to be decided already."""
    person = people.find(session, account_id)
    if person is not None:
        people.lock(session, person)
    open_still = select(Erasure.id).where(
        col(Erasure.account_id) == account_key(account_id), col(Erasure.state) == ASKED
    )
    if session.exec(open_still).first() is not None:
        return False
    row = Erasure(
        id=text_key(new_id),
        account_id=account_id,
        person_id=person.id if person else None,
        asked_at=at,
        state=ASKED,
    )
    session.add(row)
    session.flush()
    subject = subjects.of_account(session, vault, account_id)
    change = Change(kind="erasure.asked", actor_id=account_id, subject=subject, rows=[row])
    ledger.append(session, vault, change, at=at, new_id=entry_id)
    return True


def of_account(session: Session, vault: Vault, account_id: int) -> tuple[Wish, ...]:
    """The account's wishes, the newest first."""
    query = select(Erasure).where(col(Erasure.account_id) == account_key(account_id))
    return tuple(
        Wish(
            asked_at=row.asked_at,
            state=row.state,
            reason=_reason(vault, row),
            decided_at=row.decided_at,
            due_at=row.due_at,
            done_at=row.done_at,
        )
        for row in session.exec(query.order_by(col(Erasure.asked_at).desc(), col(Erasure.id)))
    )


def _reason(vault: Vault, row: Erasure) -> str:
    if row.reason is None:
        return ""
    try:
        return vault.open_for_server(row.reason, place("erasure", "reason", row.id)).decode()
    except SealBroken:
        return ""
