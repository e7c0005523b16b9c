"""The keyed look-ups of sealed addresses, which no hash covers since another key changes them: each must be of its address."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Table
from sqlmodel import SQLModel

from agreements.store.integrity.row_serialization import as_it_is
from agreements.store.people.emails import INDEX
from agreements.store.tables.company_records import Company, CompanyEntry
from agreements.store.tables.records import Person, Proof
from agreements.vault import DecryptionFailed, Vault, WrappedKey, place


class Indexed(NamedTuple):
    """A table with a sealed address, its look-up, and the column that says whose key seals it: a person's or a company's."""

    sealed: str
    look_up: str
    link: str
    owner: Table


def _table(model: type[SQLModel]) -> Table:
    return SQLModel.metadata.tables[str(model.__tablename__)]


INDEXED: Mapping[str, Indexed] = {
    _table(Proof).name: Indexed("address", "address_index", "person_id", _table(Person)),
    _table(CompanyEntry).name: Indexed("email", "email_index", "company_id", _table(Company)),
}
"""Those tables, by name."""


def wanted(table: Table) -> list[ColumnElement[Any]]:
    """What to select for `astray`, from what `owned` joins."""
    sealed, index, link, owner = INDEXED[table.name]
    return [
        as_it_is(one)
        for one in (table.c[sealed], table.c[index], table.c[link], owner.c.ring_key_id, owner.c.wrapped_key)
    ]


def owned(table: Table, rows: FromClause) -> FromClause:
    """The rows, each with its owner, if there is one."""
    link, owner = INDEXED[table.name][2:]
    return rows.outerjoin(owner, owner.c.id == table.c[link])


def astray(vault: Vault, table: Table, row_id: str, row: Sequence[Any]) -> bool:
    """Whether that is the look-up of another address, given what `wanted` asks for.

    Of an address that does not open nothing is said: the row's hash, or the log, tells what is wrong with it.
    """
    sealed, index, owner_id, ring_key_id, wrapped = row
    if sealed is None:
        return index is not None
    told = INDEXED[table.name]
    try:
        key = vault.unwrap(WrappedKey(ring_key_id, wrapped), told.owner.name, owner_id)
        address = vault.decrypt(key, sealed, place(table.name, told.sealed, row_id)).decode()
    except (DecryptionFailed, TypeError, ValueError):
        return False
    return index not in vault.blind_indexes(INDEX, address)
