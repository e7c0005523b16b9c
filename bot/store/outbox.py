"""Mail that waits to be sent: stored with the change that it speaks of, sealed, sent by a thread of the worker."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import ColumnElement, case, delete, func
from sqlmodel import Field, Session, SQLModel, col, select, update

from agreements.store.lookup.keys import account_key
from agreements.store.tables.columns import BigId, Moment
from agreements.vault import Vault, place
from bot.store.statements import Upsert, run, table

State = Literal["waiting", "sent", "kept", "failed", "withheld"]
"""`kept`: no mail server was set; `failed`: refused for good, or tried for a day; `withheld`: its address had its share, so it was
not written, only counted."""

CODE = "code"
"""The kind of letter that brings a one-time code."""

LEASE = timedelta(minutes=10)
"""How long whoever sends a letter has it for themselves; after a crash it is sent again then."""

WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, *[60] * 23))
"""How long after each try that did not work the next one comes: quickly at first, then hourly for a day."""

READABLE, KNOWN = timedelta(days=30), timedelta(days=400)
"""How long the contents of a letter that was kept or failed stay, and how long it is known that there was one."""


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


_ADD: Final = Upsert(
    Mail, lambda insert: insert.on_conflict_do_nothing(index_elements=["once"]).returning(table(Mail).c.id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Email:
    """What is to be written to whom: `kind` names the template, `values` fill it in.

    `once` names the occasion, of which there is one letter only; `account_id` is whom it is about.
    """

    kind: str
    to: str = field(repr=False)
    language: Literal["en", "zh"]
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    account_id: int | None = None
    once: str | None = None


def add(session: Session, vault: Vault, letter: Email, *, at: datetime, new_id: str) -> bool:
    """Store the letter with the caller's change; False when there is one for its occasion already."""
    sealed = vault.encrypt_for_server(json.dumps(asdict(letter), ensure_ascii=False).encode(), _place(new_id))
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
    # Several replicas may have the same occasion at the same moment: the database decides who was first.
    return run(session, _ADD, mail.model_dump()).first() is not None


def withhold(session: Session, kind: str, account_id: int, *, at: datetime, new_id: str) -> None:
    """Count a letter that is not written, since its address had its share; neither address nor contents are stored."""
    mail = Mail(id=new_id, kind=kind, account_id=account_id, state="withheld", not_before=at, made_at=at)
    session.add(mail)


def count(session: Session, kind: str, account_id: int, *, since: datetime) -> int:
    """How many letters of that kind about that account were asked for after `since`, also those that were withheld."""
    such = (col(Mail.kind) == kind, col(Mail.account_id) == account_key(account_id), col(Mail.made_at) > since)
    return session.exec(select(func.count()).select_from(Mail).where(*such)).one()


def lately(session: Session, account_id: int, occasion: str, *, since: datetime) -> bool:
    """Whether a letter about that account, whose `once` begins with `occasion`, was stored after `since`."""
    such = (col(Mail.account_id) == account_key(account_id), col(Mail.once).startswith(occasion, autoescape=True))
    return session.exec(select(Mail.id).where(*such, col(Mail.made_at) > since)).first() is not None


def opened(vault: Vault, mail: Mail) -> Email | None:
    """What the letter says; None when it was sent and forgotten. Raises DecryptionFailed."""
    return None if mail.sealed is None else Email(**json.loads(vault.decrypt_for_server(mail.sealed, _place(mail.id))))


def claim(session: Session, *, at: datetime) -> Mail | None:
    """The next letter to send, held for LEASE and counted as tried; None when none is due. Commit before sending.

    Codes come first, since somebody waits for them; then the least tried: what fails again and again holds up nothing.
    """
    due = (
        select(Mail.id, Mail.attempts)
        .where(col(Mail.state) == "waiting", col(Mail.not_before) <= at)
        .order_by(case((col(Mail.kind) == CODE, 0), else_=1), col(Mail.attempts), col(Mail.not_before), col(Mail.id))
        .limit(20)
    )
    for mail_id, attempts in session.exec(due).all():
        # Several replicas look at the same moment: only one of them finds the row as it was.
        mine = update(Mail).where(col(Mail.id) == mail_id, *_untouched(attempts))
        taken = session.exec(mine.values(attempts=attempts + 1, not_before=at + LEASE), execution_options=_BLIND)
        if taken.rowcount:
            return session.exec(select(Mail).where(col(Mail.id) == mail_id)).one()
    return None


