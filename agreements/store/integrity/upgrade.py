"""Takes into the log what releases before did not name: all records, people's rows, when a domain's DNS record went missing.

This is done once, and for a day again, for what processes of the release before write beside those of this one. From
then on such a row is one that was tampered with; only an operator with the key ring begins such a day again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, or_, select, true
from sqlmodel import Session, SQLModel, col
from sqlmodel import select as select_rows

from agreements import ledger
from agreements.chain_verification import Chain, LogBroken, StoredCheckpoint
from agreements.ledger import RowChange
from agreements.store.ledger import row_macs, stored_ledger
from agreements.store.ledger.row_check import row_key, unlogged
from agreements.store.ledger.row_serialization import StoredColumns, as_it_is
from agreements.store.ledger.stored_ledger import SERVER, Change, public_key
from agreements.store.lookup import text_chunks
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import DomainClaim
from agreements.store.tables.declarations import table_of
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry, LedgerKey, RowMac
from agreements.store.tables.records import PersonRecord
from agreements.vault import Vault

UPGRADE_WINDOW = timedelta(hours=24)
"""The time since the first taking in for which rows are still taken in: as long as processes of the release before may run."""

_LOT_ROWS = 2000
ROWS: Mapping[type[SQLModel], Sequence[ColumnElement[bool]]] = {
    PersonRecord: (),
    DomainClaim: (col(DomainClaim.missing_since).is_not(None),),
}
"""The tables with rows that releases before did not name, or hashed otherwise, and conditions for such rows."""

NOT_HASHED_BEFORE: Mapping[str, str] = {"domain_claim": "missing_since"}
"""The column of a table that releases before did not hash where it was set."""

_MARK = ledger.rows_text([stored_ledger.names_people()])[1:-1]  # the one word, without the list's brackets


@dataclass(frozen=True, slots=True)
class NamesPeople:
    """The newest entry (`number`, `at`) from which on the log names people; `began_so`: the log began with it."""

    number: int
    at: datetime
    began_so: bool

    def is_open(self, at: datetime) -> bool:
        """Whether rows are still taken in at that moment."""
        return not self.began_so and at < self.at + UPGRADE_WINDOW  # A log that began so never had a release before it.


def since(connection: Connection) -> NamesPeople | None:
    """The entry from which on the log names people; None for an earlier release's log that does not yet."""
    number, kind = col(LedgerEntry.number), col(LedgerEntry.kind)
    query = (
        select(number, col(LedgerEntry.at))
        .where(or_(number == 0, kind == ADOPTED), col(LedgerEntry.rows).contains(_MARK, autoescape=True))
        .order_by(number.desc())
        .limit(1)
    )
    found = connection.execute(query).one_or_none()
    return None if found is None else NamesPeople(found[0], found[1], began_so=found[0] == 0)


def is_needed(connection: Connection, at: datetime) -> bool:
    """Whether there is a log into which rows are to be taken at that moment."""
    mark = since(connection)
    if mark is not None:
        return mark.is_open(at)
    return connection.execute(select(col(LedgerEntry.number)).limit(1)).first() is not None


def take_in(context: RecordContext, model: type[SQLModel], after: str) -> tuple[str | None, int]:
    """Name the next rows of a table of `ROWS`, those behind the key `after`, that are not as the log says.

    The last key that was looked at (None: none is left), and how many were named. Call `catch_up` before it.
    """
    session, table = context.session, table_of(model)
    connection = session.connection()
    stored_ledger.lock(session)  # One transaction a call: others wait for the log meanwhile.
    if not is_needed(connection, context.at):  # another process was quicker
        return None, 0
    key, such = row_key(table), ROWS[model]
    query = select(key).where(key > after, *such).order_by(key).limit(_LOT_ROWS)
    # A blank key was written past this program, and no look-up takes it.
    keys = [row_id for row_id in connection.execute(query).scalars() if row_id.strip()]
    rows = [
        row
        for chunk in text_chunks(unlogged(session, context.vault, model, keys))
        for row in session.exec(select_rows(model).where(key.in_(chunk)))
    ]
    if rows:
        context.append(_change(rows))
    return keys[-1] if keys else None, len(rows)


def finish(context: RecordContext, *, anew: bool = False) -> None:
    """Log, once, that the log names people from now on; or (`anew`) that rows are taken in again."""
    stored_ledger.lock(context.session)
    connection = context.session.connection()
    if anew or (is_needed(connection, context.at) and since(connection) is None):
        context.append(_change([]))


