"""Mail that waits to be sent: stored with the change that it speaks of, sealed, sent by a chore."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Literal

from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.columns import BigId, Moment
from agreements.vault import Vault, place


class Mail(SQLModel, table=True):
    """One message; address and values are sealed with the server's key, and forgotten once it is sent."""

    id: str = Field(primary_key=True)
    kind: str
    account_id: int | None = Field(default=None, sa_type=BigId, index=True)
    once: str | None = Field(default=None, unique=True, index=True)
    sealed: bytes | None = None
    state: str = Field(index=True)
    attempts: int = 0
    not_before: datetime = Field(sa_type=Moment)
    made_at: datetime = Field(sa_type=Moment)
    sent_at: datetime | None = Field(default=None, sa_type=Moment)
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What is to be written to whom: `kind` names the template, `values` fill it in."""

    kind: str
    to: str = field(repr=False)
    language: Literal["en", "zh"]
    values: Mapping[str, str] = field(default_factory=dict, repr=False)


def add(
    session: Session, vault: Vault, letter: Letter, *, account_id: int | None, at: datetime, new_id: str, once: str | None = None
) -> bool:  # fmt: skip
    """Store the letter with the caller's change. `once` names the occasion: a second letter for it is not stored (False)."""
    if once is not None and session.exec(select(Mail.id).where(col(Mail.once) == once)).first() is not None:
        return False
    sealed = vault.seal_for_server(json.dumps(asdict(letter), ensure_ascii=False).encode(), _place(new_id))
    mail = Mail(
        id=new_id, kind=letter.kind, account_id=account_id, once=once, sealed=sealed, state="waiting", not_before=at, made_at=at
    )  # fmt: skip
    session.add(mail)
    session.flush()
    return True


def opened(vault: Vault, mail: Mail) -> Letter | None:
    """What the letter says; None when it was sent and forgotten. Raises SealBroken."""
    return None if mail.sealed is None else Letter(**json.loads(vault.open_for_server(mail.sealed, _place(mail.id))))


def _place(mail_id: str) -> str:
    return place("mail", "sealed", mail_id)