def sent(session: Session, mail: Mail, *, at: datetime) -> None:
    """The mail server has taken the claimed letter: forget what it says."""
    _note(session, mail, state="sent", sent_at=at, sealed=None, error=None)


def put_off(session: Session, mail: Mail, error: str, *, at: datetime) -> State:
    """Sending the claimed letter did not work this time: try again later, or never. `error` holds nothing personal."""
    if mail.attempts > len(WAITS):
        return failed(session, mail, error)
    _note(session, mail, not_before=at + WAITS[mail.attempts - 1], error=error)
    return "waiting"


def failed(session: Session, mail: Mail, error: str) -> State:
    """The claimed letter cannot be sent, now or later. `error` holds nothing personal."""
    _note(session, mail, state="failed", error=error)
    return "failed"


def keep(session: Session) -> list[tuple[str, str]]:
    """Keep all that waits, since there is no mail server: id and kind of each."""
    waits = update(Mail).where(col(Mail.state) == "waiting")
    kept = session.exec(waits.values(state="kept").returning(col(Mail.id), col(Mail.kind)), execution_options=_BLIND)
    return [(mail_id, kind) for mail_id, kind in kept]


def again(session: Session, ids: Collection[str] = (), *, at: datetime) -> list[str]:
    """Have letters wait once more that were kept or have failed, these or all; their ids. Never a code, whose time is over."""
    over = (col(Mail.state).in_(["kept", "failed"]), col(Mail.sealed).is_not(None), col(Mail.kind) != CODE)
    these = (col(Mail.id).in_(list(ids)),) if ids else ()
    waits = update(Mail).where(*over, *these).values(state="waiting", attempts=0, not_before=at, error=None)
    return sorted(session.scalars(waits.returning(col(Mail.id)), execution_options=_BLIND))


def find(session: Session, mail_id: str) -> Mail | None:
    """The letter with that id."""
    return session.get(Mail, mail_id) if mail_id else None


def listed(session: Session, state: State | None = None) -> Iterator[Mail]:
    """Letters, oldest first, one at a time: a list may be long."""
    query = select(Mail).order_by(col(Mail.made_at), col(Mail.id))
    if state is not None:
        query = query.where(col(Mail.state) == state)
    yield from session.exec(query.execution_options(yield_per=500))


def counts(session: Session) -> dict[str, int]:
    """How many letters are in each state."""
    return dict(session.exec(select(Mail.state, func.count()).group_by(col(Mail.state))).all())


def forget(session: Session, account_id: int) -> int:
    """Delete every letter about that account, also those that wait; how many."""
    return int(session.exec(delete(Mail).where(col(Mail.account_id) == account_key(account_id))).rowcount)


def purge(session: Session, *, at: datetime) -> None:
    """Forget what old letters say, and at last that there were any; what waits is left alone."""
    over = col(Mail.state) != "waiting"
    old = update(Mail).where(over, col(Mail.made_at) <= at - READABLE, col(Mail.sealed).is_not(None))
    session.exec(old.values(sealed=None), execution_options=_BLIND)
    session.exec(delete(Mail).where(over, col(Mail.made_at) <= at - KNOWN))


_BLIND: Mapping[str, object] = {"synchronize_session": False}


def _untouched(attempts: int) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Nobody has claimed or ended the letter since it had that many attempts."""
    return col(Mail.state) == "waiting", col(Mail.attempts) == attempts


def _note(session: Session, mail: Mail, **what: object) -> None:
    """Write down what became of a claimed letter, unless its lease ran out and another has claimed it since."""
    mine = update(Mail).where(col(Mail.id) == mail.id, *_untouched(mail.attempts))
    session.exec(mine.values(**what), execution_options=_BLIND)


def _place(mail_id: str) -> str:
    return place("mail", "sealed", mail_id)