def _change(rows: Sequence[SQLModel]) -> Change:
    mark = stored_ledger.names_people()  # The entry without rows is the one from which on the log names people.
    deleted = [] if rows else [(mark.table, mark.id)]
    return Change(kind=ADOPTED, actor_id=None, subject=SERVER, rows=rows, deleted=deleted, details={"rows": len(rows)})


BATCH_ENTRIES = 2500
"""Entries whose codes are made at once, in one transaction of the caller."""

_ENTRY, _CHECKPOINT = (table_of(model) for model in (LedgerEntry, LedgerCheckpoint))
_SIGNED = [as_it_is(_CHECKPOINT.c[name]) for name in StoredCheckpoint._fields]


def catch_up(session: Session, vault: Vault) -> int:
    """Make the codes of the next `BATCH_ENTRIES` entries that were not followed; how many (0: none is left).

    Raises LogBroken where the log is not what its key signed.
    """
    connection = session.connection()
    start = row_macs.followed(connection)
    key = public_key(session, vault)
    if key is None:
        return 0
    before = connection.execute(select(*_SIGNED).where(_CHECKPOINT.c.size == start)).one_or_none()
    if start and before is None:  # The lot before ended at a signed root.
        raise LogBroken(start - 1, "the signed root after it is missing")
    chain = Chain(key, after=None if before is None else StoredCheckpoint(*before))
    stored = StoredColumns(_ENTRY, connection.dialect.name)
    joined = _ENTRY.outerjoin(_CHECKPOINT, _CHECKPOINT.c.size == _ENTRY.c.number + 1)
    mine = (_ENTRY.c.number >= start, _ENTRY.c.number < start + BATCH_ENTRIES)
    query = select(*stored.wanted, *_SIGNED).select_from(joined).where(*mine).order_by(_ENTRY.c.number)
    named: dict[tuple[str, str], tuple[int, RowChange]] = {}
    for row in connection.execute(query).all():
        signed = StoredCheckpoint(*row[-len(_SIGNED) :])
        try:
            entry = stored.values(row)
            chain.follow(entry, None if signed.size is None else signed)
            named |= {(change.table, change.id): (entry["number"], change) for change in ledger.rows_of(entry["rows"])}
        except (TypeError, ValueError, AttributeError):  # A value that no release ever wrote.
            raise LogBroken(chain.tree.size, "it was changed: it holds what no entry can hold") from None
    chain.end()  # Only then are codes made: a log that was changed gives none.
    if chain.tree.size > start:
        row_macs.follow(session, vault, named.values(), chain.tree.size)
    return chain.tree.size - start


WITHOUT_LOG = (
    "there are records and no log of them: if a release that keeps a log wrote them, it was taken away: restore a backup "
    "(see 'The log of records' in the documentation); if none ever did, countersign migrate --begin-log takes them into it"
)
"""Said instead of beginning a log by itself: an attacker who took the log away would have it begun anew, over their changes."""
ADOPTED = "records.adopted"
"""The kind of the entries about rows that are older than they; they do not say what the rows were before."""
_BATCH_ROWS = 2000


def lacks_log(session: Session, tables: Sequence[type[SQLModel]]) -> bool:
    """Whether there are rows and no log. A log that lost all its entries still has its key."""
    if any(_has_rows(session, table) for table in (LedgerEntry, LedgerKey)):
        return False
    return any(_has_rows(session, table) for table in tables)


def _has_rows(session: Session, table: type[SQLModel]) -> bool:
    return session.exec(select_rows(true()).select_from(table).limit(1)).first() is not None


def adopt(context: RecordContext, tables: Sequence[type[SQLModel]]) -> int:
    """Name all rows in the log if there is none; how many. Others who write to the log wait for it."""
    session = context.session
    stored_ledger.lock(session)
    if not lacks_log(session, tables):
        return 0
    session.execute(delete(RowMac))  # Codes of a log that was taken away would contradict the new entries.
    named = 0
    for lot in _lots(session, tables):
        details = {"rows": len(lot)}
        context.append(Change(kind=ADOPTED, actor_id=None, subject=SERVER, rows=lot, details=details))
        named += len(lot)
        session.expunge_all()
    return named


def _lots(session: Session, tables: Sequence[type[SQLModel]]) -> Iterator[list[SQLModel]]:
    for table in tables:
        keys: tuple[Any, ...] = tuple(table_of(table).primary_key.columns)
        start = 0  # `OFFSET` is safe here: others who write wait for the log.
        while lot := list(session.exec(select_rows(table).order_by(*keys).offset(start).limit(_BATCH_ROWS))):
            yield lot
            start += len(lot)
