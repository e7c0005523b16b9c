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
    """What is to be written to whom: `kind` names the template, `values` fill it in.

    `once` names the occasion, of which there is one letter only; `account_id` is whom it is about.
    """

    kind: str
    to: str = field(repr=False)
    language: Literal["en", "zh"]
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    account_id: int | None = None
    once: str | None = None


def add(session: Session, vault: Vault, letter: Letter, *, at: datetime, new_id: str) -> bool:
    """Store the letter with the caller's change; False when there is one for its occasion already."""
    if letter.once is not None and session.exec(select(Mail.id).where(col(Mail.once) == letter.once)).first():
        return False
    sealed = vault.seal_for_server(json.dumps(asdict(letter), ensure_ascii=False).encode(), _place(new_id))
    mail = Mail(
        id=new_id,
        kind=letter.kind,
        account_id=letter.account_id,
        once=letter.once,
        sealed=sealed,
        state="waiting",
        not_before=at,
        made_at=at,
    )
    session.add(mail)
    session.flush()
    return True


def opened(vault: Vault, mail: Mail) -> Letter | None:
    """What the letter says; None when it was sent and forgotten. Raises SealBroken."""
    return None if mail.sealed is None else Letter(**json.loads(vault.open_for_server(mail.sealed, _place(mail.id))))


def _place(mail_id: str) -> str:
    return place("mail", "sealed", mail_id)
