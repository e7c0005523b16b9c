"""Checks the whole log, and every row of the records against the newest entry that names it; in bounded memory."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select, text
from sqlmodel import Session, SQLModel

from agreements import ledger
from agreements.chain import Chain, LogBroken
from agreements.ledger import NoteInvalid, NoteMisshapen, Written
from agreements.store.company_records import Company
from agreements.store.details import Details, Wrapped
from agreements.store.ledger import public_key
from agreements.store.ledger_records import LedgerCheckpoint, LedgerEntry
from agreements.store.named_rows import NamedRows
from agreements.store.records import Person
from agreements.store.stored import Stored, Unreadable, read
from agreements.vault import SealBroken, Vault

_BATCH = 1000
_ENTRY, _CHECKPOINT, _PERSON, _COMPANY = (
    SQLModel.metadata.tables[str(table.__tablename__)] for table in (LedgerEntry, LedgerCheckpoint, Person, Company)
)
_CHECKPOINT_NAMES = tuple(_CHECKPOINT.c.keys())

Done = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class _Look:
    """Where the log is read, what it says of rows, and who is told how far it is."""

    connection: Connection
    named: NamedRows
    done: Done


@dataclass(frozen=True, slots=True)
class Verified:
    """What was looked at: entries, rows of the records, and the root (hexadecimal) that stands for all of it."""

    entries: int
    rows: int
    root: str


class Tampered(Exception):  # noqa: N818 - reads as what happened
    """The first bad entry (None: no entry speaks of it), what is wrong, and how many rows more are wrong."""

    def __init__(self, entry: int | None, what: str, more: int = 0) -> None:
        self.entry, self.what, self.more = entry, what, more
        super().__init__(what)


def verify(
    session: Session,
    vault: Vault,
    tables: Sequence[type[SQLModel]],
    *,
    kept: str | None = None,
    done: Done = lambda _steps: None,
) -> Verified:
    """Look at everything, as it is at this moment, while others go on writing. Raises Tampered.

    Call it first in a session. `tables` are those whose rows the log names, `kept` is a checkpoint that somebody kept
    elsewhere (NoteMisshapen when it is none); `done` is told of entries and rows as they are looked at.
    """
    connection = _at_one_moment(session)
    named = NamedRows(connection, vault)
    entries, root = _log(session, _Look(connection, named, done), vault, kept)
    rows = sum(named.compare(SQLModel.metadata.tables[str(model.__tablename__)], done) for model in tables)
    named.end()
    if named.wrong:
        unnamed, entry, what = named.first
        raise Tampered(None if unnamed else entry, what, named.wrong - 1)
    return Verified(entries, rows, root)


def size(session: Session, tables: Sequence[type[SQLModel]]) -> int:
    """How many entries and rows there are to be looked at."""
    models: tuple[type[SQLModel], ...] = (LedgerEntry, *tables)
    return sum(int(session.execute(select(func.count()).select_from(one)).scalar_one()) for one in models)


def _at_one_moment(session: Session) -> Connection:
    """The session's connection, which from now on sees the database as it is now."""
    if session.get_bind().dialect.name == "sqlite":
        connection = session.connection()
        connection.execute(text("BEGIN"))
        return connection
    return session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def _log(session: Session, look: _Look, vault: Vault, kept: str | None) -> tuple[int, str]:
    """Follow the log, and note what it says of rows; how many entries, and the root."""
    try:
        key, details = public_key(session, vault), Details(session, vault)
        chain = Chain(key or b"", None if kept is None else ledger.read_note(kept, key or b""))
    except (SealBroken, TypeError, ValueError, AttributeError):
        raise Tampered(0, "the keys of the log were exchanged, or are not of this key ring") from None
    except NoteMisshapen:
        raise
    except NoteInvalid as error:
        raise Tampered(0, str(error)) from None
    try:
        _follow_all(look, chain, details)
        _nothing_behind(look.connection, chain, began=key is not None)
        chain.end()
    except LogBroken as broken:
        raise Tampered(broken.entry, broken.what) from None
    return chain.tree.size, chain.tree.root.hex()


def _follow_all(look: _Look, chain: Chain, details: Details) -> None:
    """The whole log in lots; a lot that cannot be read one by one. Raises LogBroken."""
    for batch in (_BATCH, 1):
        with suppress(Unreadable):
            _follow(look, chain, details, batch)
            return
    raise LogBroken(chain.tree.size, "it, or the signed root after it, cannot be read")


def _follow(look: _Look, chain: Chain, details: Details, batch: int) -> None:
    """The entries that were not followed yet, in lots. Raises LogBroken, Unreadable."""
    joined = (
        _ENTRY.outerjoin(_CHECKPOINT, _CHECKPOINT.c.size == _ENTRY.c.number + 1)
        .outerjoin(_PERSON, (_ENTRY.c.subject_kind == "person") & (_PERSON.c.id == _ENTRY.c.subject_id))
        .outerjoin(_COMPANY, (_ENTRY.c.subject_kind == "company") & (_COMPANY.c.id == _ENTRY.c.subject_id))
    )
    keys = [column for owner in (_PERSON, _COMPANY) for column in (owner.c.ring_key_id, owner.c.wrapped_key)]
    stored = Stored(_ENTRY, look.connection.dialect.name)
    query = select(*stored.wanted, *_CHECKPOINT.c, *keys).select_from(joined).order_by(_ENTRY.c.number)
    while lot := read(look.connection, query.where(_ENTRY.c.number >= chain.tree.size).limit(batch)):
        for row in lot:
            look.named.note(row[0], _one(chain, details, stored, row))
        look.named.flush()
        look.done(len(lot))


def _one(chain: Chain, details: Details, stored: Stored, row: Sequence[Any]) -> tuple[Written, ...]:
    """One entry: its place in the log, what it told; the rows that it names."""
    signed = dict(zip(_CHECKPOINT_NAMES, row[len(_ENTRY.c) :], strict=False))
    person_ring, person_key, company_ring, company_key = row[-4:]
    try:
        entry = stored.values(row)
        chain.follow(entry, None if signed["size"] is None else signed)
        named = ledger.rows_of(entry["rows"])
        wrong = details.wrong(entry, Wrapped(person_ring or company_ring, person_key or company_key))
    except (TypeError, ValueError, AttributeError):  # what no release ever wrote
        raise LogBroken(row[0], "it was changed: it holds what no entry can hold") from None
    if wrong:
        raise LogBroken(row[0], wrong)
    return named


def _nothing_behind(connection: Connection, chain: Chain, *, began: bool) -> None:
    """No entry before the first, no signed root without its entry; nothing was taken away where there was something."""
    size = chain.tree.size
    if began and size == 0:
        raise LogBroken(0, "it is missing, as are all others: the log has its key and no entry")
    if connection.execute(select(func.count()).select_from(_ENTRY)).scalar_one() != size:
        raise LogBroken(0, "there is an entry with a number below 0")
    if connection.execute(select(func.count()).select_from(_CHECKPOINT)).scalar_one() != size:
        raise LogBroken(size, "it is missing: its signed root is still there")
