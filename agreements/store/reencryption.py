"""Moves the records to the current key of the ring: wraps data keys again, and computes blind indexes again.

Each function does one lot in the caller's transaction, from where the last one ended, and may be run again at any time.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Column, Table, bindparam, func, select, update
from sqlmodel import Session

from agreements.ledger import RowChange
from agreements.store.ledger import row_macs
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.declarations import EMAIL_INDEX, declaration, declared, table_of
from agreements.store.tables.ledger_records import RowMac
from agreements.store.tables.records import PersonRecord
from agreements.vault import DecryptionFailed, KeyDestroyed, Vault, WrappedKey, place, server_key_id

BATCH_ROWS = 1000
"""Rows in one transaction."""
_MAX_PREFIX_BYTES = 64  # Bytes in front of what the server's key sealed, the id of the key (32 at most) among them.


class IndexedColumn(NamedTuple):
    """The look-up column `look_up` of the address in `sealed`, in `table`; `link` names the `owner` (a table) whose key seals it."""

    table: Table
    look_up: str
    sealed: str
    link: str
    owner: Table


def sealed_tables() -> list[Table]:
    """The tables with a column that the server's key seals."""
    return [table_of(model) for model in declared(lambda said: said.sealed)]


def indexed_columns() -> list[IndexedColumn]:
    """The look-up columns of addresses."""
    found = []
    for model, said in declared(lambda said: said.indexes).items():
        table = table_of(model)
        owner = table_of(PersonRecord if "person_id" in table.c else CompanyRecord)
        for look_up, index in said.indexes.items():
            if index.kind == EMAIL_INDEX:
                found.append(IndexedColumn(table, look_up, index.column, f"{owner.name}_id", owner))
    return found


def rewrap(session: Session, vault: Vault, table: Table) -> int:
    """Wrap one lot of data keys with the current key; how many, 0 when all are. Raises DecryptionFailed."""
    (row_id,), ring, wrapped = table.primary_key.columns, table.c.ring_key_id, table.c.wrapped_key
    # An erased person has no key.
    query = select(row_id, ring, wrapped).where(ring != vault.ids[0], func.length(wrapped) > 0).order_by(row_id)
    # Rows that another process is wrapping are left to it.
    found = session.execute(query.limit(BATCH_ROWS).with_for_update(skip_locked=True)).all()
    made = vault.rewrap({str(key): WrappedKey(ring, sealed) for key, ring, sealed in found}, table.name)
    moved = [
        {"of_row": key, "of_ring": ring_key_id, "new_key": wrapped_key.sealed, "new_ring": wrapped_key.ring_key_id}
        for key, ring_key_id, _ in found
        for wrapped_key in [made[str(key)]]
    ]
    if moved:
        # No parameter has the name of a column of these tables: SQLAlchemy would set that column, too.
        same = (row_id == bindparam("of_row"), ring == bindparam("of_ring"))
        change = update(table).where(*same).values(wrapped_key=bindparam("new_key"), ring_key_id=bindparam("new_ring"))
        session.connection().execute(change, moved)
    return len(found)


def reseal(session: Session, vault: Vault, table: Table, after: Any) -> tuple[int, Any]:
    """Seal one lot, those behind `after` (None: from the start), with the current key; how many, and the last key."""
    (row_id,), value = table.primary_key.columns, _sealed(table)
    query = select(row_id, value).where(value.is_not(None)).order_by(row_id).limit(BATCH_ROWS)
    found = session.execute(query if after is None else query.where(row_id > after)).all()
    moved = 0
    for key, held in found:
        if server_key_id(held) == vault.ids[0]:
            continue
        about = place(table.name, value.name, str(key))
        made = vault.encrypt_for_server(vault.decrypt_for_server(held, about), about)
        # Only where it is as it was read: a newer value was sealed by a process that has the current key.
        session.execute(update(table).where(row_id == key, value == held).values({value: made}))
        moved += 1
    return moved, found[-1][0] if found else None


def reindex(session: Session, vault: Vault, indexed: IndexedColumn, after: str | None) -> tuple[int, str | None]:
    """Compute one lot of look-ups with the current key; how many changed, and the last id. `after` as in `reseal`."""
    owner, columns = indexed.owner.c, indexed.table.c
    row_id, sealed, index = columns.id, columns[indexed.sealed], columns[indexed.look_up]
    query = (
        select(row_id, sealed, index, owner.id, owner.ring_key_id, owner.wrapped_key)
        .join(indexed.owner, owner.id == columns[indexed.link])
        .where(row_id > (after or ""), sealed.is_not(None))
        .order_by(row_id)
        .limit(BATCH_ROWS)
    )
    found = session.execute(query).all()
    moved = []
    for key, address, old, owner_id, ring_key_id, wrapped in found:
        if not wrapped:  # The person was erased.
            continue
        try:
            data_key = vault.unwrap(WrappedKey(ring_key_id, wrapped), indexed.owner.name, owner_id)
        except KeyDestroyed:  # A person erased since, in a restored database: nothing of theirs is looked up.
            continue
        plain = vault.decrypt(data_key, address, place(indexed.table.name, indexed.sealed, key)).decode()
        made = vault.blind_index(EMAIL_INDEX, plain)
        if made != old:
            moved.append({"row": key, "index": made})
    if moved:
        change = update(indexed.table).where(row_id == bindparam("row")).values({indexed.look_up: bindparam("index")})
        session.connection().execute(change, moved)
    return len(moved), found[-1][0] if found else None


def authenticate_anew(session: Session, vault: Vault) -> int:
    """Make one lot of codes with the current key; how many, 0 at the end. Raises DecryptionFailed for a forged one."""
    codes = table_of(RowMac)
    query = select(codes).where(codes.c.ring_key_id != vault.ids[0]).order_by(codes.c.table_name, codes.c.key)
    found = session.execute(query.limit(BATCH_ROWS)).all()
    for row in found:
        known = row_macs.message(row.table_name, row.key, row.entry, row.sha256)
        if not vault.is_authentic(row.ring_key_id, row.mac, known):  # Else a rotation would make a forged code good.
            raise DecryptionFailed(f"the code of the row {row.table_name} {row.key} in row_mac is not of this key ring")
    named = [(row.entry, RowChange(row.table_name, row.key, row.sha256)) for row in found]
    row_macs.write(session, vault, named)
    return len(found)


def authenticated_by(session: Session) -> Mapping[str, int]:
    """The number of rows whose codes each key of the ring made."""
    key_id = table_of(RowMac).c.ring_key_id
    return {str(name): int(count) for name, count in session.execute(select(key_id, func.count()).group_by(key_id))}


def held(session: Session, table: Table) -> Mapping[str, int]:
    """The number of rows that each key of the ring wraps."""
    columns = table.c
    query = select(columns.ring_key_id, func.count()).where(func.length(columns.wrapped_key) > 0)
    rows = session.execute(query.group_by(columns.ring_key_id))
    return {str(key_id): int(count) for key_id, count in rows}


def sealed_by(session: Session, table: Table) -> Mapping[str, int]:
    """The number of values of a table's sealed column that each key of the ring seals."""
    value = _sealed(table)
    query = (
        select(func.substr(value, 1, _MAX_PREFIX_BYTES))  # The id of the key stands at the beginning.
        .where(value.is_not(None))
        .execution_options(yield_per=BATCH_ROWS)
    )
    return Counter(server_key_id(bytes(beginning)) for (beginning,) in session.execute(query))


def _sealed(table: Table) -> Column[Any]:
    return table.c[declaration(table).sealed]
