"""Mail that waits to be sent, sealed: stored with the change that it speaks of, so that there are both or neither."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final, Literal

from sqlalchemy import delete, func
from sqlmodel import Field, Session, col, select, update

from agreements.store.lookup import account_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.columns import BigId
from agreements.store.tables.declarations import declare
from agreements.vault import Vault, place
from bot.store.leases import Lease, lease_indexes
from bot.store.outgoing import NO_SYNCHRONIZE, Outgoing, OutgoingRow
from bot.store.statements import Upsert, run, table

State = Literal["waiting", "sent", "kept", "failed", "withheld"]
"""`kept`: no mail server was set; `failed`: refused for good, or tried for a day; `withheld`: its address had its share, so it was
not written, only counted."""

CODE_KINDS: Final = ("code", "signatory-code")
"""The kinds of e-mails that bring a one-time code."""

CONTENT_RETENTION, ROW_RETENTION = timedelta(days=30), timedelta(days=400)
"""How long the contents of an e-mail that was kept or failed stay, and how long its row stays."""


class Mail(OutgoingRow, table=True):
    """An e-mail; its address and values are sealed with the server's key, and deleted once it is sent."""

    __table_args__ = (*lease_indexes("mail"), declare(sealed="sealed", erased="account"))

    kind: str
    account_id: int | None = Field(default=None, sa_type=BigId, index=True)
    once: str | None = Field(default=None, unique=True, index=True)
    sealed: bytes | None = None


class Emails(Outgoing[Mail]):
    """The e-mails that wait."""

    model = Mail
    job = "mail"
    share = "attempts"  # Those that were tried less often take turns with the others: failures hold up none.
    threads = MappingProxyType({"outgoing": 1})
    max_threads = 1  # Connections to the mail server: many servers allow few.
    max_claims = 2  # An urgent e-mail may come in while they are sent.

    def once_sent(self) -> Mapping[str, object]:
        """The contents of an e-mail are deleted once the mail server has taken it."""
        return {"sealed": None}


EMAILS: Final = Emails()

_ADD: Final = Upsert(
    Mail, lambda insert: insert.on_conflict_do_nothing(index_elements=["once"]).returning(table(Mail).c.id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Email:
    """An e-mail in a `language` to be written `to` an address: `kind` names the template, `values` fill it in.

    `once` names the occasion, of which there is one e-mail only; `account_id` is the account that it is about.
    """

    kind: str
    to: str = field(repr=False)
    language: Literal["en", "zh"]
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    account_id: int | None = None
    once: str | None = None


def add(context: RecordContext, email: Email) -> bool:
    """Store the e-mail with the caller's change; False when there is one for its occasion already."""
    mail_id, at = context.new_id(), context.at
    plain = json.dumps(asdict(email), ensure_ascii=False).encode()
    mail = Mail(
        id=mail_id,
        kind=email.kind,
        account_id=email.account_id,
        once=email.once,
        sealed=context.vault.encrypt_for_server(plain, _place(mail_id)),
        state="waiting",
        due_at=at,
        urgent=email.kind in CODE_KINDS,  # A person waits for it at the page.
        not_before=at,
        made_at=at,
    )
    # Several replicas may have the same occasion at the same moment: the database decides who was first.
    return run(context.session, _ADD, mail.model_dump()).first() is not None


def record_suppressed(context: RecordContext, kind: str, account_id: int) -> None:
    """Count an e-mail that is not written, since its address had its share; neither address nor contents are stored."""
    at, mail_id = context.at, context.new_id()
    mail = Mail(id=mail_id, kind=kind, account_id=account_id, state="withheld", not_before=at, made_at=at)
    context.session.add(mail)


def count(session: Session, kind: str, account_id: int, *, since: datetime) -> int:
    """The number of e-mails of that kind about that account asked for after `since`, also those that were withheld."""
    such = (col(Mail.kind) == kind, col(Mail.account_id) == account_key(account_id), col(Mail.made_at) > since)
    return session.exec(select(func.count()).select_from(Mail).where(*such)).one()


def sent_recently(session: Session, account_id: int, occasion: str, *, since: datetime) -> bool:
    """True if an e-mail about that account, whose `once` begins with `occasion`, was stored after `since`."""
    such = (col(Mail.account_id) == account_key(account_id), col(Mail.once).startswith(occasion, autoescape=True))
    return session.exec(select(Mail.id).where(*such, col(Mail.made_at) > since)).first() is not None


def count_accounts(session: Session, occasion: str, *, since: datetime) -> int:
    """The number of accounts about which an e-mail was stored after `since` whose `once` begins with `occasion`."""
    such = (col(Mail.once).startswith(occasion, autoescape=True), col(Mail.made_at) > since)
    return session.exec(select(func.count(func.distinct(col(Mail.account_id)))).where(*such)).one()


def opened(vault: Vault, mail: Mail) -> Email | None:
    """The e-mail, opened; None when it was sent and forgotten. Raises DecryptionFailed."""
    return None if mail.sealed is None else Email(**json.loads(vault.decrypt_for_server(mail.sealed, _place(mail.id))))


def kept(session: Session, lease: Lease[Mail]) -> None:
    """Keep an e-mail unsent and readable, since there is no mail server."""
    EMAILS.release(session, lease, state="kept", due_at=None)


def again(session: Session, ids: Collection[str] = (), *, at: datetime) -> list[str]:
    """Have e-mails wait once more that were kept or have failed, these or all; gives their ids."""
    # Never a code, whose time is over.
    over = (col(Mail.state).in_(["kept", "failed"]), col(Mail.sealed).is_not(None), col(Mail.kind).not_in(CODE_KINDS))
    return EMAILS.send_again(session, ids, *over, at=at)


def find(session: Session, mail_id: str) -> Mail | None:
    """The e-mail with that id."""
    return session.get(Mail, mail_id) if mail_id else None


def purge(session: Session, *, at: datetime) -> None:
    """Delete the contents of old e-mails, and later their rows; e-mails that wait are left alone."""
    over = col(Mail.state) != "waiting"
    old = EMAILS.free(over, col(Mail.made_at) <= at - CONTENT_RETENTION, col(Mail.sealed).is_not(None))
    session.exec(update(Mail).where(col(Mail.id).in_(old)).values(sealed=None), execution_options=NO_SYNCHRONIZE)
    known = EMAILS.free(over, col(Mail.made_at) <= at - ROW_RETENTION)
    session.exec(delete(Mail).where(col(Mail.id).in_(known)), execution_options=NO_SYNCHRONIZE)


def _place(mail_id: str) -> str:
    return place("mail", "sealed", mail_id)
