"""Checks the whole log, and every row of the records against the newest entry that names it; in bounded memory."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, SQLModel

from agreements import ledger
from agreements.chain_verification import Chain, LogBroken, StoredCheckpoint
from agreements.ledger import MerkleTree, NoteInvalid, NoteMisshapen
from agreements.store.integrity import upgrade
from agreements.store.integrity.entry_details import DetailsDecryptor
from agreements.store.integrity.row_integrity import LoggedRows, NewestEntry
from agreements.store.integrity.upgrade import ADOPTED
from agreements.store.ledger.row_serialization import NotUtf8, StoredColumns, as_it_is, read, refusing
from agreements.store.ledger.stored_ledger import public_key
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.declarations import table_of
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry
from agreements.store.tables.records import PersonRecord
from agreements.vault import DecryptionFailed, Vault, WrappedKey

_BATCH_ENTRIES = 2500
_ENTRY, _CHECKPOINT, _PERSON, _COMPANY = (
    table_of(table) for table in (LedgerEntry, LedgerCheckpoint, PersonRecord, CompanyRecord)
)
_PLAINLY = ("jit = off", "random_page_cost = 1.1")
"""Settings of PostgreSQL here: compiling takes longer than it saves, and owners of keys are looked up by their index."""
_ENTRY_WIDTH, _SIGNED = len(_ENTRY.c), [as_it_is(_CHECKPOINT.c[name]) for name in StoredCheckpoint._fields]

Done = Callable[[int], None]
Elsewhere = Callable[[int], Callable[[], bool]]
"""Given the number of entries, it begins to follow them in other processes; the function that it returns says if all is well."""

NewestEntries = Callable[[str, Collection[str]], Mapping[str, NewestEntry]]
"""Given a table and keys of rows, the newest entry on each that is there, by key."""
Unsupported = Callable[[Session, NewestEntries], Iterable[str]]


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """The extent of a verification: `entries`, `rows` of the records, and the `root` (hexadecimal) that stands for all of it.

    `adopted`: the entries about rows that are older than the log, of which it cannot say what they were. `waiting`: the
    rows of the release before that are still to be taken in, and may be forged until then (`upgrade`); `waiting_until`:
    when that ends, None where it did not begin.
    """

    entries: int
    rows: int
    root: str
    adopted: int = 0
    waiting: int = 0
    waiting_until: datetime | None = None


class Tampered(Exception):
    """The first bad `entry` (None: no entry speaks of it), the complaint (`what`), and how many more rows are wrong (`more`)."""

    def __init__(self, entry: int | None, what: str, more: int = 0) -> None:
        self.entry, self.what, self.more = entry, what, more
        super().__init__(what)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationOptions:
    """The circumstances that a verification takes into account beside the log and the rows."""

    at: datetime | None = None
    """The present moment; None: no row of the release before is waited for."""
    kept: str | None = None
    """A checkpoint that an operator kept elsewhere; NoteMisshapen is raised for any other text."""
    done: Done = lambda _steps: None
    """Called with the number of entries and rows that were looked at."""
    elsewhere: Elsewhere | None = None
    """Other processes that follow the log; their findings are looked at here once more, so that one place words them."""
    unsupported: Unsupported = lambda _session, _newest: ()
    """Gives complaints about records that rest on these rows, such as verdicts."""


def verify(
    session: Session, vault: Vault, tables: Sequence[type[SQLModel]], options: VerificationOptions
) -> VerificationResult:
    """Verify everything as it is now, while others write. `tables` are those that the log names. Raises Tampered.

    Call it first in a session.
    """
    connection, done = _at_one_moment(session), options.done  # else rows written since would be missing from the log
    log = _Log(session, connection, vault, options.kept, done)
    well = options.elsewhere(_count(connection, _ENTRY)) if options.elsewhere else None
    if well is None:
        log.follow()
    try:
        mark, named = upgrade.since(connection), _named(connection, vault, options.at)
        rows = sum(named.compare(table_of(model), done) for model in tables)
        named.people()
        named.codes()
        named.unsupported(options.unsupported(session, named.newest))
    except (DBAPIError, TypeError, ValueError):  # Only a log that was changed cannot be taken in.
        log.follow()
        raise
    named.end()
    if well is not None:
        log.follow(to_its_end=well())
    _refuse(named)
    until = mark.at + upgrade.UPGRADE_WINDOW if mark is not None and named.waiting else None
    adopted = _count(connection, _ENTRY, _ENTRY.c.kind == ADOPTED)
    return VerificationResult(log.entries, rows, log.root, adopted, named.waiting, until)


def _named(connection: Connection, vault: Vault, at: datetime | None) -> LoggedRows:
    found = LoggedRows(connection, vault, takes_in=at is not None and upgrade.is_needed(connection, at))
    found.take()
    return found


def _refuse(named: LoggedRows) -> None:
    if named.wrong:
        unnamed, entry, what = named.first
        raise Tampered(None if unnamed else entry, what, named.wrong - 1)


def part(session: Session, vault: Vault, first: int, end: int) -> bool:
    """Whether the entries from `first` to before `end` follow the signed root before. Call it first in a session."""
    connection = _at_one_moment(session)
    try:
        # The part before vouches for that root, so that all parts together are the whole log.
        chain = Chain(public_key(session, vault) or b"", after=_checkpoint(connection, first))
        _follow(
            _VerificationRun(connection, DetailsDecryptor(session, vault), lambda _steps: None),
            chain,
            _BATCH_ENTRIES,
            end,
        )
    except (LogBroken, NotUtf8, DecryptionFailed, TypeError, ValueError, AttributeError):
        return False
    return chain.tree.size == end


def size(session: Session, tables: Sequence[type[SQLModel]]) -> int:
    """The number of entries and rows to be looked at."""
    models: tuple[type[SQLModel], ...] = (LedgerEntry, *tables)
    return sum(_count(session.connection(), table_of(model)) for model in models)


def _at_one_moment(session: Session) -> Connection:
    if session.get_bind().dialect.name == "sqlite":
        connection = session.connection()
        connection.execute(text("BEGIN"))  # Reading alone would begin no transaction.
        return connection
    # Under READ COMMITTED, the default, each statement would see a newer database.
    connection = session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
    for setting in _PLAINLY:
        connection.execute(text(f"SET LOCAL {setting}"))
    return connection


@dataclass(frozen=True, slots=True)
class _VerificationRun:
    """A verification's parts: the log is read by `connection` and opened by `details`; `done` is told how far it is."""

    connection: Connection
    details: DetailsDecryptor
    done: Done


