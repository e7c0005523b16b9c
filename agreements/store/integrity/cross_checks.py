"""Verifies what the hash of a row leaves open: blind indexes and wrapped data keys, which a rotation writes anew, and owners."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Select, Table, not_, or_, select
from sqlmodel import col

from agreements.store.erasures import RESTRICTED
from agreements.store.ledger.row_serialization import as_it_is, lots
from agreements.store.reencryption import IndexedColumn, indexed_columns
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.declarations import EMAIL_INDEX, declaration, table_of
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import Erasure, PersonRecord, PortalSignoffRecord, Proof, SignatureRecord
from agreements.vault import DecryptionFailed, Vault, WrappedKey, place

_BATCH_ROWS = 1000
_ENTRY = table_of(LedgerEntry)


def wrong_look_ups(
    connection: Connection, vault: Vault, rows: FromClause, table: Table, named: Sequence[ColumnElement[Any]]
) -> Iterator[Sequence[Any]]:
    """The columns `named` (the row's key first) of rows whose look-up is not that of their address, or hash.

    Raises NotUtf8.
    """
    for look_up, index in declaration(table).indexes.items():
        if index.kind != EMAIL_INDEX:
            query = select(*named, *(as_it_is(table.c[name]) for name in (index.column, look_up))).select_from(rows)
            for *row, value, stored in _rows(connection, query):  # A look-up that is missing finds nothing.
                if stored is not None and stored not in vault.blind_indexes(index.kind, value or " "):
                    yield row
    for indexed in indexed_columns():
        if indexed.table is table:
            owner = indexed.owner.c
            own = [table.c[name] for name in (indexed.sealed, indexed.look_up, indexed.link)]
            wanted = [as_it_is(column) for column in (*own, owner.ring_key_id, owner.wrapped_key)]
            owned = rows.outerjoin(indexed.owner, owner.id == table.c[indexed.link])
            for found in _rows(connection, select(*named, *wanted).select_from(owned)):
                if is_wrong_index(vault, indexed, found[0], found[-len(wanted) :]):
                    yield found[: -len(wanted)]


def is_wrong_index(vault: Vault, indexed: IndexedColumn, row_id: str, row: Sequence[Any]) -> bool:
    """Whether the look-up is another address's: of sealed address, look-up, owner's id and owner's key."""
    sealed, index, owner_id, ring_key_id, wrapped = row
    if sealed is None:
        return index is not None
    try:
        key = vault.unwrap(WrappedKey(ring_key_id, wrapped), indexed.owner.name, owner_id)
        address = vault.decrypt(key, sealed, place(indexed.table.name, indexed.sealed, row_id)).decode()
    except (DecryptionFailed, TypeError, ValueError):
        return False  # An address that does not open is the business of the row's hash, or of the log.
    return index not in vault.blind_indexes(EMAIL_INDEX, address)


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    for lot in lots(connection, query, _BATCH_ROWS):
        yield from lot


def lost_keys(connection: Connection, vault: Vault) -> Iterator[str]:
    """Complaints about each person's and each company's key that does not open as theirs."""
    for table in (table_of(PersonRecord), table_of(CompanyRecord)):
        for row_id, ring_key_id, wrapped in connection.execute(_unused_keys(table)):
            try:
                if not wrapped and not ring_key_id:  # The key was destroyed.
                    continue
                vault.unwrap(WrappedKey(ring_key_id, wrapped), table.name, row_id)
            except (DecryptionFailed, TypeError, ValueError, AttributeError):
                yield f"the key of the {table.name} {row_id} was changed: it does not decrypt with the key ring"


def _unused_keys(table: Table) -> Select[Any]:
    # Where an entry is about them, its details were opened with that key, or there is another complaint.
    used = (_ENTRY.c.subject_kind == table.name) & (_ENTRY.c.subject_id == table.c.id)
    is_used: ColumnElement[bool] = select(_ENTRY.c.number).where(used).exists()
    if "erased_at" in table.c:
        # After an erasure details need not open, so people who came back are looked at.
        is_used = is_used & table.c.erased_at.is_(None)
    columns = (as_it_is(table.c[name]) for name in ("id", "ring_key_id", "wrapped_key"))
    return select(*columns).where(not_(is_used))


def astray(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Table and id of each row that names a person of another account, or none, and the complaint about it."""
    for table in (
        SignatureRecord,
        Proof,
        PortalSignoffRecord,
    ):  # A hash covers both columns, but not that they belong together.
        query = (
            select(col(table.id))
            .join(PersonRecord, col(PersonRecord.id) == col(table.person_id), isouter=True)
            .where(or_(col(PersonRecord.id).is_(None), col(PersonRecord.account_id) != col(table.account_id)))
        )
        name = str(table.__tablename__)
        for (row_id,) in connection.execute(query):
            what = f"the person of the row {name} {row_id} that it names has another account, or does not exist"
            yield name, row_id, what


def wrongly_restricted(connection: Connection) -> Iterator[str]:
    """Complaints about people who are restricted although no erasure says so, or are not although one does."""
    restriction = select(col(Erasure.id)).where(
        col(Erasure.account_id) == col(PersonRecord.account_id), col(Erasure.state) == RESTRICTED
    )
    query = select(col(PersonRecord.id)).where(col(PersonRecord.restricted_at).is_not(None), ~restriction.exists())
    for (person_id,) in connection.execute(query):
        yield f"the person {person_id} was restricted: no erasure says so"
    lifted = (
        select(col(Erasure.id))
        .join(PersonRecord, col(PersonRecord.account_id) == col(Erasure.account_id))
        .where(col(Erasure.state) == RESTRICTED, col(PersonRecord.restricted_at).is_(None))
    )
    for (erasure_id,) in connection.execute(lifted):
        yield f"the restriction of the person of the erasure {erasure_id} was lifted"