class _Log:
    """The log, once followed; `entries` and `root` (hexadecimal) then give its extent."""

    def __init__(self, session: Session, connection: Connection, vault: Vault, kept: str | None, done: Done) -> None:
        """Raises Tampered where its keys are not its own; NoteMisshapen."""
        self.entries, self.root = 0, ""
        self._connection = connection
        try:
            with refusing():
                self._key = public_key(session, vault)
                self._look = _VerificationRun(connection, DetailsDecryptor(session, vault), done)
            self._kept = None if kept is None else ledger.read_note(kept, self._key or b"")
        except (DecryptionFailed, NotUtf8, TypeError, ValueError, AttributeError):
            raise Tampered(0, "the keys of the log were exchanged, or are not of this key ring") from None
        except NoteMisshapen:  # a mistake of the operator, not of the log
            raise
        except NoteInvalid as error:
            raise Tampered(0, str(error)) from None

    def follow(self, *, to_its_end: bool = False) -> None:
        """Follow it from its first entry, or only its end where others have followed all before it. Raises Tampered."""
        size = _count(self._connection, _ENTRY) if to_its_end else 0
        chain = Chain(self._key or b"", self._kept, _checkpoint(self._connection, size))
        try:
            # The kept checkpoint lies in the part that others followed: it is compared with what is stored there.
            if to_its_end and self._kept is not None:
                passed = _checkpoint(self._connection, self._kept.size)
                if passed is not None:
                    chain.compare(MerkleTree.parse(self._kept.size, passed.frontier))
            _follow_all(self._look, chain)
            _nothing_behind(self._connection, chain, began=self._key is not None)
            chain.end()
        except LogBroken as broken:
            raise Tampered(broken.entry, broken.what) from None
        self.entries, self.root = chain.tree.size, chain.tree.root.hex()


def _checkpoint(connection: Connection, size: int) -> StoredCheckpoint | None:
    """The stored signed root after so many entries; None for an empty log, or when it is missing."""
    if size == 0:
        return None
    row = connection.execute(select(*_SIGNED).where(_CHECKPOINT.c.size == size)).one_or_none()
    return None if row is None else StoredCheckpoint(*row)


def _count(connection: Connection, table: Table, *such: ColumnElement[bool]) -> int:
    return int(connection.execute(select(func.count()).select_from(table).where(*such)).scalar_one())


def _follow_all(look: _VerificationRun, chain: Chain) -> None:
    for batch in (_BATCH_ENTRIES, 1):  # A lot with a row that is not UTF-8 is read one by one, up to that row.
        with suppress(NotUtf8):
            _follow(look, chain, batch)
            return
    raise LogBroken(chain.tree.size, "it, or the signed root after it, cannot be read")


def _follow(look: _VerificationRun, chain: Chain, batch: int, end: int | None = None) -> None:
    """Follow the entries up to `end` that were not followed yet, in lots. Raises LogBroken, NotUtf8."""
    stored = StoredColumns(_ENTRY, look.connection.dialect.name)
    while chain.tree.size != end and (lot := _lot(look.connection, stored, chain.tree.size, batch, end)):
        for row in lot:
            _one(chain, look.details, stored, row)
        look.done(len(lot))


def _lot(
    connection: Connection, stored: StoredColumns, first: int, batch: int, end: int | None
) -> Sequence[Sequence[Any]]:
    """The next entries; where so many numbers are missing, the first one behind them. Raises NotUtf8."""
    # By their numbers, not by a limit: for that PostgreSQL would join and sort all that follow.
    behind = first + batch if end is None else min(first + batch, end)
    return read(connection, _entries(stored, first, behind)) or read(connection, _entries(stored, first, end).limit(1))


def _entries(stored: StoredColumns, first: int, end: int | None) -> Select[Any]:
    """The entries from `first` up to, not with, `end`, each with its signed root and its subject's key."""
    number, signed = _ENTRY.c.number >= first, _CHECKPOINT.c.size > first
    if end is not None:
        number, signed = number & (_ENTRY.c.number < end), signed & (_CHECKPOINT.c.size <= end)
    joined = (
        _ENTRY.outerjoin(_CHECKPOINT, (_CHECKPOINT.c.size == _ENTRY.c.number + 1) & signed)
        .outerjoin(_PERSON, (_ENTRY.c.subject_kind == "person") & (_PERSON.c.id == _ENTRY.c.subject_id))
        .outerjoin(_COMPANY, (_ENTRY.c.subject_kind == "company") & (_COMPANY.c.id == _ENTRY.c.subject_id))
    )
    keys = [as_it_is(column) for owner in (_PERSON, _COMPANY) for column in (owner.c.ring_key_id, owner.c.wrapped_key)]
    return select(*stored.wanted, *_SIGNED, *keys).select_from(joined).where(number).order_by(_ENTRY.c.number)


def _one(chain: Chain, details: DetailsDecryptor, stored: StoredColumns, row: Sequence[Any]) -> None:
    """Follow one entry: its place in the log, its details. Raises LogBroken."""
    size, root, frontier, signature, person_ring, person_key, company_ring, company_key = row[_ENTRY_WIDTH:]
    try:
        entry = stored.values(row)
        chain.follow(entry, None if size is None else StoredCheckpoint(size, root, frontier, signature))
        ring, sealed = person_ring or company_ring, person_key or company_key
        wrong = details.wrong(entry, WrappedKey(ring, sealed) if ring and sealed else None)
    except (TypeError, ValueError, AttributeError):  # A value that no release ever wrote.
        raise LogBroken(row[0], "it was changed: it holds what no entry can hold") from None
    if wrong:
        raise LogBroken(row[0], wrong)


def _nothing_behind(connection: Connection, chain: Chain, *, began: bool) -> None:
    size = chain.tree.size
    if began and size == 0:  # A log that was emptied would pass as one that never began.
        raise LogBroken(0, "it is missing, as are all others: the log has its key and no entry")
    if _count(connection, _ENTRY) != size:  # `chain` starts at 0, and sees none below.
        raise LogBroken(0, "there is an entry with a number below 0")
    if _count(connection, _CHECKPOINT) != size:
        raise LogBroken(size, "it is missing: its signed root is still there")
